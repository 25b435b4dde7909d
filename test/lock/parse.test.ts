import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { type Lock, parseLock, serializeLock } from '../../src/lock/index.js';

const place = 'project/murmur.lock';
const lockOf = (entry: string): string => `lock_version: 2\nartifacts:\n${entry}`;
const problem = (text: string): string => {
  try {
    parseLock(text, place);
  } catch (error) {
    if (isMurError(error) && error.code === 'E-RUN-003') return `${error.message} | ${error.hint}`;
    throw error;
  }
  throw new Error('it was accepted');
};

const sample = `lock_version: 2
artifacts:
  - name: csv-merge
    resolved_version: "1.0.4"
    sha256:
      any: 9f2c
    origin: operator
  - name: murmur-tool-git
    resolved_version: "1.0.0"
    sha256:
      platforms:
        linux-x86_64: 41aa
        darwin-aarch64: 77be
  - name: ledger-style
    resolved_version: "0.2.0"
    sha256: { any: 0c0d }
    origin: runtime
    session: ses_0199c4e2f1b7712a9d3e4f5061728394
`;

describe('Lock: what is read (spec/artifacts.md section 7)', () => {
  test('the example of the specification gives its three pins; an absent origin is operator', () => {
    expect(parseLock(sample, place)).toEqual({
      artifacts: [
        { name: 'csv-merge', resolvedVersion: '1.0.4', sha256: { any: '9f2c' }, origin: 'operator' },
        {
          name: 'murmur-tool-git',
          resolvedVersion: '1.0.0',
          sha256: { platforms: { 'linux-x86_64': '41aa', 'darwin-aarch64': '77be' } },
          origin: 'operator',
        },
        {
          name: 'ledger-style',
          resolvedVersion: '0.2.0',
          sha256: { any: '0c0d' },
          origin: 'runtime',
          session: 'ses_0199c4e2f1b7712a9d3e4f5061728394',
        },
      ],
    });
  });

  test('versions and hashes written without quotes stay the text they were', () => {
    const text = lockOf(`  - name: a\n    resolved_version: 1.10\n    sha256: { any: 00123 }\n`);
    expect(parseLock(text, place).artifacts[0]).toMatchObject({ resolvedVersion: '1.10', sha256: { any: '00123' } });
  });

  test.each([
    ['no list', 'lock_version: 2\n'],
    ['an empty list', 'lock_version: 2\nartifacts: []\n'],
    ['a null list', 'lock_version: 2\nartifacts:\n'],
  ])('a lock with %s pins nothing', (_, text) => {
    expect(parseLock(text, place)).toEqual({ artifacts: [] });
  });

  test('keys of a newer mur are passed over', () => {
    const text = lockOf('  - { name: a, resolved_version: "1", sha256: { any: x }, signed_by: me }\n');
    expect(parseLock(text, place).artifacts).toHaveLength(1);
  });

  test('an empty platforms map beside any pins for every platform', () => {
    const text = lockOf('  - { name: a, resolved_version: "1", sha256: { any: x, platforms: {} } }\n');
    expect(parseLock(text, place).artifacts[0]?.sha256).toEqual({ any: 'x' });
  });
});

describe('Lock: what is refused, with E-RUN-003, the artifact and the place', () => {
  test('version 1 is refused with what to do, and never migrated', () => {
    const text = 'lock_version: 1\nartifacts:\n  - name: a\n    sha256: { wasm: 41aa }\n';
    expect(problem(text)).toBe(
      `invalid murmur.lock: unsupported lock_version 1 (expected 2) (${place}:1:15) | delete murmur.lock and run mur install to write it anew`,
    );
  });

  const base = { name: 'a', resolved_version: '1', sha256: { any: 'x' } };
  test.each<[string, unknown, string]>([
    ['another version', { lock_version: 3 }, 'unsupported lock_version 3 (expected 2)'],
    ['a version as text', { lock_version: '2' }, 'unsupported lock_version 2 (expected 2)'],
    ['a version that is a list', { lock_version: [2] }, 'unsupported lock_version sequence'],
    ['no version', { artifacts: [] }, 'lock_version is missing (expected 2)'],
    [
      'artifacts that are no list',
      { lock_version: 2, artifacts: { a: 1 } },
      'artifacts: expected sequence, got mapping',
    ],
    ['an artifact that is a text', { lock_version: 2, artifacts: ['a'] }, 'artifact 1: expected mapping, got string'],
    ['a whole file that is a list', [1], 'the file: expected mapping, got sequence'],
  ])('%s', (_, value, text) => {
    expect(problem(JSON.stringify(value))).toContain(text);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no name', { name: undefined }, 'artifact 1 has no name'],
    ['a blank name', { name: ' ' }, 'artifact 1 has no name'],
    ['no resolved_version', { resolved_version: undefined }, "artifact 'a' has no resolved_version"],
    ['a blank resolved_version', { resolved_version: '' }, "artifact 'a' has no resolved_version"],
    ['a version that is a list', { resolved_version: [1] }, 'resolved_version: expected string, got sequence'],
    ['neither shape', { sha256: undefined }, "artifact 'a' pins no hash"],
    ['neither shape in it', { sha256: {} }, "artifact 'a' pins no hash"],
    ['the shape of version 1', { sha256: { wasm: 'x' } }, "artifact 'a' pins no hash"],
    ['empty platforms', { sha256: { platforms: {} } }, "artifact 'a' pins no hash"],
    ['both shapes', { sha256: { any: 'x', platforms: { 'linux-x86_64': 'y' } } }, "artifact 'a' pins both"],
    ['a hash that is a text', { sha256: 'x' }, "sha256 of artifact 'a': expected mapping, got string"],
    ['a blank any', { sha256: { any: ' ' } }, "artifact 'a' pins a blank sha256.any"],
    ['a platform without hash', { sha256: { platforms: { p: null } } }, "artifact 'a' pins a blank sha256 for p"],
    ['a blank platform', { sha256: { platforms: { '': 'x' } } }, "artifact 'a' pins a hash for a blank platform"],
    ['platforms as a list', { sha256: { platforms: ['x'] } }, "sha256.platforms of artifact 'a': expected mapping"],
    ['an unknown origin', { origin: 'peer' }, "artifact 'a' has an unknown origin"],
    ['runtime without session', { origin: 'runtime' }, "artifact 'a' has origin runtime and must name the session"],
    [
      'runtime with a blank session',
      { origin: 'runtime', session: '' },
      "artifact 'a' has origin runtime and must name the session",
    ],
    [
      'operator with session',
      { origin: 'operator', session: 'ses_1' },
      "artifact 'a' has origin operator and must not name a session",
    ],
    ['no origin with session', { session: 'ses_1' }, "artifact 'a' has origin operator and must not name a session"],
  ])('%s', (_, change, text) => {
    const entry = JSON.stringify({ ...base, ...change });
    expect(problem(`{"lock_version": 2, "artifacts": [${entry}]}`)).toContain(`invalid murmur.lock: ${text}`);
  });

  test('two pins of one name', () => {
    const entry = JSON.stringify(base);
    expect(problem(`{"lock_version": 2, "artifacts": [${entry}, ${entry}]}`)).toContain("artifact 'a' is pinned twice");
  });

  test('the line and column are those of the value', () => {
    expect(problem(lockOf('  - name: a\n    resolved_version: ""\n'))).toContain(`(${place}:4:23)`);
  });

  test('what is no YAML, with its line', () => {
    expect(problem('lock_version: 2\nartifacts: [')).toContain(`(${place}:2:`);
    expect(problem('lock_version: 2\nlock_version: 2\n')).toContain("duplicate key 'lock_version'");
    expect(problem(`x: "${'y'.repeat(300 * 1024)}"`)).toContain(`larger than 262144 bytes (${place})`);
  });

  test('any text is a lock or E-RUN-003, never another error', () => {
    const word = fc.constantFrom(
      'lock_version: 2',
      'artifacts:',
      '- name: a',
      'sha256:',
      'any: x',
      'platforms:',
      '2',
      '{',
      ']',
      '&a',
      '*a',
      '? ',
      '  ',
      '\n',
      '"',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 20 }).map((words) => words.join(' ')),
        ),
        (text) => {
          try {
            parseLock(text, place);
          } catch (error) {
            expect(isMurError(error) && error.code).toBe('E-RUN-003');
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('Lock: what is written', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((one) => one.trim() !== '' && one.trim() === one);
  const odd = fc.constantFrom(
    'true',
    'null',
    'no',
    'y',
    '1.0',
    '1e5',
    '0x1',
    '__proto__',
    '- a',
    'a: b',
    '#a',
    '"',
    "'",
    '~',
  );
  const value = fc.oneof(text, odd, fc.stringMatching(/^[0-9a-e]{64}$/), fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/));
  const entry = fc.record({
    name: value,
    resolvedVersion: value,
    sha256: fc.oneof(
      fc.record({ any: value }),
      fc.record({ platforms: fc.dictionary(value, value, { minKeys: 1, maxKeys: 4 }) }),
    ),
    source: fc.option(value),
  });
  const locks = fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 6 }).map(
    (entries): Lock => ({
      artifacts: entries.map(({ source, ...rest }) =>
        source === null ? { ...rest, origin: 'operator' } : { ...rest, origin: 'runtime', session: source },
      ),
    }),
  );
  const sorted = ({ artifacts }: Lock) =>
    [...artifacts].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));

  test('every lock is read back as it was', () => {
    fc.assert(
      fc.property(locks, (lock) => {
        expect(parseLock(serializeLock(lock), place).artifacts).toEqual(sorted(lock));
      }),
      { numRuns: 1_000 },
    );
  });

  test('the order of the pins changes nothing', () => {
    fc.assert(
      fc.property(locks, (lock) => {
        expect(serializeLock({ artifacts: [...lock.artifacts].reverse() })).toBe(serializeLock(lock));
      }),
    );
  });

  test('only the populated hash shape is written, and the text is the one of the specification', () => {
    expect(serializeLock(parseLock(sample, place))).toBe(`lock_version: 2
artifacts:
  - name: csv-merge
    resolved_version: "1.0.4"
    sha256:
      any: "9f2c"
    origin: operator
  - name: ledger-style
    resolved_version: "0.2.0"
    sha256:
      any: "0c0d"
    origin: runtime
    session: ses_0199c4e2f1b7712a9d3e4f5061728394
  - name: murmur-tool-git
    resolved_version: "1.0.0"
    sha256:
      platforms:
        darwin-aarch64: "77be"
        linux-x86_64: "41aa"
    origin: operator
`);
    expect(serializeLock({ artifacts: [] })).toBe('lock_version: 2\nartifacts: []\n');
  });

  test('a whole hash is written bare, unless a reader could take it for a number', () => {
    const hash = 'ab'.repeat(32);
    const number = `1e${'5'.repeat(62)}`;
    const entryOf = (name: string, any: string) => ({
      name,
      resolvedVersion: '1',
      sha256: { any },
      origin: 'operator' as const,
    });
    const written = serializeLock({ artifacts: [entryOf('a', hash), entryOf('b', number)] });
    expect(written).toContain(`any: ${hash}\n`);
    expect(written).toContain(`any: "${number}"\n`);
  });
});
