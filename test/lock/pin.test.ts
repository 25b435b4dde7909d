import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import {
  adoptedBy,
  expectationOf,
  expectationsOf,
  type Lock,
  type LockEntry,
  type PinRequest,
  pin,
  unpin,
  upsert,
} from '../../src/lock/index.js';

const [linux, mac] = ['linux-x86_64', 'darwin-aarch64'];
const empty: Lock = { artifacts: [] };
const entry = (sha256: LockEntry['sha256'], more: Partial<LockEntry> = {}): LockEntry => ({
  name: 'a',
  resolvedVersion: '1.0.0',
  sha256,
  origin: 'operator',
  ...more,
});
const lockOf = (...artifacts: LockEntry[]): Lock => ({ artifacts });
const want = (sha256: string, more: Partial<PinRequest> = {}): PinRequest => ({
  name: 'a',
  version: '1.0.0',
  sha256,
  origin: 'operator',
  ...more,
});
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message} | ${error.hint}`;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('Lock: pin/merge', () => {
  test('a new artifact is added after the others', () => {
    const other = entry({ any: 'y' }, { name: 'b' });
    expect(pin(lockOf(other), want('x'))).toEqual(lockOf(other, entry({ any: 'x' })));
    expect(pin(empty, want('x', { platform: linux }))).toEqual(lockOf(entry({ platforms: { [linux!]: 'x' } })));
  });

  test('a per-platform merge keeps the other platform', () => {
    const lock = lockOf(entry({ platforms: { [linux!]: 'x' } }));
    expect(pin(lock, want('y', { platform: mac }))).toEqual(
      lockOf(entry({ platforms: { [linux!]: 'x', [mac!]: 'y' } })),
    );
    expect(lock).toEqual(lockOf(entry({ platforms: { [linux!]: 'x' } })));
  });

  test.each<[string, LockEntry, PinRequest, LockEntry]>([
    [
      'a shape change to platforms',
      entry({ any: 'x' }),
      want('y', { platform: linux }),
      entry({ platforms: { [linux!]: 'y' } }),
    ],
    ['a shape change to any', entry({ platforms: { [linux!]: 'x', [mac!]: 'z' } }), want('y'), entry({ any: 'y' })],
    [
      'a version change',
      entry({ platforms: { [linux!]: 'x', [mac!]: 'z' } }),
      want('y', { platform: linux, version: '2.0.0' }),
      entry({ platforms: { [linux!]: 'y' } }, { resolvedVersion: '2.0.0' }),
    ],
    ['another hash for any', entry({ any: 'x' }), want('y'), entry({ any: 'y' })],
  ])('%s replaces the whole sha256, once no conflict is looked for', (_, before, what, after) => {
    expect(upsert(lockOf(before), what)).toEqual(lockOf(after));
  });

  test('the same again changes nothing', () => {
    for (const what of [want('x'), want('x', { platform: linux })]) {
      const lock = pin(empty, what);
      expect(pin(lock, what)).toEqual(lock);
    }
  });
});

describe('Lock: conflicts are E-REG-005', () => {
  test.each<[string, LockEntry, PinRequest, string]>([
    [
      'another version',
      entry({ any: 'x' }),
      want('x', { version: '1.0.1' }),
      "murmur.lock pins 'a' at 1.0.0, resolved 1.0.1",
    ],
    [
      'platforms where any is pinned',
      entry({ any: 'x' }),
      want('x', { platform: linux }),
      'as one archive for every platform, resolved one for linux-x86_64',
    ],
    [
      'any where platforms are pinned',
      entry({ platforms: { [mac!]: 'x' } }),
      want('x'),
      'per platform (darwin-aarch64), resolved one archive',
    ],
    [
      'another hash for any',
      entry({ any: 'x' }),
      want('y'),
      'murmur.lock pins a@1.0.0 with sha256 x, resolved bytes with sha256 y',
    ],
    [
      'another hash for a platform',
      entry({ platforms: { [linux!]: 'x' } }),
      want('y', { platform: linux }),
      'murmur.lock pins a@1.0.0 on linux-x86_64 with sha256 x',
    ],
  ])('%s', (_, before, what, text) => {
    const lock = lockOf(before);
    expect(refusal(() => pin(lock, what))).toMatch(/^E-REG-005 .* \| .*remove the entry of 'a' from murmur.lock/);
    expect(refusal(() => pin(lock, what))).toContain(text);
    expect(lock).toEqual(lockOf(before));
  });

  test('an unpinned platform is no conflict, also one named like a member of every object', () => {
    const lock = lockOf(entry({ platforms: { [linux!]: 'x' } }));
    expect(() => pin(lock, want('y', { platform: mac }))).not.toThrow();
    expect(() => pin(lock, want('y', { platform: 'constructor' }))).not.toThrow();
  });
});

describe('Lock: origin', () => {
  const pulled = entry({ any: 'x' }, { origin: 'runtime', session: 'ses_1' });

  test('a pull is pinned with its session', () => {
    expect(pin(empty, want('x', { origin: 'runtime', session: 'ses_1' }))).toEqual(lockOf(pulled));
  });

  test('an install adopts the pin of a pull, and says which', () => {
    expect(adoptedBy(lockOf(pulled), want('x'))).toBe(pulled);
    expect(pin(lockOf(pulled), want('x'))).toEqual(lockOf(entry({ any: 'x' })));
  });

  test('nothing is adopted from an operator, by a pull, or where nothing is pinned', () => {
    expect(adoptedBy(lockOf(entry({ any: 'x' })), want('x'))).toBeUndefined();
    expect(adoptedBy(lockOf(pulled), want('x', { origin: 'runtime', session: 'ses_2' }))).toBeUndefined();
    expect(adoptedBy(empty, want('x'))).toBeUndefined();
  });

  test('a pull never takes a pin from the operator', () => {
    const lock = lockOf(entry({ any: 'x' }));
    expect(pin(lock, want('x', { origin: 'runtime', session: 'ses_1' }))).toEqual(lock);
  });

  test('a removal takes one entry', () => {
    const other = entry({ any: 'y' }, { name: 'b' });
    expect(unpin(lockOf(pulled, other), 'a')).toEqual(lockOf(other));
    expect(unpin(lockOf(other), 'a')).toEqual(lockOf(other));
  });
});

describe('Run: what a launch expects', () => {
  const native = entry({ platforms: { [linux!]: 'x', [mac!]: 'y' } });

  test('any answers for every platform, platforms for the one', () => {
    const expected = { name: 'a', resolvedVersion: '1.0.0', sha256: 'x', origin: 'operator' };
    expect(expectationOf(lockOf(entry({ any: 'x' })), 'a', '1.0.0', linux!)).toEqual(expected);
    expect(expectationOf(lockOf(native), 'a', '1.0.0', linux!)).toEqual(expected);
  });

  test('platforms never fall back: no hash for this platform is refused, naming those it has', () => {
    for (const platform of ['linux-aarch64', 'any', 'toString']) {
      expect(refusal(() => expectationOf(lockOf(native), 'a', '1.0.0', platform))).toBe(
        `E-RUN-003 murmur.lock has no sha256 for 'a' on ${platform}: it pins linux-x86_64, darwin-aarch64 | run mur install a@1.0.0 on this host to pin it`,
      );
    }
  });

  test('a missing entry and another version are refused', () => {
    expect(refusal(() => expectationOf(empty, 'a', '1.0.0', linux!))).toBe(
      "E-RUN-003 murmur.lock missing artifact entry for 'a' | run mur install a@1.0.0 to pin it",
    );
    expect(refusal(() => expectationOf(lockOf(native), 'a', '1.0.1', linux!))).toContain(
      "E-RUN-003 lockfile version mismatch for 'a': manifest requested 1.0.1, lock pinned 1.0.0",
    );
  });

  test('a runtime pin comes with its session', () => {
    const pulled = entry({ any: 'x' }, { origin: 'runtime', session: 'ses_1' });
    expect(expectationOf(lockOf(pulled), 'a', '1.0.0', linux!)).toMatchObject({ origin: 'runtime', session: 'ses_1' });
  });

  test('of several, those are given that have an entry', () => {
    const wanted = [
      { name: 'a', version: '1.0.0' },
      { name: 'b', version: '1.0.0' },
    ];
    expect(expectationsOf(lockOf(native), wanted, mac!)).toMatchObject([{ name: 'a', sha256: 'y' }]);
  });
});
