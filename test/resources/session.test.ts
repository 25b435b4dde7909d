import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import type { ResourcesDeclared } from '../../src/manifest/index.js';
import { resolveResources } from '../../src/policy/index.js';
import { measureSessionLimits, openSessionLimits, type SessionLimitsRequest } from '../../src/resources/index.js';
import { FakeCgroups } from './fake-cgroups.js';

function request(declared: ResourcesDeclared, change: Partial<SessionLimitsRequest> = {}): SessionLimitsRequest {
  return {
    sessionId: 's',
    platform: 'linux',
    uid: 1000,
    floor: 'scoped',
    startsProcesses: true,
    hasLauncher: true,
    policy: { resources: resolveResources(declared), declaredResources: declared },
    workFolder: '/',
    ...change,
  };
}

const rich = () => new FakeCgroups().host;
const poor = () => new FakeCgroups({ ownGroup: '' }).host;
const codes = (limits: { readonly warnings: readonly { readonly code: string }[] }) =>
  limits.warnings.map(({ code }) => code);

describe('who gets a cgroup (spec/resources.md 4.1, 5)', () => {
  test('a contained session that starts processes', async () => {
    const limits = await openSessionLimits(request({}), rich());
    expect(limits).toMatchObject({ cgroup: 'scope', maxProcessesEnforced: true, ioMax: { status: 'enforced' } });
    expect(codes(limits)).toEqual([]);
    await limits.scope!.close();
  });

  test('not one that starts none, and the host is not looked at', async () => {
    const host = {
      ...rich(),
      get files(): never {
        throw new Error('looked at');
      },
    };
    const limits = await openSessionLimits(request({}, { startsProcesses: false }), host);
    expect(limits).toMatchObject({ cgroup: 'not-wanted', ioMax: { status: 'not-required' } });
    expect(codes(limits)).toEqual([]);
  });

  test('not an unconfined one, unless it declares a cgroup limit', async () => {
    const without = await openSessionLimits(request({ cpuSeconds: 3 }, { floor: 'unconfined' }), rich());
    expect(without).toMatchObject({ cgroup: 'not-wanted', maxProcessesEnforced: false, warnings: [] });
    const declared = await openSessionLimits(request({ cgroupPidsMax: 3 }, { floor: 'unconfined' }), rich());
    expect(declared).toMatchObject({ cgroup: 'scope', maxProcessesEnforced: true });
    await declared.scope!.close();
  });

  test('not on another system, which is said', async () => {
    const limits = await openSessionLimits(
      request({ cgroupPidsMax: 3 }, { platform: 'darwin', hasLauncher: false }),
      rich(),
    );
    expect(limits).toMatchObject({ cgroup: 'none', maxProcessesEnforced: false, ioMax: { status: 'not-required' } });
    expect(codes(limits)).toEqual(['W-SEC-010']);
  });
});

describe('a host that has none to give', () => {
  test('is a warning with the reason when no cgroup limit is declared', async () => {
    const limits = await openSessionLimits(request({ cpuSeconds: 3 }), poor());
    expect(limits).toMatchObject({
      cgroup: 'none',
      maxProcessesEnforced: true,
      ioMax: { status: 'unavailable', reason: expect.stringContaining('no cgroup v2 group') },
    });
    expect(limits.warnings).toEqual([
      { code: 'W-SEC-010', message: expect.stringContaining('no cgroup v2 group for mur') },
    ]);
  });

  test.each([
    ['cgroup_memory_bytes', { cgroupMemoryBytes: 1 }],
    ['cgroup_pids_max', { cgroupPidsMax: 1 }],
    ['cgroup_cpu_percent', { cgroupCpuPercent: 1 }],
    ['cgroup_io_bytes_per_sec', { cgroupIoBytesPerSec: 1 }],
  ])('refuses a session that declares %s, contained or not', async (key, declared) => {
    for (const floor of ['advisory', 'unconfined'] as const) {
      const error = await openSessionLimits(request(declared, { floor }), poor()).catch((reason: unknown) => reason);
      if (!isMurError(error)) throw new Error('not refused');
      expect(error).toMatchObject({ code: 'E-RUN-012', message: expect.stringContaining(`resources.${key} cannot`) });
      expect(error.message).toContain('no cgroup v2 group');
      expect(error.hint).toContain('Delegate=yes');
    }
  });

  test('names every declared limit in one refusal', async () => {
    const declared = { cgroupPidsMax: 1, cgroupMemoryBytes: 1 };
    await expect(openSessionLimits(request(declared), poor())).rejects.toThrow('cgroup_memory_bytes, cgroup_pids_max');
  });
});

describe('root (spec/containment.md W-SEC-901)', () => {
  test('is not held to max_processes without a scope, which is said', async () => {
    const limits = await openSessionLimits(request({}, { uid: 0 }), poor());
    expect(limits.maxProcessesEnforced).toBe(false);
    expect(codes(limits)).toEqual(['W-SEC-010', 'W-SEC-901']);
  });

  test('is held to it by a scope', async () => {
    const limits = await openSessionLimits(request({}, { uid: 0 }), rich());
    expect(limits.maxProcessesEnforced).toBe(true);
    expect(codes(limits)).toEqual([]);
    await limits.scope!.close();
  });

  test('is told nothing when it starts no process, or asked for no containment', async () => {
    expect(codes(await openSessionLimits(request({}, { uid: 0, startsProcesses: false }), poor()))).toEqual([]);
    expect(codes(await openSessionLimits(request({}, { uid: 0, floor: 'unconfined' }), poor()))).toEqual([]);
  });
});

describe('disk traffic', () => {
  const noIo = () => new FakeCgroups({ controllers: 'cpu memory pids' }).host;
  test('is warned about when it was declared and is not bounded', async () => {
    const limits = await openSessionLimits(request({ cgroupIoBytesPerSec: 5 }), noIo());
    expect(codes(limits)).toEqual(['W-SEC-021']);
    await limits.scope!.close();
  });

  test('is only reported when it was not', async () => {
    const limits = await openSessionLimits(request({}), noIo());
    expect(limits.ioMax.status).toBe('unavailable');
    expect(codes(limits)).toEqual([]);
    await limits.scope!.close();
  });
});

describe('a report (spec/resources.md 4.4)', () => {
  test('measures with a scope of its own, and leaves none', async () => {
    const fake = new FakeCgroups();
    const limits = await measureSessionLimits(request({}), fake.host);
    expect(limits).toMatchObject({
      cgroup: 'scope',
      maxProcessesEnforced: true,
      ioMax: { status: 'enforced' },
      because: {},
    });
    expect(limits).not.toHaveProperty('scope');
    expect([...fake.groups.keys()].filter((path) => path.includes('/murmur-s-'))).toEqual([]);
  });

  test('tells of what would refuse a launch instead of refusing', async () => {
    const limits = await measureSessionLimits(request({ cgroupPidsMax: 3 }, { uid: 0 }), poor());
    expect(limits).toMatchObject({
      cgroup: 'none',
      because: {
        scope: expect.stringContaining('no cgroup v2 group'),
        maxProcesses: expect.stringContaining('exempts root'),
      },
    });
  });

  test('says that nothing sets limits where there is no launcher', async () => {
    const { because } = await measureSessionLimits(request({}, { hasLauncher: false }), rich());
    expect(because.rlimits).toContain('nothing on this host sets limits');
  });
});
