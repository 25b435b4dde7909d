// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files write references so
import { describe, expect, test } from 'vitest';
import { mergeConfig, parseConfig } from '../../src/home/config.js';
import { isReference } from '../../src/home/config-merge.js';

const merged = (global: string, project?: string) =>
  mergeConfig(parseConfig(global, 'g'), project === undefined ? undefined : parseConfig(project, 'p'));

/** spec/config.md section 3, one row each, both ways. */
describe('the merge of global and project config', () => {
  test('without a project file is the global one', () => {
    const { path: _path, ...global } = parseConfig('containment: scoped\nspend: { machine_tokens_per_day: 5 }', 'g');
    const effective = merged('containment: scoped\nspend: { machine_tokens_per_day: 5 }');
    expect({ ...effective, registry: { ...effective.registry, indexUrl: '' } }).toEqual(global);
  });

  test.each(['default', 'index_url'] as const)('registry.%s is the project one when it is not empty', (key) => {
    const field = key === 'default' ? 'default' : 'indexUrl';
    expect(merged(`registry: { ${key}: g }`, `registry: { ${key}: p }`).registry[field]).toBe('p');
    expect(merged(`registry: { ${key}: g }`, `registry: { ${key}: "" }`).registry[field]).toBe('g');
    expect(merged('{}', `registry: { ${key}: p }`).registry[field]).toBe('p');
  });

  test.each(['provider', 'model', 'endpoint'] as const)(
    'inference.%s is the project one when it is not empty',
    (key) => {
      expect(merged(`inference: { ${key}: g }`, `inference: { ${key}: p }`).inference[key]).toBe('p');
      expect(merged(`inference: { ${key}: g }`, 'inference: {}').inference[key]).toBe('g');
      expect(merged('{}', '{}').inference[key]).toBe('');
    },
  );

  test('inference.api_key is always the global one', () => {
    expect(merged('inference: { api_key: g }', 'inference: { api_key: p }').inference.apiKey?.reveal()).toBe('g');
    expect(merged('{}', 'inference: { api_key: p }').inference.apiKey).toBeUndefined();
  });

  test('a literal inference.api_key in the project file is warned about, a reference is not', () => {
    const warnings = (value: string) => merged('{}', `inference: { api_key: "${value}" }`).warnings;
    expect(warnings('sk-secret')).toEqual([expect.stringMatching(/^inference\.api_key in p is a key in a file/)]);
    expect(warnings('sk-secret').join()).not.toContain('sk-secret');
    expect(warnings('${my_key}')).toHaveLength(1);
    expect(warnings('${MY_KEY}')).toEqual([]);
    expect(merged('inference: { api_key: sk-secret }').warnings).toEqual([]);
    expect(['${A}', ' ${A_1} ', '${1A}', '${}', '$A', '${a}'].map(isReference)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('sources are united by name: replaced in place, appended, kept', () => {
    const sources = (text: string) => `registry: { sources: [${text}] }`;
    const { registry } = merged(
      sources('{ name: a, repo: g/a }, { name: b, repo: g/b }, { name: c, repo: g/c }'),
      sources('{ name: z, repo: p/z }, { name: b, repo: p/b }'),
    );
    expect(registry.sources.map(({ name, repo }) => `${name}=${repo}`)).toEqual(['a=g/a', 'b=p/b', 'c=g/c', 'z=p/z']);
  });

  test('a project brings its sources beside the built-in one when there is no global file', () => {
    const project = parseConfig('registry: { default: mine, sources: [{ name: mine, repo: a/b }] }', 'p');
    expect(mergeConfig(undefined, project).registry).toMatchObject({
      default: 'mine',
      sources: [{ name: 'official' }, { name: 'mine' }],
    });
  });

  test('beta features are the global ones, then those of the project only', () => {
    expect(merged('beta: { enabled: [b, a] }', 'beta: { enabled: [c, a] }').betaEnabled).toEqual(['b', 'a', 'c']);
  });

  test.each([
    ['containment: advisory', 'containment: sealed', 'sealed'],
    ['containment: sealed', 'containment: advisory', 'sealed'],
    ['', 'containment: unconfined', 'unconfined'],
    ['containment: scoped', '', 'scoped'],
    ['', '', undefined],
  ])('%s under %s asks for %s: a project cannot lower containment', (global, project, expected) =>
    expect(merged(global, project).containment).toBe(expected),
  );

  test.each([
    [5, 9, 5],
    [9, 5, 5],
    [undefined, 5, 5],
    [5, undefined, 5],
    [undefined, undefined, undefined],
  ])('a ceiling of %s under %s is %s: a project cannot raise it', (global, project, expected) => {
    const text = (value: number | undefined) =>
      value === undefined ? '{}' : `spend: { machine_tokens_per_day: ${value} }`;
    expect(merged(text(global), text(project)).spend.machineTokensPerDay).toBe(expected);
  });

  test('a project brings neither keys, folders, private names nor inspection, and is told so', () => {
    const text =
      'credentials: { A: p, B: p }\nhost_paths: [{ path: /p, access: read }]\nnetwork: { private_names: [x] }\ninspect: true';
    const config = merged('credentials: { A: g }', text);
    expect(config.credentials.get('A')?.reveal()).toBe('g');
    expect(config.credentials.has('B')).toBe(false);
    expect([config.hostPaths, config.privateNames, config.inspect]).toEqual([[], [], false]);
    expect(config.warnings).toEqual(
      ['credentials', 'host_paths', 'network.private_names', 'inspect'].map(
        (key) => `${key} in p is ignored: only the global config may set it`,
      ),
    );
    const global = merged(text, '');
    expect([global.hostPaths.length, global.privateNames, global.inspect, global.warnings]).toEqual([
      1,
      ['x'],
      true,
      [],
    ]);
  });

  test('an empty map or list in the project file is nothing to warn about', () => {
    expect(
      merged('{}', 'credentials: {}\nhost_paths: []\nnetwork: { private_names: [] }\ninspect: false').warnings,
    ).toEqual([]);
  });
});
