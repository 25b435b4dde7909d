/** Every row of spec/resources.md 7 in a command of a real box: its sign, its exit status, and what it is attributed to. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandHost } from '../../../src/effects/command.js';
import { runShell } from '../../../src/effects/command-shell.js';
import { defaultCapabilityPolicy } from '../../../src/policy/index.js';
import { openCgroupScope, openSizeGuard, sessionResources } from '../../../src/resources/index.js';
import { readFence } from '../../../src/tools/index.js';
import { fullHost, type TestBox, testBox } from '../../containment/box/host.js';
import { FakeCgroups } from '../../resources/fake-cgroups.js';
import { caller, commandSession, says } from './session.js';

// Below the temporary folder of the machine, a command would not see the session.
const place = resolve('test-output', `limits-${process.pid}`);
const mebibyte = 1024 * 1024;
const policy = { shellAllow: ['bash'], shellBaselineEnv: [], shellStripEnv: [] };

let it: TestBox;
beforeAll(async () => {
  mkdirSync(place, { recursive: true });
  it = await testBox(place, ['bash', 'dd'], {
    resources: {
      noCore: true,
      cpuSeconds: 1,
      maxFileSizeBytes: 64 * 1024,
      memoryBytes: 256 * mebibyte,
      maxOpenFiles: 32,
    },
  });
});
afterAll(async () => {
  await it.close();
  rmSync(place, { recursive: true, force: true });
});

async function ran(line: string, change: Partial<Pick<CommandHost, 'counters' | 'breach' | 'box'>> = {}) {
  const folders = { temp: it.box.tempPath, runtime: it.folders.runtime };
  const session = commandSession({ box: it.box, policy, folders, ...change });
  const { result, shell, runtimeNote, runtimeError } = await runShell(session.commands, {
    ...caller,
    name: 'bash',
    data: says(line),
  });
  const text = readFence(result.data ?? '')?.text ?? '';
  return { status: result.status, exit: shell?.exitCode, limit: shell?.resourceLimit, text, runtimeNote, runtimeError };
}

const dd = 'dd if=/dev/zero of=big bs=65537 count=2';

describe.runIf(process.platform === 'linux' && fullHost.bubblewrap !== null)('a limit in a command', () => {
  test.each([
    ['cpu_seconds', 'while :; do :; done', 152, 'cpu_seconds', /./],
    ['max_file_size_bytes', dd, 153, 'max_file_size_bytes', /./],
    ['max_file_size_bytes, the signal ignored', `trap "" XFSZ; ${dd}`, 1, undefined, /File too large/],
    ['memory_bytes', 'dd if=/dev/zero of=/dev/null bs=400M count=1', 1, undefined, /memory exhausted/],
    ['max_open_files', 'while exec {a}</dev/null; do :; done; exit 9', 9, undefined, /Too many open files/],
    ['none', 'exit 3', 3, undefined, /./],
    ['none, a bare SIGKILL', 'kill -9 $$', 137, undefined, /./],
  ])('7 %s: %s', async (_, line, exit, limit, sign) => {
    const outcome = await ran(line);
    // A command that ran is a passed call, whatever ended it.
    expect(outcome).toMatchObject({ status: 'passed', exit, limit });
    expect(outcome.text).toMatch(sign);
    if (limit === undefined) expect(outcome.runtimeNote).toBeUndefined();
    else expect(outcome.runtimeNote).toContain(`capabilities.resources.${limit} was reached`);
  });

  test.each([
    ['cgroup_memory_bytes', 'memory.events', 'oom 1\noom_kill 1\n', 'kill -9 $$', 137],
    ['cgroup_pids_max', 'pids.events', 'max 4\n', 'exit 0', 0],
  ])('7 %s: by the events of the scope during the call', async (limit, file, events, line, exit) => {
    const fake = new FakeCgroups();
    const resources = sessionResources(defaultCapabilityPolicy(), 'scoped');
    const scope = await openCgroupScope({ sessionId: 's', resources, workFolder: '/' }, fake.host);
    if ('refused' in scope) throw new Error(scope.refused);
    const box: CommandHost['box'] = {
      start: async (command) => {
        const started = await it.box.start(command);
        fake.set(scope.path, file, events);
        return started;
      },
    };
    const counters = () => scope.counters();
    expect(await ran(line, { counters, box })).toMatchObject({ status: 'passed', exit, limit });
    // What happened before a call is no evidence for it.
    expect(await ran(line, { counters })).toMatchObject({ exit, limit: undefined });
    await scope.close();
  });

  test('7 workdir_max_bytes: kills nothing, refuses the next start with both numbers (E-RUN-013)', async () => {
    const guard = openSizeGuard({ folders: [it.folders.work, it.folders.temp], maxBytes: 1000, onBreach: () => {} });
    const breach = () => guard.breach();
    for (const folder of ['work', 'temp'] as const) writeFileSync(join(it.folders[folder], 'part'), 'x'.repeat(600));
    rmSync(join(it.folders.work, 'big'), { force: true });
    expect(await ran('exit 0', { breach })).toMatchObject({ status: 'passed', exit: 0 });
    await guard.look();
    const refused = await ran('exit 0', { breach });
    expect(refused).toMatchObject({ status: 'error', exit: undefined });
    expect(refused.runtimeError).toMatch(
      /holds 1200 bytes, more than capabilities.resources.workdir_max_bytes \(1000\)/,
    );
    await guard.close();
  });
});
