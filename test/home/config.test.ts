// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files write references so
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { mergeConfig, parseConfig, readConfig } from '../../src/home/config.js';
import { parseEnvFile, withEnvFile } from '../../src/home/env-file.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-config-'));
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

describe('a config file', () => {
  test('that is missing is empty', () => {
    expect(readConfig({ global: at('none'), project: at('no/ne') })).toEqual({
      credentials: new Map(),
      privateNames: [],
      inspect: false,
      warnings: [],
    });
  });

  test('gives keys, private names and the containment vote, and passes over the rest', () => {
    const config = parseConfig(
      'registry: { default: official }\ncredentials:\n  A: "k"\n  B: ""\n  C:\ncontainment: scoped\nnetwork: { private_names: [" NAS.lan "] }\n',
      'c',
    );
    expect([...config.credentials.keys()]).toEqual(['A', 'B', 'C']);
    expect(config.credentials.get('A')?.reveal()).toBe('k');
    expect(config.credentials.get('B')).toBeUndefined();
    expect(config.privateNames).toEqual(['nas.lan']);
    expect(config.containment).toBe('scoped');
    expect(JSON.stringify([...config.credentials.values()])).toBe('["<redacted>",null,null]');
  });

  test.each([
    ['[', 'E-IO-003 failed to parse c: line 1, column 2: Flow sequence must end with a ]'],
    ['- a', 'E-IO-003 failed to parse c: the file: expected mapping, got sequence'],
    ['credentials: [a]', 'E-IO-003 failed to parse c: credentials: expected mapping, got sequence'],
    ['credentials: { A: 12345 }', 'E-IO-003 failed to parse c: credentials.A: expected string, got number'],
    [
      'containment: tight',
      "E-IO-003 failed to parse c: containment: unknown value 'tight'; expected one of: unconfined, advisory, scoped, sealed",
    ],
    [
      'network: { private_names: nas }',
      'E-IO-003 failed to parse c: network.private_names: expected sequence of strings',
    ],
  ])('%s is refused', (text, expected) => expect(refusal(() => parseConfig(text, 'c'))).toBe(expected));

  test('that is unreadable is an error, never an empty config', () => {
    expect(refusal(() => readConfig({ global: folder }))).toBe('E-IO-003 failed to read <dir>: is a directory');
  });

  test('with a slip in a key line does not print the key', () => {
    for (const line of [
      'A: !sk-secret',
      'A: *sk-secret',
      'A: {x: sk-secret',
      'A: "sk-secret" sk-secret',
      'A: ${sk-secret} }',
    ]) {
      expect(refusal(() => parseConfig(`credentials:\n  ${line}\n`, 'c'))).not.toContain('sk-secret');
    }
  });

  test('may ask for live inspection of every session', () => {
    expect(parseConfig('inspect: true\n', 'c.yaml').inspect).toBe(true);
    expect(parseConfig('{}\n', 'c.yaml').inspect).toBe(false);
    expect(refusal(() => parseConfig('inspect: "yes"\n', 'c.yaml'))).toBe(
      'E-IO-003 failed to parse c.yaml: inspect: expected boolean, got string',
    );
  });
});

describe('the merge of global and project config', () => {
  const merged = (global: string, project: string) =>
    mergeConfig(parseConfig(global, 'g'), parseConfig(project, 'p'), 'p');

  test.each([
    ['containment: advisory', 'containment: sealed', 'sealed'],
    ['containment: sealed', 'containment: advisory', 'sealed'],
    ['', 'containment: unconfined', 'unconfined'],
    ['containment: scoped', '', 'scoped'],
    ['', '', undefined],
  ])('%s under %s asks for %s', (global, project, expected) =>
    expect(merged(global, project).containment).toBe(expected),
  );

  test('a project brings neither keys nor private names nor inspection, and is told so', () => {
    const config = merged(
      'credentials: { A: g }',
      'credentials: { A: p, B: p }\nnetwork: { private_names: [x] }\ninspect: true',
    );
    expect(config.credentials.get('A')?.reveal()).toBe('g');
    expect(config.credentials.has('B')).toBe(false);
    expect(config.privateNames).toEqual([]);
    expect(config.inspect).toBe(false);
    expect(config.warnings).toEqual([
      'credentials in p is ignored: only the global config may set it',
      'network.private_names in p is ignored: only the global config may set it',
      'inspect in p is ignored: only the global config may set it',
    ]);
    expect(merged('inspect: true', '').inspect).toBe(true);
  });

  test('a run in the home folder reads one file, once', () => {
    writeFileSync(at('c'), 'credentials: { A: k }');
    expect(readConfig({ global: at('c'), project: at('c') }).warnings).toEqual([]);
  });
});

describe('a .env file', () => {
  test('is KEY=VALUE lines, with one pair of quotes removed and nothing expanded', () => {
    const text =
      '\uFEFF# c\n\n A = 1 \nB="two words"\r\nC=\'x"\nD=a=b # not a comment\nE=\nF="$A\\n"\nexport G=1\nA=2\n';
    expect([...parseEnvFile(text)]).toEqual([
      ['A', '2'],
      ['B', 'two words'],
      ['C', '\'x"'],
      ['D', 'a=b # not a comment'],
      ['E', ''],
      ['F', '$A\\n'],
      ['export G', '1'],
    ]);
  });

  test.each([
    ['A=1\nsk-secret\n', 'E-IO-003 invalid .env entry at line 2: expected KEY=VALUE'],
    ['\n\n =sk-secret', 'E-IO-003 invalid .env entry at line 3: empty variable name'],
  ])('%j is refused by line, without its text', (text, expected) =>
    expect(refusal(() => parseEnvFile(text))).toBe(expected),
  );

  test('of the project is laid under the environment', () => {
    writeFileSync(at('murmur.yaml'), '');
    writeFileSync(at('.env'), 'A=file\nB=file\n');
    const env = withEnvFile({ A: 'set' }, join(folder, 'sub', 'deeper'));
    expect(env).toEqual({ A: 'set', B: 'file' });
  });

  test('is not looked for outside a project, and not needed in one', () => {
    writeFileSync(at('.env'), 'A=1');
    expect(withEnvFile({}, folder)).toEqual({});
    rmSync(at('.env'));
    writeFileSync(at('murmur.yaml'), '');
    expect(withEnvFile({ B: '2' }, folder)).toEqual({ B: '2' });
  });
});
