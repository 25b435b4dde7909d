// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files write references so
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { locateConfig, parseConfig, readConfig, readConfigFile, secretsIn } from '../../src/home/config.js';

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

const whole = `
registry:
  default: internal
  index_url: https://index.example/i.json
  sources:
    - { name: internal, type: github, repo: acme/artifacts, token: "\${ACME_GH}" }
    - { name: official, repo: murmur-nexus/default-artifacts }
inference: { provider: anthropic, model: m, endpoint: https://api.example, api_key: sk-inference }
credentials:
  A: "k"
  B: ""
  C:
containment: scoped
spend: { machine_tokens_per_day: 5000000 }
host_paths:
  - { path: ~/datasets, access: read }
beta: { enabled: [mur-deploy, " "] }
network: { private_names: [" NAS.lan "] }
inspect: true
`;

describe('a config file', () => {
  test('gives every key of its schema', () => {
    const config = parseConfig(whole, 'c');
    expect(config).toMatchObject({
      registry: {
        default: 'internal',
        indexUrl: 'https://index.example/i.json',
        sources: [
          { name: 'internal', type: 'github', repo: 'acme/artifacts' },
          { name: 'official', type: 'github', repo: 'murmur-nexus/default-artifacts' },
        ],
      },
      inference: { provider: 'anthropic', model: 'm', endpoint: 'https://api.example' },
      betaEnabled: ['mur-deploy'],
      containment: 'scoped',
      spend: { machineTokensPerDay: 5_000_000 },
      hostPaths: [{ path: '~/datasets', access: 'read' }],
      privateNames: ['nas.lan'],
      inspect: true,
      warnings: [],
    });
    expect([...config.credentials.keys()]).toEqual(['A', 'B', 'C']);
    expect(config.credentials.get('A')?.reveal()).toBe('k');
    expect(config.credentials.get('B')).toBeUndefined();
    expect(config.inference.apiKey?.reveal()).toBe('sk-inference');
    expect(config.registry.sources[0]?.token?.reveal()).toBe('${ACME_GH}');
  });

  test('shows no key in any form of printing, and names all it holds', () => {
    const config = parseConfig(whole, 'c');
    expect(JSON.stringify({ ...config, credentials: [...config.credentials] })).not.toMatch(/sk-inference|ACME_GH|"k"/);
    expect(secretsIn(config).map((secret) => secret.reveal())).toEqual(['k', 'sk-inference', '${ACME_GH}']);
    expect(secretsIn(undefined)).toEqual([]);
  });

  test.each([
    ['', 'an empty file'],
    ['# only a comment\n', 'a comment'],
    ['registry:\nbeta:\ncredentials:\ncontainment:\ninspect:\n', 'keys without values'],
  ])('%j is empty', (text) => {
    expect(parseConfig(text, 'c')).toMatchObject({
      registry: { default: '', sources: [] },
      betaEnabled: [],
      spend: {},
    });
  });

  const words = 'unconfined, advisory, scoped, sealed';
  test.each([
    ['[', 'line 1, column 2: Flow sequence must end with a ]'],
    ['- a', 'line 1, column 1: the file: expected mapping, got sequence'],
    ['a: 1\na: 2', "line 2, column 1: duplicate key 'a'"],
    ['credentials: [a]', 'line 1, column 14: credentials: expected mapping, got sequence'],
    ['credentials: { A: 12345 }', 'line 1, column 19: credentials.<key>: expected string, got number'],
    [
      'credentials: { A: 123456789012345678901234567890 }',
      'line 1, column 19: credentials.<key>: expected string, got number',
    ],
    ['containment: tight', `line 1, column 14: containment: unknown value; expected one of: ${words}`],
    ['network: { private_names: nas }', 'line 1, column 27: network.private_names: expected sequence, got string'],
    ['inspect: "yes"', 'line 1, column 10: inspect: expected boolean, got string'],
    ['spend:\n  machine_tokens_per_day: 0', 'line 2, column 27: spend.machine_tokens_per_day: it is not above zero'],
    [
      'spend: { machine_tokens_per_day: 99999999999999999999 }',
      'line 1, column 34: spend.machine_tokens_per_day: it is beyond 9007199254740991',
    ],
    [
      'spend: { machine_tokens_per_day: .inf }',
      'line 1, column 34: spend.machine_tokens_per_day: expected number, got one that is not finite',
    ],
    ['\uFEFF\uFEFFinspect: true', 'line 1, column 1: a second byte-order mark'],
    ['spend: { machine_tokens_per_day: 1.5 }', null],
    ['registry: { sources: [{ repo: a/b }] }', 'line 1, column 23: registry.sources[0]: a source needs a name'],
    [
      'registry: { sources: [{ name: a, type: gitlab }] }',
      'line 1, column 40: registry.sources[0].type: unknown value; expected one of: github',
    ],
    ['beta: { enabled: mur-deploy }', 'line 1, column 18: beta.enabled: expected sequence, got string'],
  ])('%j is refused by path, line, column and key', (text, expected) => {
    const said = refusal(() => parseConfig(text, 'c'));
    if (expected === null) expect(said).toMatch(/^E-IO-003 failed to parse c: line 1, column \d+: /);
    else expect(said).toBe(`E-IO-003 failed to parse c: ${expected}`);
  });

  test('that is unreadable is an error, never an empty config', () => {
    expect(refusal(() => readConfig({ global: folder }))).toBe('E-IO-003 failed to read <dir>: is a directory');
    expect(readConfigFile(at('none'))).toBeUndefined();
  });

  test.each([
    'credentials:\n  A: !sk-secret',
    'credentials:\n  A: *sk-secret',
    'credentials:\n  A: {x: sk-secret',
    'credentials:\n  A: "sk-secret" sk-secret',
    'inference: { api_key: ${sk-secret} }',
    'credentials:\n  A: [sk-secret]',
    'credentials:\n  sk-secret: ""',
    'credentials:\n  ? [sk-secret]\n  : 1',
    'credentials: sk-secret',
    'inference: { api_key: [sk-secret] }',
    'inference: { api_key: { sk-secret: sk-secret } }',
    'registry: { sources: [{ name: a, token: [sk-secret] }] }',
    'registry: { sources: [{ token: sk-secret }] }',
    'sk-secret: 1',
    'inference: { sk-secret: 1 }',
    'registry: { sources: [{ name: a, sk-secret: 1 }] }',
    'host_paths: [{ sk-secret: 1 }]',
    'sk-secret: 1\nsk-secret: 2',
    'containment: sk-secret',
    'host_paths: [{ access: sk-secret }]',
    '%YAML sk-secret\n---\ninspect: true',
    '%YAML 1.1 sk-secret\n---\ninspect: true',
    '%sk-secret x\n---\ninspect: yes-sk-secret',
    'inspect: !<sk-secret> true',
    'inspect: !sk-secret! true',
    'credentials: !!sk-secret {}',
  ])('with a slip in %j does not print the key', (text) => {
    let said = '';
    try {
      said = parseConfig(`${text}\n`, 'c').warnings.join('\n');
    } catch (error) {
      if (!isMurError(error)) throw error;
      said = JSON.stringify(error) + error.hint;
    }
    expect(said).not.toContain('sk-secret');
    expect(said).not.toBe('');
  });

  test('warns of a key it does not know, where it stands and what was probably meant', () => {
    expect(
      parseConfig('\nregistery: {}\nspend: { tokens: 1 }\nregistry: { sources: [{ name: a, tokn: x }] }\n', 'c')
        .warnings,
    ).toEqual([
      "c, line 2, column 1: unknown key 'registery' at the top level is ignored; did you mean 'registry'?",
      "c, line 3, column 10: unknown key 'tokens' in 'spend' is ignored; it may come from a newer runtime",
      "c, line 4, column 34: unknown key 'tokn' in 'registry.sources[0]' is ignored; did you mean 'token'?",
    ]);
  });

  test('warns of a credential that no manifest can name, without its name', () => {
    expect(parseConfig('credentials: { my_key: x, OK_1: y }', 'c').warnings).toEqual([
      'c, line 1, column 16: this entry of credentials can never be used: its name is not of capital letters, digits and _',
    ]);
  });

  test('of any text is a value or a coded error, and never shows what stands under credentials', () => {
    const secret = 'Zq7SECRETq7Z';
    const piece = fc.constantFrom(...`:{}[]"'\\#&*!|>-?,%@\`\n \t~0aA`);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(40), (pieces, where) => {
        const text = [...pieces.slice(0, where), secret, ...pieces.slice(where)].join('');
        try {
          parseConfig(`credentials:\n  A: ${text.replaceAll('\n', '\n     ')}\n`, 'c');
        } catch (error) {
          if (!isMurError(error)) throw error;
          expect(`${error.message} ${error.hint}`).not.toContain(secret);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the files of a command', () => {
  test('are the one in the murmur home and the one in the working folder, without walking up', () => {
    expect(locateConfig({ HOME: '/h' }, folder)).toEqual({
      global: '/h/.murmur/config.yaml',
      project: at('.murmur/config.yaml'),
    });
    expect(refusal(() => locateConfig({}))).toBe('E-IO-001 could not determine home directory');
  });

  test('may both be missing: the built-in source remains', () => {
    const config = readConfig({ global: at('none'), project: at('no/ne') });
    expect(config).toMatchObject({
      registry: { default: 'official', sources: [{ name: 'official', repo: 'murmur-nexus/default-artifacts' }] },
      credentials: new Map(),
      privateNames: [],
      inspect: false,
      warnings: [],
    });
  });

  test('a global file without sources is an empty chain: the built-in one counts only when there is none', () => {
    writeFileSync(at('c'), 'inspect: true\n');
    const { registry } = readConfig({ global: at('c') });
    expect([registry.default, registry.sources]).toEqual(['', []]);
  });

  test('are one file when the project is the home folder, also through a link', () => {
    writeFileSync(at('c'), 'credentials: { A: k }');
    expect(readConfig({ global: at('c'), project: at('c') }).warnings).toEqual([]);
    mkdirSync(at('real'));
    symlinkSync(at('c'), at('real/config.yaml'));
    expect(readConfig({ global: at('c'), project: at('real/config.yaml') }).warnings).toEqual([]);
  });
});
