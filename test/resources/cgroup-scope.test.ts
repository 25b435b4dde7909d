import { describe, expect, test } from 'vitest';
import { defaultCapabilityPolicy } from '../../src/policy/index.js';
import { openCgroupScope, sessionResources } from '../../src/resources/index.js';
import { FakeCgroups, type FakeOptions } from './fake-cgroups.js';

const resources = sessionResources(defaultCapabilityPolicy(), 'scoped');
const base = '/sys/fs/cgroup/user.slice/app.scope';

async function opened(fake: FakeCgroups, given = resources) {
  const scope = await openCgroupScope({ sessionId: 's/1', resources: given, workFolder: '/' }, fake.host);
  if ('refused' in scope) throw new Error(scope.refused);
  return scope;
}

async function refused(options: FakeOptions): Promise<string> {
  const fake = new FakeCgroups(options);
  const scope = await openCgroupScope({ sessionId: 's', resources, workFolder: '/' }, fake.host);
  if (!('refused' in scope)) throw new Error('a scope was made');
  expect([...fake.groups.keys()].filter((path) => path.includes('/murmur-s-'))).toEqual([]);
  return scope.refused;
}

describe('a scope', () => {
  test('is made beside the supervisor, with its limits, and goes away with everything in it', async () => {
    const fake = new FakeCgroups();
    const scope = await opened(fake);
    expect(scope.path).toMatch(new RegExp(`^${base}/murmur-s_1-4242-\\d+$`));
    expect(fake.own).toBe(`${base}/murmur-supervisor`);
    expect(fake.text(base, 'cgroup.subtree_control')).toBe('memory pids cpu io');
    expect(fake.text(scope.path, 'memory.max')).toBe(`${4 * 1024 ** 3}`);
    expect(fake.text(scope.path, 'memory.swap.max')).toBe('0');
    expect(fake.text(scope.path, 'pids.max')).toBe('256');
    expect(fake.text(scope.path, 'cpu.max')).toBe('200000 100000');
    expect(fake.text(scope.path, 'io.max')).toBe('8:1 rbps=104857600 wbps=104857600');
    expect(scope.ioMax).toEqual({ status: 'enforced' });
    expect(await scope.close()).toEqual({});
    expect(await scope.close()).toEqual({});
    expect(fake.writes.at(-1)).toMatch(/cgroup\.kill=1$/);
    expect(fake.groups.has(scope.path)).toBe(false);
  });

  test('shares what was prepared with the next one, under a name of its own', async () => {
    const fake = new FakeCgroups();
    const host = fake.host;
    const open = () => openCgroupScope({ sessionId: 's', resources, workFolder: '/' }, host);
    const [one, two] = await Promise.all([open(), open()]);
    if ('refused' in one || 'refused' in two) throw new Error('refused');
    expect(one.path).not.toBe(two.path);
    expect(fake.writes.filter((line) => line.includes('subtree_control'))).toHaveLength(1);
    await Promise.all([one.close(), two.close()]);
  });

  test('is looked for again after a refusal', async () => {
    const fake = new FakeCgroups({ controllers: 'cpu' });
    const host = fake.host;
    const open = () => openCgroupScope({ sessionId: 's', resources, workFolder: '/' }, host);
    expect(await open()).toHaveProperty('refused');
    fake.set(base, 'cgroup.controllers', 'cpu memory pids');
    const scope = await open();
    if ('refused' in scope) throw new Error(scope.refused);
    await scope.close();
  });

  test('counts what the kernel counts', async () => {
    const fake = new FakeCgroups();
    const scope = await opened(fake);
    expect(await scope.counters()).toEqual({ oomKill: 0, pidsMax: 0 });
    fake.set(scope.path, 'memory.events', 'oom 2\noom_kill 1\n');
    fake.set(scope.path, 'pids.events', 'max 5\n');
    expect(await scope.counters()).toEqual({ oomKill: 1, pidsMax: 5 });
    await scope.close();
  });

  test('of an unconfined session has the declared limits and no others', async () => {
    const fake = new FakeCgroups();
    const scope = await opened(fake, { cgroupPidsMax: 9, noCore: false });
    expect(fake.text(scope.path, 'pids.max')).toBe('9');
    expect(['memory.max', 'memory.swap.max', 'cpu.max', 'io.max'].map((file) => fake.text(scope.path, file))).toEqual([
      '',
      '',
      '',
      '',
    ]);
    expect(scope.ioMax.status).toBe('not-required');
    await scope.close();
  });

  test('needs no swap file', async () => {
    const scope = await opened(new FakeCgroups({ hasSwap: false }));
    await scope.close();
  });

  test('says what would not go', async () => {
    const scope = await opened(
      new FakeCgroups({ failing: { 'rmdir /sys/fs/cgroup/user.slice/app.scope/murmur-s_': 'EBUSY' } }),
    );
    expect((await scope.close()).left).toMatch(/could not be removed \(EBUSY\)/);
  });
});

describe('a scope is refused, naming what is missing, and leaves nothing', () => {
  test.each<[string, FakeOptions, RegExp]>([
    ['a host with v1 groups only', { ownGroup: '' }, /no cgroup v2 group/],
    ['no pids and memory controller', { controllers: 'cpu io' }, /controllers memory, pids$/],
    ['a tree that is not delegated', { failing: { 'murmur-probe': 'EACCES' } }, /EACCES.*not delegated/],
    [
      'controllers that cannot be handed down',
      { failing: { subtree_control: 'EACCES' } },
      /cannot hand its controllers.*EACCES/,
    ],
    ['no own group', { failing: { 'murmur-s-': 'ENOSPC' } }, /cannot be made \(ENOSPC\)/],
    ['a memory limit that is refused', { failing: { 'memory.max': 'EINVAL' } }, /^memory\.max .*EINVAL/],
    ['a process limit that is refused', { failing: { 'pids.max': 'EIO' } }, /^pids\.max .*EIO/],
    ['a processor limit that is refused', { failing: { 'cpu.max': 'EINVAL' } }, /^cpu\.max .*EINVAL/],
    ['a group nobody can join', { failing: { '-1/cgroup.procs': 'EACCES', 'murmur-s-4242': 'EACCES' } }, /EACCES/],
  ])('%s', async (_, options, reason) => {
    expect(await refused(options)).toMatch(reason);
  });
});

describe('the limit on disk traffic never refuses a scope', () => {
  test('is reported when the device takes none', async () => {
    const scope = await opened(new FakeCgroups({ failing: { 'io.max': 'ENODEV' } }));
    expect(scope.ioMax).toEqual({ status: 'unavailable', reason: 'io.max for device 8:1 of the work folder: ENODEV' });
    await scope.close();
  });

  test('is reported when there is no io controller', async () => {
    const scope = await opened(new FakeCgroups({ controllers: 'cpu memory pids' }));
    expect(scope.ioMax).toMatchObject({ status: 'unavailable', reason: expect.stringContaining('ENOENT') });
    await scope.close();
  });

  test('goes to the disk when the partition takes none', async () => {
    const fake = new FakeCgroups({ disk: '8:0' });
    const { write } = fake.files;
    Object.assign(fake.files, {
      write: async (path: string, text: string) => {
        if (text.startsWith('8:1 ')) throw Object.assign(new Error('ENODEV'), { code: 'ENODEV' });
        await write(path, text);
      },
    });
    const scope = await opened(fake);
    expect(scope.ioMax).toEqual({ status: 'enforced' });
    expect(fake.text(scope.path, 'io.max')).toMatch(/^8:0 /);
    await scope.close();
  });
});

describe('the systemd user manager', () => {
  const bus = { XDG_RUNTIME_DIR: '/run/user/1000' };

  test('is asked for a scope of our own, which is then used', async () => {
    const fake = new FakeCgroups();
    const calls: (readonly string[])[] = [];
    const host = {
      ...fake.host,
      env: bus,
      run: async (file: string, args: readonly string[]) => {
        calls.push([file, ...args]);
        const unit = args.find((each) => each.endsWith('.scope'))!;
        fake.groups.set(`/sys/fs/cgroup/${unit}`, fake.groups.get(base)!);
        fake.own = `/sys/fs/cgroup/${unit}`;
      },
    };
    const scope = await openCgroupScope({ sessionId: 's', resources, workFolder: '/' }, host);
    if ('refused' in scope) throw new Error(scope.refused);
    expect(calls).toHaveLength(1);
    expect(calls[0]!.join(' ')).toMatch(
      /^busctl --user .* StartTransientUnit ssa\(sv\)a\(sa\(sv\)\) murmur-4242-\d+\.scope fail 3 PIDs au 1 4242 Delegate b true CollectMode s inactive-or-failed 0$/,
    );
    expect(scope.path).toMatch(/^\/sys\/fs\/cgroup\/murmur-4242-\d+\.scope\/murmur-s-/);
    await scope.close();
  });

  test('that refuses, or never answers, leaves the inherited group', async () => {
    let now = 0;
    const slow = new FakeCgroups();
    const clock = {
      monotonic: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    };
    for (const host of [
      { ...new FakeCgroups().host, env: bus },
      { ...slow.host, env: bus, clock, run: async () => {} },
    ]) {
      const scope = await openCgroupScope({ sessionId: 's', resources, workFolder: '/' }, host);
      if ('refused' in scope) throw new Error(scope.refused);
      expect(scope.path.startsWith(`${base}/`)).toBe(true);
      await scope.close();
    }
    expect(now).toBe(2000);
  });
});
