import { describe, expect, test } from 'vitest';
import { noTier } from '../../src/containment/blockers.js';
import {
  type ContainmentDecision,
  type ContainmentWarning,
  containmentWarnings,
  decide,
  floorOf,
  type HostReport,
} from '../../src/containment/index.js';
import type { ContainmentClass } from '../../src/manifest/index.js';
import { asked, host } from './host-fixture.js';

const commands = { shellAllow: ['bash', 'git'], networkAllow: ['api.example'], workdirExecAllowed: false };
const on = (change: Partial<HostReport>, floor: ContainmentClass = 'advisory'): ContainmentDecision =>
  decide(host(change), asked({ floor }));
const bare = { hostTier: 'none', noTierBecause: noTier('launcher') } as const;
const codes = (warnings: readonly ContainmentWarning[]) => warnings.map(({ code }) => code);

describe('warnings about the mechanism of a session (spec/containment.md 4.1)', () => {
  test.each<[string, ContainmentDecision, typeof commands, readonly string[]]>([
    ['no tier, bash and a network', on(bare), commands, ['W-SEC-001', 'W-SEC-003']],
    ['no tier, another shell', on(bare), { ...commands, shellAllow: ['sh', '/bin/bash'] }, ['W-SEC-001']],
    ['no tier, no network', on(bare), { ...commands, networkAllow: [] }, ['W-SEC-001']],
    ['a filter only', on({ hostTier: 'seccomp' }), commands, ['W-SEC-002']],
    ['full', on({}), commands, ['W-SEC-005']],
    ['sealed', on({}, 'sealed'), commands, ['W-SEC-005']],
    ['no command', on(bare), { ...commands, shellAllow: [] }, []],
    ['unconfined', on({}, 'unconfined'), commands, ['W-SEC-902']],
  ])('%s', (_, decision, policy, expected) => {
    expect(codes(containmentWarnings(decision, policy, new Set()))).toEqual(expected);
  });

  test('say what is not held', () => {
    const text = (decision: ContainmentDecision) => containmentWarnings(decision, commands, new Set())[0]!.message;
    expect(text(on(bare))).toContain('launch program');
    expect(text(on({ platform: 'darwin', hostTier: 'none' }))).toContain('permanently');
    expect(text(on({ hostTier: 'seccomp' }))).toMatch(/neither files nor programs.*\/dev/);
    expect(text(on({}))).toMatch(/names, sizes and times.*workdir_exec/);
    expect(text(on({}, 'sealed'))).toMatch(/root of their own.*workdir_exec/);
    expect(text(on({}))).not.toBe(text(on({}, 'sealed')));
    expect(text(on({}))).not.toContain('ELF loader');
    for (const floor of ['scoped', 'sealed'] as const) {
      expect(text(on({ noexec: false }, floor))).toContain('cannot make the folders commands write to noexec');
    }
  });

  test('tell of a host that restricts nothing once per process', () => {
    const already = new Set<ContainmentWarning['code']>();
    const open = on({ usernsGrant: 'restriction_disabled_host_wide' });
    expect(codes(containmentWarnings(open, { ...commands, shellAllow: [] }, already))).toEqual(['W-SEC-013']);
    expect(containmentWarnings(open, { ...commands, shellAllow: [] }, already)).toEqual([]);
  });
});

describe('the floor of a session (spec/containment.md 2, 2.1)', () => {
  type Vote = ContainmentClass | undefined;
  const floor = (isPacked: boolean, manifest: Vote, config?: Vote, flag?: Vote) =>
    floorOf({ manifest, config, flag, isPacked });

  test.each<[Vote, Vote, Vote, ContainmentClass]>([
    [undefined, undefined, undefined, 'advisory'],
    ['scoped', undefined, undefined, 'scoped'],
    ['scoped', 'sealed', 'advisory', 'sealed'],
    ['unconfined', undefined, undefined, 'unconfined'],
    ['unconfined', 'advisory', undefined, 'advisory'],
    ['sealed', undefined, 'unconfined', 'sealed'],
  ])('of a project with manifest %s, config %s, flag %s is %s', (manifest, config, flag, expected) => {
    expect(floor(false, manifest, config, flag)).toBe(expected);
  });

  test.each<[Vote, Vote, Vote, ContainmentClass]>([
    ['unconfined', undefined, undefined, 'advisory'],
    ['unconfined', 'unconfined', undefined, 'unconfined'],
    ['unconfined', undefined, 'unconfined', 'unconfined'],
    ['unconfined', 'scoped', 'unconfined', 'scoped'],
    ['unconfined', 'scoped', undefined, 'scoped'],
    ['sealed', undefined, 'unconfined', 'sealed'],
    [undefined, 'unconfined', undefined, 'unconfined'],
  ])('of a packed capsule with manifest %s, config %s, flag %s is %s', (manifest, config, flag, expected) => {
    expect(floor(true, manifest, config, flag)).toBe(expected);
  });
});
