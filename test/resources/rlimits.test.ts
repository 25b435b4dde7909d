import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultCapabilityPolicy, resolveResources } from '../../src/policy/index.js';
import {
  attribute,
  countProcesses,
  inheritedHardLimits,
  type RlimitContext,
  rlimitsOf,
  sessionResources,
} from '../../src/resources/index.js';
import { parseHardLimits } from '../../src/resources/rlimits.js';

const plain: RlimitContext = { inheritedHard: {}, hasPidsScope: false, ownUserNamespace: true, baseline: 0 };
const defaults = sessionResources(defaultCapabilityPolicy(), 'scoped');

describe('which limits apply (spec/resources.md 3, 5)', () => {
  test.each([
    ['maxProcesses', 128],
    ['maxOpenFiles', 1024],
    ['maxFileSizeBytes', 4_294_967_296],
    ['cpuSeconds', 3600],
    ['memoryBytes', 2_147_483_648],
    ['cgroupMemoryBytes', 4_294_967_296],
    ['cgroupPidsMax', 256],
    ['cgroupCpuPercent', 200],
    ['cgroupIoBytesPerSec', 104_857_600],
    ['workdirMaxBytes', 10_737_418_240],
  ] as const)('%s is %i unless it is written', (field, value) => {
    expect(resolveResources({})[field]).toBe(value);
    expect(resolveResources({ [field]: 7 })).toEqual({ ...resolveResources(), [field]: 7 });
  });

  test.each(['advisory', 'scoped', 'sealed'] as const)('all of them under %s', (floor) => {
    const policy = { resources: resolveResources({ cpuSeconds: 9 }), declaredResources: { cpuSeconds: 9 } };
    expect(sessionResources(policy, floor)).toEqual({ ...policy.resources, noCore: true });
  });

  test('the written ones and nothing else when unconfined', () => {
    const policy = { resources: resolveResources({ cpuSeconds: 9 }), declaredResources: { cpuSeconds: 9 } };
    const resources = sessionResources(policy, 'unconfined');
    expect(resources).toEqual({ cpuSeconds: 9, noCore: false });
    expect(rlimitsOf(resources, plain)).toEqual([{ name: 'CPU', soft: 9, hard: 10 }]);
  });
});

describe('the list for prlimit64', () => {
  test('has its order, soft = hard, and a second more of processor time before SIGKILL', () => {
    expect(rlimitsOf(defaults, plain)).toEqual([
      { name: 'CORE', soft: 0, hard: 0 },
      { name: 'NPROC', soft: 128, hard: 128 },
      { name: 'NOFILE', soft: 1024, hard: 1024 },
      { name: 'FSIZE', soft: 4_294_967_296, hard: 4_294_967_296 },
      { name: 'CPU', soft: 3600, hard: 3601 },
      { name: 'AS', soft: 2_147_483_648, hard: 2_147_483_648 },
    ]);
  });

  test('leaves NPROC out where a scope counts processes', () => {
    expect(rlimitsOf(defaults, { ...plain, hasPidsScope: true }).map(({ name }) => name)).not.toContain('NPROC');
  });

  test('adds what the uid has already where that counts', () => {
    const nproc = (context: Partial<RlimitContext>) =>
      rlimitsOf(defaults, { ...plain, baseline: 300, ...context }).find(({ name }) => name === 'NPROC')?.hard;
    expect(nproc({ ownUserNamespace: true })).toBe(128);
    expect(nproc({ ownUserNamespace: false })).toBe(428);
  });

  test('never asks for more than was inherited, and keeps SIGXCPU before SIGKILL', () => {
    const inheritedHard = { NOFILE: 256, CPU: 10 };
    const limits = rlimitsOf(defaults, { ...plain, inheritedHard });
    expect(limits).toContainEqual({ name: 'NOFILE', soft: 256, hard: 256 });
    expect(limits).toContainEqual({ name: 'CPU', soft: 9, hard: 10 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (inherited, cpuSeconds) => {
        const [cpu] = rlimitsOf({ cpuSeconds, noCore: false }, { ...plain, inheritedHard: { CPU: inherited } });
        expect(cpu!.hard).toBeLessThanOrEqual(inherited);
        expect(cpu!.soft).toBeLessThan(cpu!.hard);
        expect(cpu!.soft).toBeLessThanOrEqual(cpuSeconds);
      }),
    );
  });
});

describe('what this machine says', () => {
  test('hard limits are read, unlimited ones are none', () => {
    const text = [
      'Limit                     Soft Limit           Hard Limit           Units     ',
      'Max cpu time              unlimited            unlimited            seconds   ',
      'Max open files            1024                 4096                 files     ',
      'Max processes             unlimited            63000                processes ',
    ].join('\n');
    expect(parseHardLimits(text)).toEqual({ NOFILE: 4096, NPROC: 63000 });
    expect(parseHardLimits('')).toEqual({});
  });

  test.runIf(process.platform === 'linux')(
    'the open files of this process have one, as the kernel lists it',
    async () => {
      const line = readFileSync('/proc/self/limits', 'latin1')
        .split('\n')
        .find((each) => each.startsWith('Max open files'));
      expect((await inheritedHardLimits()).NOFILE).toBe(Number(line!.trim().split(/\s{2,}/)[2]));
    },
  );

  test.runIf(process.platform === 'linux')('the threads of this uid are at least those of this process', async () => {
    expect(await countProcesses(process.geteuid!())).toBeGreaterThan(1);
    expect(await countProcesses(4_000_000_000)).toBe(0);
    expect(await countProcesses(0, '/nowhere')).toBe(0);
  });
});

describe('the limit that ended a command (spec/shell.md 9)', () => {
  const none = { oomKill: 1, pidsMax: 1 };
  test.each([
    [{ signal: 'SIGXCPU' }, none, { oomKill: 2, pidsMax: 2 }, 'cpu_seconds'],
    [{ signal: 'SIGXFSZ' }, none, { oomKill: 2, pidsMax: 2 }, 'max_file_size_bytes'],
    [{ signal: 'SIGKILL' }, none, { oomKill: 2, pidsMax: 2 }, 'cgroup_memory_bytes'],
    [{}, none, { oomKill: 1, pidsMax: 3 }, 'cgroup_pids_max'],
    [{ signal: 'SIGKILL' }, none, none, undefined],
    [{}, none, none, undefined],
    [{ signal: 'SIGXCPU' }, undefined, undefined, 'cpu_seconds'],
    [{ signal: 'SIGKILL' }, undefined, undefined, undefined],
    [{}, none, undefined, undefined],
  ] as const)('%j, %j then %j: %s', (ended, before, after, limit) => {
    expect(attribute(ended, before, after)).toBe(limit);
  });
});
