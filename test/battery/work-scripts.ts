/** Real work as command lines, for whatever runs them: the battery in its boxes, and the tests of `mur sandbox`. */

/** One piece of work and what its output shows when it went well. */
export interface Work {
  readonly program: string;
  readonly args: readonly string[];
  readonly shows: RegExp;
}

const bash = (script: string, shows: RegExp): Work => ({
  program: 'bash',
  args: ['-c', `set -e -o pipefail\n${script}`],
  shows,
});

/** Work in the folder `work` that needs no network. */
export const workIn = (work: string) => ({
  pipelines: bash(
    `
cd ${work}; seq 1 1000 | sort -rn | head -3 | tr '\\n' ' '
cat <(echo one) <(echo two) | wc -l
cat <<END
here
END
t=$(mktemp); echo kept > $t; cat $t; rm $t
for n in 1 2 3; do (sleep 0.01; echo job$n) & done; wait`,
    /1000 999 998[\s\S]*here\nkept\n[\s\S]*job/,
  ),
  git: bash(
    `
mkdir -p ${work}/repo; cd ${work}/repo
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main .; echo text > file; git add file; git commit -qm first; echo more >> file; git commit -qam second
git branch other; git log --oneline | wc -l; git diff HEAD~1 --stat | cat; git status --short`,
    /2\n[\s\S]*1 insertion/,
  ),
  python: {
    program: 'python3',
    args: [
      '-Ic',
      `
import threading, sqlite3, subprocess, hashlib, json, tempfile
total = []
threads = [threading.Thread(target=lambda n=n: total.append(sum(range(n * 1000)))) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
with tempfile.TemporaryDirectory() as d:
    db = sqlite3.connect(d + '/db'); db.execute('create table t(x)'); db.execute('insert into t values(1)'); db.commit()
    print(len(total), db.execute('select count(*) from t').fetchone(), subprocess.check_output(['cat'], input=b'through').decode(), hashlib.sha256(b'').hexdigest()[:6])`,
    ],
    shows: /8 \(1,\) through e3b0c4/,
  } satisfies Work,
  copy: bash(
    `
cd ${work}; dd if=/dev/zero of=from bs=1048576 count=200 2>/dev/null; cp from to; wc -c < to; rm from to`,
    /209715200/,
  ),
  compile: bash(
    `
cd ${work}
printf '#include <stdio.h>\\nint main(void) { puts("compiled"); return 0; }\\n' > a.c && gcc a.c -o a && ./a`,
    /compiled/,
  ),
});

/** Work that reaches `url`, whose answer holds the word `welcome`. */
export const workWith = (url: string) => ({
  curl: { program: 'curl', args: ['-sS', '-m', '10', url], shows: /welcome/ } satisfies Work,
  node: {
    program: 'node',
    args: [
      '-e',
      `
const { Worker } = require('node:worker_threads');
const worker = new Worker('require("node:worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
worker.on('message', async (n) => console.log(n, await (await fetch(${JSON.stringify(url)})).text()));`,
    ],
    shows: /42 welcome/,
  } satisfies Work,
});
