// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { describe, expect, test } from 'vitest';
import { capsule, parse, placelessVerdict, refusal, warningsOf } from './support.js';

const entry = (keys: string) => capsule(`artifacts:\n  - { ${keys} }\n`);
const bad = (message: string) => `E-MAN-003 murmur.yaml: invalid artifact declaration at index 0: ${message}`;

describe('an artifact entry', () => {
  test('defaults to a model-callable tool', () => {
    expect(parse(entry('name: a, version: 1.0.0')).artifacts).toEqual([
      {
        index: 0,
        name: 'a',
        toolName: 'a',
        version: '1.0.0',
        runtime: 'tool',
        localSource: false,
        promptPayload: false,
        onOverflow: 'drop',
      },
    ]);
  });

  test('of a skill may be local and a prompt without saying so', () => {
    expect(parse(entry('name: s, runtime: skill, source: ./s')).artifacts[0]).toMatchObject({
      version: 'local',
      source: './s',
      localSource: true,
      promptPayload: true,
    });
  });

  test('with a scope is called by its last segment', () => {
    expect(parse(entry('name: acme/csv-merge, version: 1')).artifacts[0]).toMatchObject({
      name: 'acme/csv-merge',
      toolName: 'csv-merge',
    });
  });

  test.each([
    ['no name', 'version: 1', "missing required field 'name'"],
    [
      'a name in capitals',
      'name: Csv, version: 1',
      'invalid artifact name \'Csv\': expected 1-100 characters of a-z, 0-9 and "-", with no "-" at either end, optionally behind "<scope>/"',
    ],
    [
      'a name that climbs',
      'name: ../x, version: 1',
      'invalid artifact name \'../x\': expected 1-100 characters of a-z, 0-9 and "-", with no "-" at either end, optionally behind "<scope>/"',
    ],
    [
      'two scopes',
      'name: a/b/c, version: 1',
      'invalid artifact name \'a/b/c\': at most one "/" may separate a scope from a name',
    ],
    ['no version', 'name: a', "missing required field 'version'"],
    [
      'a version that climbs',
      'name: a, version: ../1',
      "invalid version '../1' of artifact 'a': expected one path segment",
    ],
    [
      'runtime wasm',
      'name: a, version: 1, runtime: wasm',
      "use 'runtime: tool'; implementation is declared in the artifact's own manifest (got 'wasm')",
    ],
    [
      'runtime native',
      'name: a, version: 1, runtime: native',
      "use 'runtime: tool'; implementation is declared in the artifact's own manifest (got 'native')",
    ],
    [
      'an unknown runtime',
      'name: a, version: 1, runtime: plugin',
      "unknown runtime 'plugin'; expected one of: tool, driver, hook, skill",
    ],
    [
      'a source without the opt-in',
      'name: a, version: 1, source: ./a',
      "artifact 'a' declares 'source:' but does not declare 'local_source: true' (runtime: tool)",
    ],
    [
      'a skill that opted out',
      'name: a, runtime: skill, source: ./a, local_source: false',
      "artifact 'a' declares 'source:' but does not declare 'local_source: true' (runtime: skill)",
    ],
    [
      'capabilities on a skill',
      'name: a, version: 1, runtime: skill, capabilities: {}',
      "artifact 'a' declares 'capabilities:' but a skill is text and takes none",
    ],
    [
      'null config on a skill',
      'name: a, version: 1, runtime: skill, config: ',
      "artifact 'a' declares 'config:' but a skill is text and takes none",
    ],
    [
      'a gateway on a skill',
      'name: a, version: 1, runtime: skill, gateway: { endpoint: "https://x", keyless: true }',
      "artifact 'a' declares 'gateway:' but a skill is text and takes none",
    ],
    [
      'on_overflow on a tool',
      'name: a, version: 1, on_overflow: drop',
      "artifact 'a' declares 'on_overflow:' but has 'runtime: tool'; only a hook has a queue",
    ],
    [
      'an unknown on_overflow',
      'name: a, version: 1, runtime: hook, on_overflow: wait',
      "artifact 'a' declares unknown on_overflow 'wait'; expected: drop, block",
    ],
    [
      'task_io on a tool',
      'name: a, version: 1, capabilities: { task_io: { read: true } }',
      'capabilities.task_io: only a hook entry may declare task_io',
    ],
    [
      'conversation on a driver',
      'name: a, version: 1, runtime: driver, capabilities: { conversation: { read: true } }',
      'capabilities.conversation: only a hook entry may declare conversation',
    ],
    [
      'install on an entry',
      'name: a, version: 1, capabilities: { install: { tool: [b] } }',
      'capabilities.install: install is granted to the whole capsule, not to one artifact',
    ],
    [
      'task_io without read',
      'name: a, version: 1, runtime: hook, capabilities: { task_io: {} }',
      'capabilities.task_io.read: must be written: true or false',
    ],
  ])('with %s is refused', (_, keys, expected) => expect(placelessVerdict(entry(keys))).toBe(bad(expected)));

  test('with a name another entry has is refused', () => {
    const text = capsule('artifacts:\n  - { name: a/x, version: 1 }\n  - { name: x, version: 2 }\n');
    expect(placelessVerdict(text)).toBe(
      "E-MAN-003 murmur.yaml: invalid artifact declaration at index 1: artifact 'x' has the name 'x' that index 0 already uses",
    );
  });

  test('with source and version warns that the version is not used', () => {
    expect(warningsOf(entry('name: a, runtime: skill, version: 2.0, source: ./a'))).toEqual([
      {
        message:
          "artifact 'a' declares both 'source:' and 'version: 2.0'; version is ignored for local-source skills (using 'local')",
        line: 4,
        column: 32,
      },
    ]);
  });

  test('tells an empty allow list from none', () => {
    const manifest = parse(
      capsule(
        'artifacts:\n  - { name: a, version: 1, capabilities: { network: { allow: [] } } }\n  - { name: b, version: 1, capabilities: { network: {} } }\n',
      ),
    );
    expect(manifest.artifacts.map(({ capabilities }) => capabilities?.network)).toEqual([
      { allow: [], unixSockets: false },
      { unixSockets: false },
    ]);
  });
});

describe('config of an artifact', () => {
  const config = (value: string) =>
    parse(capsule(`artifacts:\n  - name: a\n    version: 1\n    config: ${value}\n`)).artifacts[0]?.config;

  test('is compact JSON in the order written, also for keys like integers', () => {
    expect(config('{ z: 1, "10": [true, ~, "é\\n"], "2": { b: .5 }, __proto__: x }')?.json).toBe(
      '{"z":1,"10":[true,null,"é\\n"],"2":{"b":0.5},"__proto__":"x"}',
    );
  });

  test.each([
    ['', 'declares a null, expected a mapping'],
    ['[1]', 'declares a sequence, expected a mapping'],
    ['text', 'declares a string, expected a mapping'],
    ['{ 1: a }', "its key '1' is not a string"],
    ['{ a: [1, .inf] }', "the number at 'a.1' has no JSON form"],
    ['{ a: 9007199254740993 }', "the integer at 'a' is beyond 9007199254740991"],
  ])('%s is kept with the reason staging will give', (value, problem) =>
    expect(config(value)).toMatchObject({ json: '', problem }),
  );
});

describe('a gateway', () => {
  const gateway = (keys: string) => capsule(`artifacts:\n  - name: a\n    version: 1\n    gateway: { ${keys} }\n`);
  const read = (keys: string) => parse(gateway(keys)).artifacts[0]?.gateway;

  test.each([
    'https://api.example.com',
    'https://api.example.com:8443/v1',
    'http://localhost:11434',
    'http://127.8.9.1/x',
    'http://[::1]:80',
  ])('may point at %s', (endpoint) =>
    expect(read(`endpoint: "${endpoint}", keyless: true`)).toEqual({ endpoint, declaredBy: 'gateway' }),
  );

  test.each([
    [
      'http://api.example.com',
      "'http://api.example.com' on artifact 'a' must use https; http is accepted only toward localhost or a loopback address",
    ],
    [
      'http://0.0.0.0',
      "'http://0.0.0.0' on artifact 'a' must use https; http is accepted only toward localhost or a loopback address",
    ],
    [
      'http://10.0.0.1',
      "'http://10.0.0.1' on artifact 'a' must use https; http is accepted only toward localhost or a loopback address",
    ],
    [
      'http://[::ffff:127.0.0.1]',
      "'http://[::ffff:127.0.0.1]' on artifact 'a' must use https; http is accepted only toward localhost or a loopback address",
    ],
    [
      'http://localhost.evil.com',
      "'http://localhost.evil.com' on artifact 'a' must use https; http is accepted only toward localhost or a loopback address",
    ],
    [
      'https://user:hunter2@api.example.com/v1',
      "for host 'api.example.com' on artifact 'a' must not carry userinfo before '@'",
    ],
    ['https:user:hunter2@api.example.com', "(not shown) on artifact 'a' must not carry userinfo before '@'"],
    ['https://${HOST}/v1', "'https://${HOST}/v1' on artifact 'a' must be written literally; it is not interpolated"],
    ['https://h/?a=1', "'https://h/?a=1' on artifact 'a' must not carry a query or fragment"],
    ['https://h/#', "'https://h/#' on artifact 'a' must not carry a query or fragment"],
    ['ftp://h', "'ftp://h' on artifact 'a' must use http or https"],
    ['api.example.com', "'api.example.com' on artifact 'a' is not a valid URL"],
    ['https:h', "'https:h' on artifact 'a' is not a valid URL"],
    ['https://', "'https://' on artifact 'a' is not a valid URL"],
    ['https://h ost', "'https://h ost' on artifact 'a' is not a valid URL"],
  ])('may not point at %s (S16)', (endpoint, why) => {
    expect(placelessVerdict(gateway(`endpoint: "${endpoint}", keyless: true`))).toBe(bad(`gateway.endpoint ${why}`));
  });

  test('takes a reference or a literal key, and shows neither', () => {
    expect(read('endpoint: "https://h", api_key: "${MY_KEY}"')?.apiKey).toEqual({ kind: 'reference', name: 'MY_KEY' });
    const literal = read('endpoint: "https://h", api_key: "${my_key}"')?.apiKey;
    expect(JSON.stringify(literal)).toBe('{"kind":"literal","secret":"<redacted>"}');
    expect(literal?.kind === 'literal' && literal.secret.reveal()).toBe('${my_key}');
  });

  test.each([
    ['no endpoint', 'keyless: true', bad("artifact 'a' declares 'gateway:' without 'gateway.endpoint'")],
    [
      'a key and keyless',
      'endpoint: "https://h", api_key: sk-abc, keyless: true',
      bad("artifact 'a' declares both 'gateway.api_key' and 'gateway.keyless: true'; keep one"),
    ],
    [
      'a blank key and keyless',
      'endpoint: "https://h", api_key: , keyless: true',
      bad("artifact 'a' declares both 'gateway.api_key' and 'gateway.keyless: true'; keep one"),
    ],
  ])('with %s is refused', (_, keys, expected) => expect(placelessVerdict(gateway(keys))).toBe(expected));

  test.each(['', ', api_key: ""', ', api_key: ', ', keyless: false'])(
    'that binds no credential is refused: {%s}',
    (keys) => {
      const error = refusal(gateway(`endpoint: "https://h"${keys}`));
      expect(`${error.code} ${error.message}`).toBe(
        "E-CAP-018 murmur.yaml: invalid artifact declaration at index 0: artifact 'a' declares gateway.endpoint 'https://h' but binds no credential (line 6, column 14)",
      );
      expect(error.hint).toBe('add api_key: or keyless: true');
    },
  );
});
