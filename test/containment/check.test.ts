import { describe, expect, test } from 'vitest';
import { type ContainmentFacts, checkContainment, decide, type HostReport } from '../../src/containment/index.js';
import { isMurError, type MurError } from '../../src/errors/index.js';
import type { ContainmentClass } from '../../src/manifest/index.js';
import { asked, host, noNetwork } from './host-fixture.js';

const staged = [{ binary: 'python3', sourcePath: '/opt/python', pin: '3.12' }];
const script = { name: 'pip', path: '/usr/local/bin/pip', interpreter: 'python3' };

interface Declared {
  readonly shellStagedRuntime?: ContainmentFacts['policy']['shellStagedRuntime'];
  readonly unreachableScripts?: ContainmentFacts['unreachableScripts'];
  readonly networkAllow?: readonly string[];
  readonly startsProcesses?: boolean;
}

function facts(floor: ContainmentClass, on: HostReport, declared: Declared = {}): ContainmentFacts {
  const { shellStagedRuntime = [], unreachableScripts = [], networkAllow = [], startsProcesses = true } = declared;
  return {
    host: on,
    decision: decide(on, asked({ floor, networkAllowEmpty: networkAllow.length === 0, startsProcesses })),
    policy: { shellStagedRuntime },
    unreachableScripts,
  };
}

function refusal(of: ContainmentFacts): MurError | undefined {
  try {
    checkContainment(of);
  } catch (error) {
    if (isMurError(error)) return error as MurError;
    throw error;
  }
  return undefined;
}

const full = host({ hostTier: 'full', bubblewrap: null, chain: 'unshare' });

describe('the order of refusals (spec/containment.md 4)', () => {
  const wrong = { shellStagedRuntime: staged, unreachableScripts: [script], networkAllow: ['api.example'] };
  test('1: the floor', () => {
    expect(refusal(facts('sealed', { ...full, network: noNetwork }, wrong))?.code).toBe('E-CAP-003');
  });
  test('2: staged runtimes below sealed, by the declared floor alone', () => {
    expect(refusal(facts('scoped', host({ network: noNetwork }), wrong))?.code).toBe('E-CAP-004');
    expect(refusal(facts('unconfined', host(), wrong))?.code).toBe('E-CAP-004');
  });
  test('3: scripts nothing reaches, under sealed only', () => {
    expect(refusal(facts('sealed', host({ network: noNetwork }), wrong))?.code).toBe('E-CAP-006');
    expect(refusal(facts('scoped', host(), { unreachableScripts: [script] }))).toBeUndefined();
  });
  test('4: no network namespace', () => {
    const { unreachableScripts: _, ...rest } = wrong;
    expect(refusal(facts('sealed', host({ network: noNetwork }), rest))?.code).toBe('E-CAP-005');
  });
  test('none: nothing is thrown', () => {
    expect(
      refusal(facts('sealed', host(), { shellStagedRuntime: staged, networkAllow: ['api.example'] })),
    ).toBeUndefined();
  });
});

describe('E-CAP-003', () => {
  test('quotes both classes, says why, and what to do', () => {
    const error = refusal(facts('sealed', host({ hostTier: 'seccomp', landlockAbi: null })));
    expect(error?.message).toMatch(/'sealed'.*achieved: 'advisory'/);
    expect(error?.hint).toMatch(/capabilities\.containment.*config.*--containment.*a host that backs 'sealed'/);
  });
});

describe('E-CAP-004', () => {
  test('names every binary once, and the floor', () => {
    const two = [...staged, ...staged, { binary: 'ruby', sourcePath: '/opt/ruby', pin: '3' }];
    const error = refusal(facts('advisory', host(), { shellStagedRuntime: two }));
    expect(error?.message).toContain("declared for 'python3', 'ruby' but");
    expect(error?.message).toContain("'advisory'");
  });
});

describe('E-CAP-006', () => {
  test('names every script with its path and interpreter', () => {
    const second = { name: 'cargo-x', path: '/opt/cargo-x', interpreter: 'ruby' };
    const error = refusal(facts('sealed', host(), { unreachableScripts: [script, second] }));
    for (const part of ['pip', '/usr/local/bin/pip', 'python3', 'cargo-x', '/opt/cargo-x', 'ruby']) {
      expect(error?.message).toContain(part);
    }
    expect(error?.hint).toMatch(/python3 -m <module>.*strace/);
  });
});

describe('E-CAP-005', () => {
  const poor = host({ network: noNetwork });
  test('carries reason and fix, and says that a lower floor does not help', () => {
    const error = refusal(facts('scoped', poor, { networkAllow: ['api.example'] }));
    expect(error?.message).toContain('Operation not permitted');
    expect(error?.message).toContain("'scoped' or 'advisory' does not help");
    expect(error?.hint).toContain('--cap-add SYS_ADMIN');
  });

  test('a namespace that nothing leads out of is as good as none for allowed hosts, and keeps its sockets without', () => {
    const closed = host({
      network: { usable: true, closed: { reason: 'koffi is missing', fix: 'npm install koffi' } },
    });
    const error = refusal(facts('scoped', closed, { networkAllow: ['api.example'] }));
    expect(error).toMatchObject({ code: 'E-CAP-005', hint: expect.stringContaining('npm install koffi') });
    expect(error?.message).toMatch(/allowed hosts, and those only: koffi is missing/);
    expect(refusal(facts('scoped', closed))).toBeUndefined();
    expect(facts('scoped', closed).decision).toMatchObject({ noInet: false, mechanism: 'landlock+seccomp' });
  });

  test.each<[string, ContainmentFacts, boolean]>([
    ['no network allowed', facts('scoped', poor), false],
    ['no process allowed', facts('scoped', poor, { startsProcesses: false, networkAllow: ['a.example'] }), false],
    ['a process allowed', facts('scoped', poor, { networkAllow: ['a.example'] }), true],
    ['unconfined', facts('unconfined', poor, { networkAllow: ['a.example'] }), false],
    [
      'another system',
      facts('advisory', { ...poor, platform: 'darwin', hostTier: 'none' }, { networkAllow: ['a.example'] }),
      false,
    ],
    ['a Linux without a tier', facts('advisory', { ...poor, hostTier: 'none' }, { networkAllow: ['a.example'] }), true],
  ])('%s', (_, of, refused) => {
    expect(refusal(of)?.code === 'E-CAP-005').toBe(refused);
  });
});
