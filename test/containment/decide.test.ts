import { describe, expect, test } from 'vitest';
import { landlockMissing, networkBlocker, noTier, sealedBlocker } from '../../src/containment/blockers.js';
import { decide, type SealedBlockerName } from '../../src/containment/index.js';
import { type ContainmentClass, containmentClasses, strongestContainment } from '../../src/manifest/index.js';
import { asked, host, noNetwork } from './host-fixture.js';

describe('the decision', () => {
  test('has the class of the tier commands run on, and the ceiling of the host beside it', () => {
    expect(decide(host(), asked({ floor: 'scoped' }))).toEqual({
      floor: 'scoped',
      hostTier: 'sealed',
      tier: 'full',
      achieved: 'scoped',
      hostContainment: 'sealed',
      mechanism: 'landlock+seccomp',
      noInet: false,
      noexec: true,
      floorMet: true,
      networkMet: true,
      usernsGrant: 'apparmor_absent',
      landlockAbi: 7,
      chain: 'bubblewrap',
    });
  });

  test('has no mechanism for an unconfined session, whatever the host has, and claims nothing', () => {
    expect(decide(host(), asked({ floor: 'unconfined', workdirExec: true }))).toMatchObject({
      tier: 'none',
      achieved: 'unconfined',
      mechanism: 'none',
      noexec: null,
      floorMet: true,
      chain: 'plain',
      hostContainment: 'sealed',
    });
    expect(decide(host(), asked({ floor: 'unconfined' })).noTierBecause).toBeUndefined();
  });

  test.each(['workdirExec', 'runtimeInsideWorkdir'] as const)(
    '%s caps the class and leaves the mechanism in force',
    (cap) => {
      const decision = decide(host(), asked({ floor: 'scoped', [cap]: true }));
      expect(decision).toMatchObject({
        achieved: 'advisory',
        tier: 'full',
        mechanism: 'landlock+seccomp',
        floorMet: false,
      });
      expect(decide(host(), asked({ floor: 'advisory', [cap]: true }))).toMatchObject({
        achieved: 'advisory',
        floorMet: true,
      });
    },
  );

  test('work and temp folder are not both noexec when the work folder may hold programs', () => {
    expect(decide(host(), asked({ workdirExec: true })).noexec).toBe(false);
    expect(decide(host({ noexec: false }), asked()).noexec).toBe(false);
  });

  test('a host without a network namespace refuses internet sockets when nothing is allowed anyway', () => {
    expect(decide(host({ network: noNetwork }), asked({ floor: 'scoped' }))).toMatchObject({
      mechanism: 'landlock+seccomp+noinet',
      noInet: true,
      achieved: 'scoped',
      floorMet: true,
    });
  });

  test('sockets are refused there whatever is allowed and found out later, so that nothing starts with the network of the host', () => {
    for (const startsProcesses of [true, false]) {
      const decision = decide(host({ network: noNetwork }), asked({ networkAllowEmpty: false, startsProcesses }));
      expect(decision).toMatchObject({ noInet: true, networkMet: !startsProcesses });
    }
  });

  test('a host without a tier cannot refuse sockets either, and does not say so', () => {
    const poor = host({ hostTier: 'none', seccomp: false, network: noNetwork, noTierBecause: noTier('seccomp') });
    expect(decide(poor, asked())).toMatchObject({ mechanism: 'none', noInet: false, chain: 'plain', noexec: null });
    expect(decide(poor, asked()).noTierBecause).toContain('seccomp filter');
  });

  test.each<[ContainmentClass, boolean]>([
    ['unconfined', true],
    ['advisory', true],
    ['scoped', false],
    ['sealed', false],
  ])('a host with nothing meets the floor %s: %s', (floor, met) => {
    const decision = decide(host({ platform: 'darwin', hostTier: 'none', chain: 'plain' }), asked({ floor }));
    expect(decision.floorMet).toBe(met);
    expect(decision.shortfallReason === undefined).toBe(met);
  });
});

describe('the reason of a shortfall, first match', () => {
  const reason = (h: Parameters<typeof host>[0], a: Parameters<typeof asked>[0]) =>
    decide(host(h), asked(a)).shortfallReason;
  const poor = {
    hostTier: 'seccomp',
    landlockAbi: null,
    sealedBlocker: sealedBlocker('landlock_unavailable'),
  } as const;

  test('workdir_exec comes first, with both remedies', () => {
    const text = reason(poor, { floor: 'scoped', workdirExec: true, runtimeInsideWorkdir: true });
    expect(text).toMatch(
      /capabilities\.filesystem\.workdir_exec.*no host can satisfy.*remove the key.*lower the floor/,
    );
  });

  test('then the place of the runtime directory, with both paths', () => {
    const text = reason(poor, {
      floor: 'sealed',
      runtimeInsideWorkdir: true,
      folders: { work: '/home/me/project', runtime: '/home/me/project/.murmur/x' },
    });
    expect(text).toContain('/home/me/project/.murmur/x is inside /home/me/project');
  });

  test('scoped names Landlock and the Linux that has it', () => {
    expect(reason(poor, { floor: 'scoped' })).toMatch(/Landlock.*5\.13/);
  });

  test("sealed gives the probed blocker's own reason and fix", () => {
    const blocker = sealedBlocker('bubblewrap_missing');
    const text = reason({ hostTier: 'full', sealedBlocker: blocker }, { floor: 'sealed' });
    expect(text).toBe(`${blocker.reason}; ${blocker.fix}`);
  });

  test('sealed has a text even where nothing was probed', () => {
    expect(reason({ hostTier: 'full' }, { floor: 'sealed' })).toContain('not demonstrated');
  });

  test('a host without a launcher says that, for each class', () => {
    const lost = { hostTier: 'none', noTierBecause: noTier('launcher') } as const;
    expect(reason(lost, { floor: 'scoped' })).toBe(lost.noTierBecause);
    expect(reason(lost, { floor: 'sealed' })).toBe(lost.noTierBecause);
  });

  test('another system than Linux is a permanent reason', () => {
    const mac = { platform: 'darwin', hostTier: 'none', sealedBlocker: sealedBlocker('not_linux') } as const;
    expect(reason(mac, { floor: 'scoped' })).toMatch(/Landlock.*darwin.*permanently/);
    expect(reason(mac, { floor: 'sealed' })).toMatch(/mount namespace and pivot_root/);
  });
});

describe('blockers (spec/containment.md 4)', () => {
  test.each<[SealedBlockerName, readonly string[], readonly string[]]>([
    ['not_linux', ['mount namespace', 'pivot_root'], []],
    [
      'apparmor_profile_missing',
      ['AppArmor userns restriction', 'mur-sealed'],
      ['/etc/apparmor.d/mur-sealed', '644', 'apparmor_parser -r', 'kernel.apparmor_restrict_unprivileged_userns=0'],
    ],
    ['namespace_creation_denied', ['unshare(CLONE_NEWUSER | CLONE_NEWNS)'], ['--cap-add SYS_ADMIN']],
    ['id_map_denied', ['uid_map', 'gid_map'], ['user.max_user_namespaces', 'security module', 'nested']],
    ['mount_denied', ['mount(2)'], ['profile', '--cap-add SYS_ADMIN']],
    ['pivot_denied', ['pivot_root(2)'], ["'pivot_root,'", 'seccomp']],
    ['bubblewrap_missing', ['bubblewrap'], ['package']],
    ['kernel_unsupported', ['user namespaces'], ['user.max_user_namespaces=10000', 'CONFIG_USER_NS=y']],
    ['landlock_unavailable', ['Landlock', '5.13'], ['scoped']],
  ])('%s names its cause, its fix, and that there is no fallback', (name, causes, fixes) => {
    const { reason, fix } = sealedBlocker(name, 'what the probe said');
    for (const cause of causes) expect(reason).toContain(cause);
    for (const part of fixes) expect(fix).toContain(part);
    expect(reason).toContain('(what the probe said)');
    expect(reason).toContain('does not fall back to a weaker class');
    if (fixes.length === 0) expect(fix).toBe('');
  });

  test('the reasons of scoped and of no tier say so too', () => {
    for (const text of [landlockMissing().reason, noTier('launcher'), noTier('seccomp')]) {
      expect(text).toContain('does not fall back');
    }
  });

  test('the network has two, each with a fix', () => {
    expect(networkBlocker('capability_grant_missing')).toMatchObject({
      usable: false,
      fix: expect.stringContaining('--cap-add SYS_ADMIN'),
    });
    expect(networkBlocker('kernel_support_missing')).toMatchObject({
      usable: false,
      fix: expect.stringContaining('CONFIG_NET_NS=y'),
    });
  });
});

describe('the floor of a session (spec/containment.md 2.1)', () => {
  type Vote = ContainmentClass | undefined;
  test.each<[Vote, Vote, Vote, ContainmentClass]>([
    [undefined, undefined, undefined, 'advisory'],
    ['scoped', undefined, undefined, 'scoped'],
    ['scoped', 'sealed', 'advisory', 'sealed'],
    ['unconfined', undefined, undefined, 'unconfined'],
    ['unconfined', 'advisory', undefined, 'advisory'],
    ['sealed', undefined, 'unconfined', 'sealed'],
  ])('manifest %s, config %s, flag %s: %s', (manifest, config, flag, floor) => {
    expect(strongestContainment([manifest, config, flag])).toBe(floor);
    expect(strongestContainment([flag, manifest, config])).toBe(floor);
  });

  test('unconfined decides only where nobody says more', () => {
    for (const other of containmentClasses) expect(strongestContainment(['unconfined', other])).toBe(other);
  });
});
