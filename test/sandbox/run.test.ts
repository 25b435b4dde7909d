import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { pidsWith } from '../fixtures/processes.js';
import { ended, place, says } from './mur.js';

const host = await probeHost();
const hasAll = host.hostTier === 'sealed' && host.network.usable;
const seconds = () => String(1000 + Math.random());

const manifest = (containment: string, more = '') => `
name: tried
version: "1.0.0"
capabilities:
  containment: ${containment}
  shell: { allow: [bash, cat, ls, env] }
${more}`;

describe.runIf(hasAll)('mur sandbox', () => {
  test.each(['scoped', 'sealed'])('%s: what a command has, what it has not, and what is left of it', async (floor) => {
    const it = place();
    writeFileSync(join(it.home, 'private'), 'mine');
    writeFileSync(join(it.work, 'given'), 'yours\n');
    const script = `
cat given; read line; echo "$line"; echo made > made; echo t > "$TMPDIR/t"; echo h > "$HOME/h"
cat ${it.home}/private /etc/shadow 2>/dev/null && echo leaked
echo home=$HOME records=$MURMUR_RECORDS_DIR capsule=$MURMUR_CAPSULE_NAME secret=$SECRET_TOKEN
echo > "$MURMUR_RECORDS_DIR/x" 2>/dev/null && echo wrote the records
(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo connected
jobs > /dev/null; exit 7`;
    const { out, exitCode } = await it.run(['--containment', floor, '--', 'bash', '-c', script], { stdin: 'typed\n' });
    expect(out).toMatch(
      new RegExp(
        `^yours\\ntyped\\nhome=${it.home}/\\.murmur/sandbox/\\S+/home records=\\S+ capsule=sandbox secret=\\n$`,
      ),
    );
    expect(exitCode).toBe(7);
    expect(readFileSync(join(it.work, 'made'), 'utf8')).toBe('made\n');
    expect([it.left(), existsSync(join(it.home, '.murmur/records'))]).toEqual([[], false]);
  });

  test('streams are those of mur, and a signal that ended the command is its status', async () => {
    const it = place();
    expect(await it.run(['--', 'bash', '-c', 'echo out; echo err >&2; kill -TERM $$'])).toEqual({
      out: 'out\n',
      err: 'err\n',
      exitCode: 143,
    });
    const long = await it.run(['--', 'bash', '-c', 'for i in {1..40000}; do echo $i; echo $i >&2; done']);
    expect([long.exitCode, long.out.length, long.err.length]).toEqual([0, 228_894, 228_894]);
  });

  test('a manifest says what may run, and a folder of its own is made and removed', async () => {
    const it = place();
    writeFileSync(join(it.work, 'murmur.yaml'), manifest('scoped'));
    const given = ['--manifest', 'murmur.yaml', '--'];
    const ran = await it.run([...given, 'bash', '-c', 'echo x > y; ls; echo $PWD; cat ../../murmur.yaml || echo held']);
    expect(ran.out).toMatch(new RegExp(`^y\\n${it.work}/workdir/ses_[0-9a-f]{32}\\nheld\\n$`));
    expect(readdirSync(it.work)).toEqual(['murmur.yaml']);
    const { err, exitCode } = await it.run([...given, 'curl', 'http://localhost']);
    expect(err).toMatch(
      /E-CAP-903.*'curl' is not in capabilities\.shell\.allow[\s\S]*hint: .*capabilities\.shell\.allow/,
    );
    expect(exitCode).toBe(126);
    const inWork = await it.run(['--workdir', '.', ...given, 'cat', 'murmur.yaml']);
    expect([inWork.out, it.left()]).toEqual([manifest('scoped'), []]);
  });

  test('only a program on PATH is started, and one that cannot start says why', async () => {
    const it = place();
    expect(await it.run(['--', 'no-such-program'])).toMatchObject({
      exitCode: 127,
      err: expect.stringContaining('E-CAP-904'),
    });
    expect(await it.run(['--', './here'])).toMatchObject({ exitCode: 126, err: expect.stringContaining('E-CAP-903') });
    mkdirSync(join(it.home, 'bin'));
    writeFileSync(join(it.home, 'bin/odd'), '#!/usr/bin/perl\nprint "x"\n', { mode: 0o755 });
    const named = manifest('scoped').replace('[bash,', '[odd, bash,');
    writeFileSync(join(it.work, 'murmur.yaml'), named);
    const { err, exitCode } = await it.run(['--manifest', 'murmur.yaml', '--', 'odd'], {
      env: { PATH: `${join(it.home, 'bin')}:/usr/bin:/bin` },
    });
    expect(err).toMatch(/E-CAP-905.*'odd' could not be started.*script.*\/usr\/bin\/perl/);
    expect([exitCode, it.left()]).toEqual([126, []]);
  });

  test('a shim of a version manager is told from the program, and a box of a manifest has the defaults of its programs', async () => {
    const it = place();
    const shims = join(it.home, 'shims');
    mkdirSync(shims);
    writeFileSync(join(shims, 'python3'), '#!/usr/bin/env bash\nexec /nowhere/pyenv\n', { mode: 0o755 });
    const env = { PATH: `${shims}:/usr/bin:/bin` };
    const words = 'shims/python3 is a shim of a version manager';
    const made = await it.run(['--', 'python3', '-V'], { env });
    expect(made.err).toContain(words);
    writeFileSync(join(shims, 'python3'), '#!/usr/bin/perl\n', { mode: 0o755 });
    writeFileSync(join(it.work, 'murmur.yaml'), manifest('scoped').replace('[bash,', '[python3, git, bash,'));
    expect((await it.run(['--manifest', 'murmur.yaml', '--', 'python3'], { env })).err).toContain(words);
    const shown = ['--manifest', 'murmur.yaml', '--', 'bash', '-c', 'echo $GIT_CONFIG_NOSYSTEM'];
    expect((await it.run(shown)).out).toBe('1\n');
  });

  test('a work folder that holds the home of mur is refused', async () => {
    const it = place();
    mkdirSync(join(it.home, '.murmur'));
    const { err, exitCode } = await it.run(['--containment', 'advisory', '--workdir', it.home, '--', 'true']);
    expect([err, exitCode]).toEqual([expect.stringContaining('E-RUN-908'), 125]);
  });

  test('SIGINT reaches the command, which may go on; SIGTERM ends it and what it left behind', async () => {
    const it = place();
    const mark = seconds();
    const script = `trap 'echo interrupted' INT; trap 'echo over; exit 3' TERM
(setsid bash -c '(exec sleep ${mark}) & echo > up; wait' >/dev/null 2>&1 &)
until [ -e up ]; do sleep 0.01; done; echo ready; while :; do sleep 0.05; done`;
    const child = it.start(['--allow', 'setsid', '--', 'bash', '-c', script]);
    const end = ended(child);
    await says(child, 'ready');
    await vi.waitUntil(() => pidsWith(mark).length === 1, { timeout: 20_000, interval: 5 });
    child.kill('SIGINT');
    await says(child, 'interrupted');
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ exitCode: 3, out: 'ready\ninterrupted\nover\n' });
    expect([pidsWith(mark), it.left()]).toEqual([[], []]);
  });

  test.each(['scoped', 'sealed'])(
    '%s: nothing lives on when mur is killed, and the next run removes its folders',
    async (floor) => {
      const it = place();
      const mark = seconds();
      const script = `(setsid sleep ${mark} &); echo ready; exec sleep ${mark}`;
      const words = ['--containment', floor, '--network', 'localhost:9', '--allow', 'setsid'];
      const child = it.start([...words, '--', 'bash', '-c', script]);
      await says(child, 'ready');
      child.kill('SIGKILL');
      await vi.waitFor(() => expect(pidsWith(mark)).toEqual([]), { timeout: 20_000 });
      await vi.waitFor(() => expect(it.left()).toHaveLength(1));
      expect((await it.run(['--', 'true'])).exitCode).toBe(0);
      expect(it.left()).toEqual([]);
    },
  );

  test('on a terminal the command has it, and cannot type into it', async () => {
    const it = place();
    const push = 'import fcntl; fcntl.ioctl(0, 0x5412, b"x")';
    const line = `test -t 0 && test -t 1 && test -t 2 && echo a terminal; python3 -c '${push}' 2>&1 | tail -1; read -r x; echo "got $x"`;
    const words = `'${process.execPath}' '${join(process.cwd(), 'dist/src/bin/mur.js')}' sandbox --allow python3 -- bash -c "$LINE"`;
    const { spawnSync } = await import('node:child_process');
    const { stdout } = spawnSync('script', ['-qec', words, '/dev/null'], {
      cwd: it.work,
      env: { PATH: '/usr/bin:/bin', HOME: it.home, LINE: line, SHELL: '/bin/bash' },
      input: 'word\n',
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/a terminal\r\n.*Operation not permitted\r\n[\s\S]*got word/);
  });
});
