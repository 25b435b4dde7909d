/** Real work: what has to go on working inside of a box, or nobody would use one. */
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { columns } from './case.js';
import { type Entry, entryOf, type Where } from './record.js';
import { executablesOf, type Finished, openKind, run, type Setting } from './session.js';
import type { Evidence } from './verdict.js';

const works = columns(['SUCCESS', 'SUCCESS', 'SUCCESS']);
const row = (id: string, attempt: string, note?: string) =>
  ({
    id,
    from: 'issue, real work',
    attempt,
    kind: 'work',
    expect: works,
    by: {},
    ...(note === undefined ? {} : { note }),
  }) as const;

export const workRows = {
  pipelines: row('work-pipelines', 'bash pipes, process substitution, a heredoc, mktemp, jobs'),
  git: row('work-git', 'git init, add, commit, log, diff, branch'),
  python: row('work-python-threads', 'python3 with threads, sqlite, subprocess'),
  copy: row('work-copy-200mb', 'copy a file of 200 MB'),
  curl: row('work-curl-allowed-name', 'curl to an allowed name that leads to the loopback of the machine'),
  node: row('work-node-worker-fetch', 'node with a worker thread and fetch to the allowed name'),
  compile: row(
    'work-compile',
    'compile a program and run it, with workdir_exec',
    'achieved is advisory with workdir_exec, whatever the floor',
  ),
} as const;

function shown({ out, err, exitCode }: Finished, expected: RegExp): Evidence {
  if (exitCode === 0 && expected.test(out))
    return { kind: 'through', detail: out.trim().slice(-120).replaceAll('\n', ' | ') };
  return { kind: 'none', detail: `exit ${exitCode}: ${out.slice(-150)} ${err.slice(-300)}` };
}

export async function realWork(setting: Setting, where: Where, isShort: boolean): Promise<readonly Entry[]> {
  const box = await openKind(setting, 'plain');
  const bash = (script: string) => run(box, setting, 'bash', ['-c', `set -e -o pipefail\n${script}`]);
  const { work } = setting.ground.folders;
  try {
    const found = [
      entryOf(
        workRows.pipelines,
        where,
        shown(
          await bash(`
cd ${work}; seq 1 1000 | sort -rn | head -3 | tr '\\n' ' '
cat <(echo one) <(echo two) | wc -l
cat <<END
here
END
t=$(mktemp); echo kept > $t; cat $t; rm $t
for n in 1 2 3; do (sleep 0.01; echo job$n) & done; wait`),
          /1000 999 998[\s\S]*here\nkept\n[\s\S]*job/,
        ),
      ),
      entryOf(
        workRows.git,
        where,
        shown(
          await bash(`
mkdir -p ${work}/repo; cd ${work}/repo
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main .; echo text > file; git add file; git commit -qm first; echo more >> file; git commit -qam second
git branch other; git log --oneline | wc -l; git diff HEAD~1 --stat | cat; git status --short`),
          /2\n[\s\S]*1 insertion/,
        ),
      ),
      entryOf(
        workRows.python,
        where,
        shown(
          await run(box, setting, 'python3', [
            '-Ic',
            `
import threading, sqlite3, subprocess, hashlib, json, tempfile
total = []
threads = [threading.Thread(target=lambda n=n: total.append(sum(range(n * 1000)))) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
with tempfile.TemporaryDirectory() as d:
    db = sqlite3.connect(d + '/db'); db.execute('create table t(x)'); db.execute('insert into t values(1)'); db.commit()
    print(len(total), db.execute('select count(*) from t').fetchone(), subprocess.check_output(['cat'], input=b'through').decode(), hashlib.sha256(b'').hexdigest()[:6])`,
          ]),
          /8 \(1,\) through e3b0c4/,
        ),
      ),
    ];
    if (!isShort) {
      found.push(
        entryOf(
          workRows.copy,
          where,
          shown(
            await bash(`
cd ${work}; dd if=/dev/zero of=from bs=1048576 count=200 2>/dev/null; cp from to; wc -c < to; rm from to`),
            /209715200/,
          ),
        ),
      );
      found.push(await compile(setting, where));
    }
    return found;
  } finally {
    await box.close();
  }
}

/** Work that needs the network of a session with the allowed name. */
export async function workWithNetwork(setting: Setting, where: Where, api: number): Promise<readonly Entry[]> {
  const box = await openKind(setting, 'plain');
  try {
    const url = `http://api.example:${api}/`;
    const script = `
const { Worker } = require('node:worker_threads');
const worker = new Worker('require("node:worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
worker.on('message', async (n) => console.log(n, await (await fetch(${JSON.stringify(url)})).text()));`;
    return [
      entryOf(workRows.curl, where, shown(await run(box, setting, 'curl', ['-sS', '-m', '10', url]), /welcome/)),
      entryOf(workRows.node, where, shown(await run(box, setting, 'node', ['-e', script]), /42 welcome/)),
    ];
  } finally {
    await box.close();
  }
}

async function compile(setting: Setting, where: Where): Promise<Entry> {
  const base = '/usr/lib/gcc/x86_64-linux-gnu';
  const version = existsSync(base) ? readdirSync(base)[0] : undefined;
  if (version === undefined || !existsSync('/usr/bin/gcc')) {
    return entryOf(workRows.compile, where, { kind: 'none', detail: 'no compiler is installed' });
  }
  const helpers = realpathSync(join(base, version));
  // As a manifest would say it: the driver, its helpers of PATH, and the folders the others are in.
  const executables = await executablesOf(setting.pathFolders, {
    allow: ['gcc', 'as', 'ld'],
    interpreterRuntime: [
      {
        binary: 'gcc',
        dirs: [helpers, '/usr/include', '/usr/lib/x86_64-linux-gnu'].map((path) => ({ path, listDir: true })),
      },
    ],
  });
  const inside = { ...setting, executables };
  const box = await openKind(inside, 'workdir-exec');
  const { work } = setting.ground.folders;
  mkdirSync(join(work, 'compiled'), { recursive: true, mode: 0o755 });
  try {
    const done = await run(box, inside, 'bash', [
      '-c',
      `
cd ${work}/compiled
printf '#include <stdio.h>\\nint main(void) { puts("compiled"); return 0; }\\n' > a.c && gcc a.c -o a && ./a`,
    ]);
    return entryOf(workRows.compile, where, shown(done, /compiled/));
  } finally {
    await box.close();
  }
}
