import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { parseEnvFile, readEnvFile, withEnvFile } from '../../src/home/env-file.js';
import { guestEnvironment } from '../../src/policy/index.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-env-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message.replaceAll(folder, '<dir>')}`;
    throw error;
  }
  return 'accepted';
}

/** spec/config.md section 9. */
describe('a .env file', () => {
  test('is KEY=VALUE lines, with one pair of quotes removed and nothing expanded', () => {
    const text =
      '\uFEFF# c\n\n A = 1 \nB="two words"\r\nC=\'x"\nD=a=b # not a comment\nE=\nF="$A\\n"\nexport G=1\nA=2\nH=""\nI="\nJ=""x""\n';
    expect([...parseEnvFile(text)]).toEqual([
      ['A', '2'],
      ['B', 'two words'],
      ['C', '\'x"'],
      ['D', 'a=b # not a comment'],
      ['E', ''],
      ['F', '$A\\n'],
      ['export G', '1'],
      ['H', ''],
      ['I', '"'],
      ['J', '"x"'],
    ]);
  });

  test.each([
    ['A=1\nsk-secret\n', 'E-IO-003 invalid .env entry at line 2: expected KEY=VALUE'],
    ['\n\n =sk-secret', 'E-IO-003 invalid .env entry at line 3: empty variable name'],
    ['A=sk-secret\0', 'E-IO-003 invalid .env entry at line 1: a variable cannot hold a NUL character'],
  ])('%j is refused by line, without its text', (text, expected) =>
    expect(refusal(() => parseEnvFile(text))).toBe(expected),
  );

  test('of any text gives variables or names a line of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'A= "\'#\n\r\t\\$é'), maxLength: 60 }), (text) => {
        const said = refusal(() => parseEnvFile(text));
        if (said === 'accepted') return;
        const line = Number(/^E-IO-003 invalid \.env entry at line (\d+): /.exec(said)?.[1]);
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThanOrEqual(text.split('\n').length);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of the project is laid under the environment', () => {
    writeFileSync(at('murmur.yaml'), '');
    writeFileSync(at('.env'), 'A=file\nB=file\n');
    const env = withEnvFile({ A: 'set' }, join(folder, 'sub', 'deeper'));
    expect(env).toEqual({ A: 'set', B: 'file' });
  });

  test('does not override a variable that is set to nothing', () => {
    writeFileSync(at('murmur.yaml'), '');
    writeFileSync(at('.env'), 'A=file\n');
    expect(withEnvFile({ A: '' }, folder)).toEqual({ A: '' });
  });

  test('is not looked for outside a project, and not needed in one', () => {
    writeFileSync(at('.env'), 'A=1');
    expect(withEnvFile({}, folder)).toEqual({});
    rmSync(at('.env'));
    writeFileSync(at('murmur.yaml'), '');
    expect(withEnvFile({ B: '2' }, folder)).toEqual({ B: '2' });
  });

  test('gives a check its path and its names, and a malformed one its path and line', () => {
    writeFileSync(at('murmur.yaml'), '');
    expect(readEnvFile(folder)).toBeUndefined();
    writeFileSync(at('.env'), 'A=1\nB=2\n');
    expect(readEnvFile(folder)).toEqual({ path: at('.env'), variables: new Map(Object.entries({ A: '1', B: '2' })) });
    writeFileSync(at('.env'), 'A=1\nnothing\n');
    expect(() => readEnvFile(folder)).toThrow(
      expect.objectContaining({
        details: { path: at('.env'), line: 2 },
        hint: `correct line 2 of ${at('.env')}, or remove it`,
      }),
    );
  });

  test('that cannot be read is an error', () => {
    writeFileSync(at('murmur.yaml'), '');
    rmSync(at('.env'), { force: true });
    writeFileSync(at('.env'), Buffer.from([0x41, 0x3d, 0xff]));
    expect(refusal(() => withEnvFile({}, folder))).toMatch(/^E-IO-003 failed to read \.env at <dir>\/\.env: /);
  });
});

/** spec/config.md section 10: what a launcher hands to a child of mur, and keys of mur itself. */
test.each([
  'MURMUR_FORMATION_ID',
  'MURMUR_FORMATION_CHANNEL',
  'MURMUR_FORMATION_LIFELINE',
  'MURMUR_FORMATION_PEERS',
  'MURMUR_SPAWNER',
  'MURMUR_SPAWNER_LIFELINE',
  'MURMUR_DOOR_TOKEN',
  'NEXUS_API_KEY',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
])('%s reaches no guest, neither from the environment nor from .env, also when the manifest allows it', (name) => {
  writeFileSync(at('murmur.yaml'), '');
  writeFileSync(at('.env'), `${name}=from-file\nPLAIN=seen\n`);
  const policy = { envAllow: [name, 'PLAIN'], shellStripEnv: [] };
  expect(guestEnvironment(policy, withEnvFile({}, folder))).toEqual([['PLAIN', 'seen']]);
  expect(guestEnvironment(policy, withEnvFile({ [name]: 'from-host' }, folder))).toEqual([['PLAIN', 'seen']]);
});
