import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkContainment, decide, type HostReport, probeHost } from '../../src/containment/index.js';
import { sealedBlockerOf } from '../../src/containment/probe/namespaces.js';
import { usernsGrant } from '../../src/containment/probe/userns-grant.js';
import { isMurError } from '../../src/errors/index.js';
import type { ContainmentClass } from '../../src/manifest/index.js';
import { cloneOfNamespaces, without } from './poor-host.js';

const [EPERM, EINVAL, ENOSYS] = [1, 22, 38];
const folder = mkdtempSync(join(tmpdir(), 'mur-tools-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a launch on this host does with a floor: what it runs as, or the code it refuses with. */
function launch(host: HostReport, floor: ContainmentClass, networkAllow: readonly string[] = []): string {
  const asked = { floor, workdirExec: false, runtimeInsideWorkdir: false, startsProcesses: true };
  const decision = decide(host, { ...asked, networkAllowEmpty: networkAllow.length === 0 });
  const policy = { shellStagedRuntime: [] };
  try {
    checkContainment({ host, decision, policy });
  } catch (error) {
    if (!isMurError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return `${decision.achieved} by ${decision.mechanism} through ${decision.chain}`;
}

const strengthOf = (host: HostReport, name: string) => host.mechanisms.find((each) => each.name === name)?.strength;

const isLinux = process.platform === 'linux';
const rich = isLinux ? await probeHost() : undefined;
const isRich = rich?.hostTier === 'sealed' && rich.network.usable;
const canBePoor = isRich && existsSync('/usr/bin/perl');
const note = canBePoor ? '' : ' (skipped: this host is poor itself, or has no perl)';

describe.runIf(isLinux)('the probe of this host', () => {
  test('agrees with what the kernel lists', () => {
    const lsm = existsSync('/sys/kernel/security/lsm') ? readFileSync('/sys/kernel/security/lsm', 'utf8') : undefined;
    if (lsm !== undefined) expect(rich!.landlockAbi !== null).toBe(lsm.split(',').includes('landlock'));
    expect(rich).toMatchObject({ platform: 'linux', uid: process.geteuid!() });
  });

  test('is taken once, and again when asked to', async () => {
    expect(await probeHost()).toBe(rich);
    const again = await probeHost({ fresh: true });
    expect(again).not.toBe(rich);
    expect(await probeHost()).toBe(again);
    expect({ ...again, probedInMs: 0 }).toEqual({ ...rich, probedInMs: 0 });
  });

  test('leaves nothing behind and restricts nothing of this process', async () => {
    const before = readdirSync('/proc/self/fd').length;
    // A place of its own: others probe in the shared one meanwhile.
    const place = mkdtempSync(join(folder, 'place-'));
    await probeHost({ fresh: true, stubFolders: [place] });
    expect(readdirSync(place)).toEqual([]);
    expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 1);
    expect(readFileSync('/proc/self/status', 'utf8')).toMatch(/NoNewPrivs:\t0[\s\S]*Seccomp:\t0/);
  });

  test('names every mechanism, with a fix for each that is missing and can be had', () => {
    expect(rich!.mechanisms.map(({ name }) => name)).toEqual(
      'launcher,landlock,seccomp,user namespaces,network namespace,bubblewrap,private /proc,noexec,close_range,cgroup,pidfd,root runtime,dumpable'.split(
        ',',
      ),
    );
    for (const { detail } of rich!.mechanisms) expect(detail).not.toBe('');
  });

  test.runIf(isRich)('takes every class here', () => {
    expect(launch(rich!, 'sealed', ['api.example'])).toBe(
      'sealed by mountns+pivot_root+landlock+seccomp through bubblewrap',
    );
    expect(launch(rich!, 'scoped', ['api.example'])).toBe('scoped by landlock+seccomp through bubblewrap');
    expect(launch(rich!, 'unconfined')).toBe('unconfined by none through plain');
  });
});

describe.runIf(canBePoor)(`poor hosts launch or refuse as the tier table says${note}`, () => {
  test('the wrapper takes calls away and nothing else', () => {
    const [file, ...args] = without({ sethostname: EPERM });
    expect(spawnSync(file!, [...args, '/bin/echo', 'hello']).stdout.toString()).toBe('hello\n');
  });

  test('no Landlock: nothing above advisory, and its name is said', async () => {
    const host = await probeHost({ wrapper: without({ landlock_create_ruleset: ENOSYS }) });
    expect(host).toMatchObject({
      hostTier: 'seccomp',
      landlockAbi: null,
      chain: 'bubblewrap',
      network: { usable: true },
    });
    expect(host.sealedBlocker).toMatchObject({
      name: 'landlock_unavailable',
      reason: expect.stringContaining('ENOSYS'),
    });
    expect(strengthOf(host, 'landlock')).toBe('none');
    expect(launch(host, 'advisory', ['api.example'])).toBe('advisory by seccomp-only through bubblewrap');
    expect(launch(host, 'scoped')).toMatch(/^E-CAP-003: .*Landlock.*5\.13/);
    expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*Landlock.*landlock_create_ruleset: ENOSYS/);
  });

  test('Landlock that takes no domain: the same, whatever its version says', async () => {
    const host = await probeHost({ wrapper: without({ landlock_restrict_self: EPERM }) });
    expect(host).toMatchObject({ hostTier: 'seccomp', landlockAbi: null });
    expect(host.sealedBlocker?.reason).toContain('landlock_restrict_self: EPERM');
  });

  test('no bubblewrap: scoped through unshare, sealed refused with the package to install', async () => {
    for (const tool of ['unshare', 'nsenter']) symlinkSync(rich![tool as 'unshare']!, join(folder, tool));
    const host = await probeHost({ toolFolders: [folder] });
    expect(host).toMatchObject({
      hostTier: 'full',
      bubblewrap: null,
      chain: 'unshare',
      noexec: true,
      privateProc: true,
    });
    expect(host.sealedBlocker?.name).toBe('bubblewrap_missing');
    expect(launch(host, 'scoped', ['api.example'])).toBe('scoped by landlock+seccomp through unshare');
    expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*bubblewrap.*not installed.*apt-get install bubblewrap/);
  });

  test('no tool at all: scoped by the stub alone, without sockets', async () => {
    const host = await probeHost({ toolFolders: [] });
    expect(host).toMatchObject({ hostTier: 'full', chain: 'stub', noexec: false, privateProc: false });
    expect(host.network).toMatchObject({ usable: false, reason: expect.stringContaining('util-linux') });
    expect(launch(host, 'scoped')).toBe('scoped by landlock+seccomp+noinet through stub');
    expect(launch(host, 'scoped', ['api.example'])).toMatch(/^E-CAP-005: .*util-linux/);
  });

  test.each([
    ['EPERM', { unshare: EPERM, mount: EPERM, clone: cloneOfNamespaces }, 'capability_grant_missing'],
    ['ENOSYS', { unshare: ENOSYS, mount: EPERM, clone: cloneOfNamespaces }, 'kernel_support_missing'],
  ] as const)(
    'no namespaces (%s), as in a default container: scoped without sockets, or E-CAP-005',
    async (_, calls, blocker) => {
      const host = await probeHost({ wrapper: without(calls) });
      expect(host).toMatchObject({
        hostTier: 'full',
        chain: 'stub',
        noexec: false,
        privateProc: false,
        landlockAbi: rich!.landlockAbi,
      });
      expect(host.network).toMatchObject({ usable: false, blocker });
      expect(host.sealedBlocker).toMatchObject({
        name: 'namespace_creation_denied',
        fix: expect.stringContaining('--cap-add SYS_ADMIN'),
      });
      expect(launch(host, 'scoped')).toBe('scoped by landlock+seccomp+noinet through stub');
      expect(launch(host, 'scoped', ['api.example'])).toMatch(/^E-CAP-005: .*unshare/);
      expect(launch(host, 'unconfined', ['api.example'])).toBe('unconfined by none through plain');
      expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*CLONE_NEWUSER/);
      expect(strengthOf(host, 'user namespaces')).toBe('none');
    },
  );

  test('mounts refused inside a namespace: named as such', async () => {
    const host = await probeHost({ wrapper: without({ mount: EPERM }) });
    expect(host.sealedBlocker?.name).toBe('mount_denied');
    expect(host).toMatchObject({ chain: 'stub', network: { usable: true } });
    expect(launch(host, 'scoped', ['api.example'])).toBe('scoped by landlock+seccomp through stub');
  });

  test('a change of root refused: named as such', async () => {
    const host = await probeHost({ wrapper: without({ pivot_root: EPERM }) });
    expect(host.sealedBlocker?.name).toBe('pivot_denied');
    expect(host.chain).toBe('unshare');
    expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*pivot_root\(2\)/);
  });

  test('mounts that cannot be narrowed: sealed, and the gap is said', async () => {
    const host = await probeHost({ wrapper: without({ mount_setattr: ENOSYS }) });
    expect(host).toMatchObject({ hostTier: 'sealed', noexec: false });
    expect(strengthOf(host, 'noexec')).toBe('none');
    expect(
      decide(host, {
        floor: 'sealed',
        workdirExec: false,
        runtimeInsideWorkdir: false,
        networkAllowEmpty: true,
        startsProcesses: true,
      }),
    ).toMatchObject({ noexec: false, floorMet: true });
  });

  test('no seccomp: no tier, said, and no sockets to be refused either', async () => {
    const host = await probeHost({ wrapper: without({ seccomp: EINVAL }) });
    expect(host).toMatchObject({ hostTier: 'none', seccomp: false, noTierBecause: expect.stringContaining('EINVAL') });
    expect(launch(host, 'advisory')).toBe('advisory by none through plain');
    expect(launch(host, 'advisory', ['api.example'])).toMatch(/^E-CAP-005: .*seccomp filter/);
    expect(launch(host, 'scoped')).toMatch(/^E-CAP-003: .*seccomp filter/);
    expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*seccomp filter/);
  });

  test('no launcher: no tier, said, and commands with a network refused', async () => {
    const host = await probeHost({ players: [] });
    expect(host).toMatchObject({ hostTier: 'none', launcher: null, network: { usable: false } });
    expect(launch(host, 'advisory')).toBe('advisory by none through plain');
    expect(launch(host, 'scoped')).toMatch(/^E-CAP-003: .*launch program/);
    expect(launch(host, 'advisory', ['api.example'])).toMatch(/^E-CAP-005/);
  });

  test('a temporary folder where nothing can be executed: the next folder', async () => {
    const host = await probeHost({ stubFolders: ['/proc', tmpdir()] });
    expect(host).toMatchObject({ launcher: 'stub', stubFolder: tmpdir() });
  });

  test('no close_range: told before the first command fails for it', async () => {
    const host = await probeHost({ wrapper: without({ close_range: ENOSYS }) });
    expect(host.hostTier).toBe('sealed');
    expect(host.mechanisms.find(({ name }) => name === 'close_range')).toMatchObject({
      strength: 'none',
      detail: expect.stringMatching(/ENOSYS.*no command/),
      fix: expect.stringContaining('5.11'),
    });
  });
});

describe.runIf(isRich)('the same host', () => {
  const facts = ({ probedInMs: _, mechanisms: __, ...rest }: HostReport) => rest;

  test('has the same mechanisms by the koffi player', async () => {
    const host = await probeHost({ players: ['koffi'] });
    expect(facts(host)).toEqual({ ...facts(rich!), launcher: 'koffi', stubFolder: null });
    expect(strengthOf(host, 'launcher')).toBe('partial');
  });

  const compiled = resolve(import.meta.dirname, '../../dist/src/containment/index.js');
  const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  const canBeNobody = process.geteuid!() === 0 && spawnSync('setpriv', [...asNobody, 'cat', compiled]).status === 0;

  test.runIf(canBeNobody)('has the same mechanisms for an unprivileged user', () => {
    const program = `const { probeHost } = await import(${JSON.stringify(compiled)}); console.log(JSON.stringify(await probeHost()))`;
    const env = { PATH: process.env.PATH, HOME: '/nowhere' };
    const command = [process.execPath, '--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync('setpriv', [...asNobody, ...command], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(facts(JSON.parse(stdout) as HostReport)).toEqual({ ...facts(rich!), uid: 65534 });
  });
});

describe('hosts of another kind', () => {
  test('that are not Linux have nothing, by report and not by an error', async () => {
    const host = await probeHost({ platform: 'darwin' });
    expect(host).toMatchObject({
      hostTier: 'none',
      launcher: null,
      usernsGrant: null,
      sealedBlocker: { name: 'not_linux' },
    });
    expect(host.mechanisms).toEqual([
      { name: 'kernel sandbox', strength: 'none', detail: expect.stringContaining('darwin') },
    ]);
    expect(launch(host, 'advisory', ['api.example'])).toBe('advisory by none through plain');
    expect(launch(host, 'scoped')).toMatch(/^E-CAP-003: .*Linux only.*permanently/);
    expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*pivot_root/);
  });

  test.runIf(isLinux)('that have another processor have no launcher, and say which', async () => {
    const host = await probeHost({ arch: 'riscv64' });
    expect(host).toMatchObject({ hostTier: 'none', noTierBecause: expect.stringContaining('riscv64') });
  });

  test.runIf(isRich)('whose AppArmor withholds user namespaces are full, and name the profile', async () => {
    const readText = (path: string) => (path.startsWith('/proc/self/attr') ? 'unconfined\n' : 'Y\n');
    const host = await probeHost({ readText });
    expect(host).toMatchObject({
      hostTier: 'full',
      usernsGrant: 'withheld',
      sealedBlocker: { name: 'apparmor_profile_missing' },
    });
    expect(launch(host, 'sealed')).toMatch(/^E-CAP-003: .*mur-sealed.*apparmor_parser/);
  });
});

describe('what AppArmor says (spec/containment.md 3.4)', () => {
  const module = '/sys/module/apparmor/parameters/';
  const sysctl = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';
  const current = '/proc/self/attr/current';
  test.each([
    [{}, 'apparmor_absent'],
    [{ [`${module}enabled`]: 'N\n' }, 'apparmor_absent'],
    [{ [`${module}enabled`]: 'Y\n' }, 'restriction_disabled_host_wide'],
    [{ [`${module}enabled`]: '1\n', [sysctl]: '0\n' }, 'restriction_disabled_host_wide'],
    [
      { [`${module}enabled`]: 'Y\n', [`${module}restrict_unprivileged_userns`]: 'N\n', [sysctl]: '1\n' },
      'restriction_disabled_host_wide',
    ],
    [{ [`${module}enabled`]: 'Y\n', [sysctl]: '1\n' }, 'withheld'],
    [{ [`${module}enabled`]: 'Y\n', [sysctl]: '1\n', [current]: 'unconfined\n' }, 'withheld'],
    [{ [`${module}enabled`]: 'Y\n', [sysctl]: '1\n', [current]: 'mur-sealed (enforce)\n' }, 'profile_confining'],
  ])('%j: %s', (files: Record<string, string>, grant) => {
    expect(usernsGrant('linux', (path) => files[path])).toBe(grant);
  });

  test('nothing where there is no Linux', () => {
    expect(usernsGrant('darwin')).toBeNull();
  });
});

describe('the stage a chain failed at', () => {
  test.each([
    [
      'bwrap: No permissions to creating new namespace, likely because the kernel does not allow non-privileged user namespaces.',
      'namespace_creation_denied',
    ],
    ['bwrap: Creating new namespace failed: Operation not permitted', 'namespace_creation_denied'],
    [
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      'kernel_unsupported',
    ],
    [
      'bwrap: Creating new namespace failed, likely because the kernel does not support user namespaces.',
      'kernel_unsupported',
    ],
    ['bwrap: setting up uid map: Permission denied', 'id_map_denied'],
    ['bwrap: error writing to setgroups: Permission denied', 'id_map_denied'],
    ['bwrap: Failed to make / slave: Permission denied', 'mount_denied'],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'mount_denied'],
    ['bwrap: pivot_root: Operation not permitted', 'pivot_denied'],
    ['unshare: unshare failed: Operation not permitted', 'namespace_creation_denied'],
    ['unshare: write failed /proc/self/uid_map: Operation not permitted', 'id_map_denied'],
    ['', 'kernel_unsupported'],
  ] as const)('%j: %s', (said, blocker) => {
    expect(sealedBlockerOf({ report: { kind: 'not started' }, said })).toBe(blocker);
  });

  test('a step of the launch program was a mount', () => {
    const report = { kind: 'failed', step: 'mount of /x', errno: 1, buildsRoot: true } as const;
    expect(sealedBlockerOf({ report, said: '' })).toBe('mount_denied');
  });
});
