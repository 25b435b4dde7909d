import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { namelessFile } from '../../src/containment/player.js';
import { assemble } from '../../src/containment/program.js';
import { isSupported } from '../../src/containment/seccomp/index.js';
import { callsOf, execute, setLimits } from '../../src/containment/steps.js';
import { writeStub } from '../../src/containment/stub.js';
import { defaultCapabilityPolicy } from '../../src/policy/index.js';
import {
  attribute,
  countProcesses,
  inheritedHardLimits,
  type ResolvedResources,
  type RlimitContext,
  rlimitsOf,
  sessionResources,
} from '../../src/resources/index.js';

const { arch } = process;
const canRun = process.platform === 'linux' && isSupported(arch);
const folder = mkdtempSync(join(tmpdir(), 'mur-rlimits-'));
afterAll(() => rmSync(folder, { recursive: true }));
// The limit on processes is tried as another user.
chmodSync(folder, 0o755);
const stub = join(folder, 'stub');
if (canRun) writeStub(stub, arch);

const defaults = sessionResources(defaultCapabilityPolicy(), 'scoped');
const context: RlimitContext = { inheritedHard: {}, hasPidsScope: false, ownUserNamespace: true, baseline: 0 };

/** What a shell does with these limits set before its exec, by the launch program commands get. */
function run(
  line: string,
  resources: Partial<ResolvedResources>,
  change: Partial<RlimitContext> & { readonly uid?: number } = {},
) {
  if (!isSupported(arch)) throw new Error(arch);
  const call = callsOf(arch);
  const limits = rlimitsOf({ ...defaults, ...resources }, { ...context, ...change });
  const program = namelessFile(
    assemble([...setLimits(call, limits), execute(call, '/bin/sh', ['sh', '-c', line], { PATH: '/usr/bin:/bin' })]),
    folder,
  );
  const { uid } = change;
  const ended = spawnSync(stub, [], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', program, 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  closeSync(program);
  const { status, signal, stdout, stderr } = ended;
  return { status, ...(signal === null ? {} : { signal }), out: `${stdout}`.trim(), err: `${stderr}`.trim() };
}

describe.runIf(canRun)('limits of a real process', () => {
  test('are what was declared', () => {
    const { out } = run('ulimit -Hn; ulimit -Sn; ulimit -c; ulimit -Hv; ulimit -Ht; ulimit -St', {
      maxOpenFiles: 99,
      memoryBytes: 512 * 1024 ** 2,
      cpuSeconds: 40,
    });
    expect(out.split('\n')).toEqual(['99', '99', '0', '524288', '41', '40']);
  });

  test('are lowered to what was inherited, never an error', async () => {
    const inheritedHard = { ...(await inheritedHardLimits()), NOFILE: 50 };
    expect(run('ulimit -Hn', { maxOpenFiles: 1024 }, { inheritedHard }).out).toBe('50');
  });

  test('processor time ends it with a signal that is attributed', () => {
    const ended = run('while :; do :; done', { cpuSeconds: 1 });
    expect(ended).toMatchObject({ signal: 'SIGXCPU' });
    expect(attribute(ended)).toBe('cpu_seconds');
  });

  test('a file that grows too large ends it with a signal that is attributed', () => {
    const ended = run('exec dd if=/dev/zero of=big bs=1024 count=100', { maxFileSizeBytes: 10_240 });
    expect(ended).toMatchObject({ signal: 'SIGXFSZ' });
    expect(attribute(ended)).toBe('max_file_size_bytes');
  });

  test('an exit status of its own is attributed to nothing', () => {
    const ended = run('exit 3', {});
    expect(ended).toMatchObject({ status: 3 });
    expect(attribute(ended, { oomKill: 0, pidsMax: 0 }, { oomKill: 0, pidsMax: 0 })).toBeUndefined();
  });

  test('too many open files are refused to it and attributed to nothing', () => {
    const ended = run('cat </dev/null', { maxOpenFiles: 5 });
    expect(ended.err).toMatch(/open|files/i);
    expect(ended.status).not.toBe(0);
    expect(attribute(ended)).toBeUndefined();
  });

  test('a limit that cannot be set keeps the process from starting', () => {
    // No user may have so many files open, root neither.
    const ended = run('echo started', { maxOpenFiles: 2 ** 40 });
    expect(ended).toMatchObject({ status: 125, out: '' });
  });

  test('a process too many is refused to it (EAGAIN) and attributed to nothing, above what the user has already', async () => {
    const uid = process.getuid!() === 0 ? 65_534 : process.getuid!();
    const change = { uid, ownUserNamespace: false, baseline: await countProcesses(uid) };
    const line = 'n=0; while [ $n -lt 12 ]; do sleep 1 & n=$((n+1)); done; wait';
    const ended = run(line, { maxProcesses: 6 }, change);
    expect(ended.err).toMatch(/fork/i);
    expect(ended.status).not.toBe(0);
    expect(attribute(ended)).toBeUndefined();
    // There was room for it: the same without the limit.
    expect(run(line, { maxProcesses: 60 }, change)).toMatchObject({ status: 0, err: '' });
  });

  test.runIf(process.getuid?.() === 0)('root is not held to it, which is why it is warned of (W-SEC-901)', () => {
    expect(run('sleep 0 & sleep 0 & wait; echo all', { maxProcesses: 1 })).toMatchObject({ status: 0, out: 'all' });
  });
});
