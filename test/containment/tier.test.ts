import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appliedTier, classOf, hostTierOf, type Tier, wireName } from '../../src/containment/index.js';
import { type ContainmentClass, containmentClasses } from '../../src/manifest/index.js';

const all = {
  isLinux: true,
  hasLauncher: true,
  seccomp: true,
  landlock: true,
  usernsPermitted: true,
  bubblewrap: true,
};
const tiers: readonly Tier[] = ['none', 'seccomp', 'full', 'sealed'];

describe('the tier of a host (spec/containment.md 3.2)', () => {
  test.each<[string, Partial<typeof all>, Tier]>([
    ['not Linux', { isLinux: false }, 'none'],
    ['Landlock not enforced', { landlock: false }, 'seccomp'],
    [
      'Landlock not enforced, nothing else either',
      { landlock: false, usernsPermitted: false, bubblewrap: false },
      'seccomp',
    ],
    ['user namespaces withheld by AppArmor', { usernsPermitted: false }, 'full'],
    ['withheld, and the namespace probe failed', { usernsPermitted: false, bubblewrap: false }, 'full'],
    ['namespace probe failed, or no bubblewrap', { bubblewrap: false }, 'full'],
    ['everything', {}, 'sealed'],
    ['no launcher', { hasLauncher: false }, 'none'],
    ['no filter', { seccomp: false }, 'none'],
  ])('%s', (_, change, tier) => {
    expect(hostTierOf({ ...all, ...change })).toBe(tier);
  });

  test('losing a mechanism never raises it', () => {
    const facts = fc.record({
      isLinux: fc.boolean(),
      hasLauncher: fc.boolean(),
      seccomp: fc.boolean(),
      landlock: fc.boolean(),
      usernsPermitted: fc.boolean(),
      bubblewrap: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, fc.constantFrom(...(Object.keys(all) as (keyof typeof all)[])), (have, lost) => {
        const poorer = tiers.indexOf(hostTierOf({ ...have, [lost]: false }));
        expect(poorer).toBeLessThanOrEqual(tiers.indexOf(hostTierOf(have)));
      }),
    );
  });
});

describe('the tier commands run on and its class (spec/containment.md 3.3)', () => {
  test.each<[Tier, ContainmentClass, Tier, ContainmentClass]>([
    ['sealed', 'sealed', 'sealed', 'sealed'],
    ['sealed', 'advisory', 'full', 'scoped'],
    ['sealed', 'scoped', 'full', 'scoped'],
    ['full', 'advisory', 'full', 'scoped'],
    ['full', 'scoped', 'full', 'scoped'],
    ['full', 'sealed', 'full', 'scoped'],
    ['seccomp', 'advisory', 'seccomp', 'advisory'],
    ['seccomp', 'scoped', 'seccomp', 'advisory'],
    ['seccomp', 'sealed', 'seccomp', 'advisory'],
    ['none', 'advisory', 'none', 'advisory'],
    ['none', 'scoped', 'none', 'advisory'],
    ['none', 'sealed', 'none', 'advisory'],
    ['sealed', 'unconfined', 'none', 'unconfined'],
    ['full', 'unconfined', 'none', 'unconfined'],
    ['seccomp', 'unconfined', 'none', 'unconfined'],
    ['none', 'unconfined', 'none', 'unconfined'],
  ])('a %s host with the floor %s runs on %s: %s', (host, floor, tier, achieved) => {
    expect(appliedTier(host, floor)).toBe(tier);
    expect(classOf(tier, floor)).toBe(achieved);
  });

  test('the applied tier is never above the tier of the host', () => {
    for (const host of tiers) {
      for (const floor of containmentClasses) {
        expect(tiers.indexOf(appliedTier(host, floor))).toBeLessThanOrEqual(tiers.indexOf(host));
      }
    }
  });
});

test.each<[Tier, boolean, string]>([
  ['sealed', false, 'mountns+pivot_root+landlock+seccomp'],
  ['full', false, 'landlock+seccomp'],
  ['seccomp', false, 'seccomp-only'],
  ['none', false, 'none'],
  ['full', true, 'landlock+seccomp+noinet'],
  ['sealed', true, 'mountns+pivot_root+landlock+seccomp+noinet'],
])('the wire name of %s, without internet sockets: %s, is %s', (tier, noInet, name) => {
  expect(wireName(tier, noInet)).toBe(name);
});
