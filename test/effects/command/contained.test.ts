import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runNative } from '../../../src/effects/command-native.js';
import { runShell } from '../../../src/effects/command-shell.js';
import { readFence } from '../../../src/tools/index.js';
import { closureOf, decisionFor, fullHost, testBox } from '../../containment/box/host.js';
import { caller, commandSession, says } from './session.js';

const names = ['bash', 'cat', 'sleep', 'touch', 'env'];
const policy = { shellAllow: names, shellBaselineEnv: [], shellStripEnv: [] };

/** The commands of a session in the real box. */
async function contained(floor: 'scoped' | 'sealed', graceMs?: number) {
  // Below the temporary folder of the machine, a command would not see the session.
  const made = mkdtempSync('/var/tmp/contained-');
  const { box, folders } = await testBox(made, names, { decision: decisionFor(fullHost, { floor }) });
  const root = realpathSync(dirname(folders.work));
  const session = commandSession({
    root,
    box,
    policy,
    folders: { temp: box.tempPath, runtime: folders.runtime },
    ...(graceMs === undefined ? {} : { graceMs }),
  });
  onTestFinished(async () => {
    await session.commands.sweep();
    await box.close();
    rmSync(made, { recursive: true, force: true });
  });
  return { ...session, folders };
}

describe.runIf(process.platform === 'linux' && fullHost.bubblewrap !== null)('commands in the real box', () => {
  test.each(['scoped', 'sealed'] as const)('%s: a pipeline with its own home and temporary folder', async (floor) => {
    const session = await contained(floor);
    const line = 'echo a > "$HOME/h"; echo b > "$TMPDIR/t"; cat "$HOME/h" "$TMPDIR/t" | cat; cat /etc/shadow; exit 5';
    const { result, shell } = await runShell(session.commands, { ...caller, name: 'bash', data: says(line) });
    expect(readFence(result.data!)?.text).toMatch(/Exit code: 5\nStdout:\na\nb\n\nStderr:\n.*\/etc\/shadow/);
    expect(shell).toMatchObject({ exitCode: 5, binary: realpathSync('/bin/bash') });
    expect(readFileSync(join(session.folders.home, 'h'), 'utf8')).toBe('a\n');
  });

  test('a log of long output is at a path that a command can open', async () => {
    const session = await contained('sealed');
    const line = 'printf "%020000d" 7';
    const { result } = await runShell(session.commands, { ...caller, name: 'bash', data: says(line) });
    const path = Object.fromEntries(result.metadata).full_output_path!;
    const read = await runShell(session.commands, {
      ...caller,
      name: 'bash',
      data: says(`cat ${path} | { read -r a; echo "$a"; }`),
    });
    expect(readFence(read.result.data!)?.text).toContain('Command: bash -c printf');
  });

  test.each(['scoped', 'sealed'] as const)('%s: one in the background ends with its session', async (floor) => {
    const session = await contained(floor, 0);
    const line = 'trap "" TERM; (sleep 300 & touch up; wait); sleep 300';
    const { detached } = await runShell(session.commands, { ...caller, name: 'bash', data: says(line) });
    await vi.waitFor(() => expect(existsSync(join(session.work, 'up'))).toBe(true), { timeout: 20_000 });
    expect((await session.commands.sweep()).map(({ workId }) => workId)).toEqual([detached!.workId]);
    expect(session.lines('shell_abandoned')).toMatchObject([{ work_id: detached!.workId }]);
  });

  test.each(['scoped', 'sealed'] as const)(
    '%s: a native tool may execute itself, and commands may not',
    async (floor) => {
      const session = await contained(floor);
      const image = join(session.folders.runtime, 'tools/probe/probe');
      mkdirSync(dirname(image), { recursive: true });
      copyFileSync('/bin/cat', image);
      chmodSync(image, 0o755);
      const own = closureOf(['cat']);
      const executables = { ...own, executable: [image, ...own.executable] };
      const call = { ...caller, name: 'probe', data: 'hello', image, extra: { executables } };
      const answer = await runNative(session.commands, call);
      expect(readFence(answer.result.data!)?.text).toBe('hello');
      const direct = await runShell(session.commands, {
        ...caller,
        name: 'bash',
        data: says(`${image} < /dev/null; echo $?`),
      });
      expect(readFence(direct.result.data!)?.text).toMatch(/Stdout:\n126\n/);
    },
  );
});
