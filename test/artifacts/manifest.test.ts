import { describe, expect, test } from 'vitest';
import { parseArtifactManifest } from '../../src/artifacts/index.js';
import { isMurError } from '../../src/errors/index.js';

const base = 'name: a\nversion: 1.10\nruntime: tool\n';
const read = (lines = '') => parseArtifactManifest(base + lines, 'murmur.yaml');

function refusal(text: string): string {
  try {
    parseArtifactManifest(text, 'murmur.yaml');
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('an artifact manifest', () => {
  test('that is silent is a WASM artifact without limits or header', () => {
    expect(read()).toEqual({
      name: 'a',
      version: '1.10',
      runtime: 'tool',
      implementation: 'wasm',
      requiresFiles: [],
      tags: [],
      needsGateway: true,
      hook: {},
    });
  });

  test('carries what a model, a gateway and a hook need', () => {
    expect(
      read(
        'description: "  Adds. "\nimplementation: native\ntags: [x]\ninput_schema: { type: object, required: [b, a] }\nupstream_auth: { header: X-Api-Key, value: "{key}" }\nmodels: { m: { max_output_tokens: 5, context_window: 9, max_input_tokens: 7 } }\nneeds_gateway: false\nbinding: on-shell\n',
      ),
    ).toEqual({
      name: 'a',
      version: '1.10',
      runtime: 'tool',
      implementation: 'native',
      requiresFiles: [],
      description: 'Adds.',
      tags: ['x'],
      inputSchema: { type: 'object', required: ['b', 'a'] },
      upstreamAuth: { header: 'X-Api-Key', value: '{key}' },
      models: new Map([['m', { maxOutputTokens: 5, contextWindow: 9, maxInputTokens: 7 }]]),
      needsGateway: false,
      hook: { binding: 'on-shell' },
    });
  });

  test('an implementation nobody knows is wasm, unknown keys and capabilities mean nothing', () => {
    expect(
      read('implementation: quantum\ncapabilities: { network: { allow: ["*"] } }\nfuture: 1\n').implementation,
    ).toBe('wasm');
  });

  test('the older spelling of the schema is read; JSON text stays text', () => {
    expect(read('input: \'{"type":"object"}\'\n').inputSchema).toBe('{"type":"object"}');
  });

  test.each([
    ['name: a\nversion: 1\n', "E-MAN-001 murmur.yaml: missing required field 'runtime' (line 1, column 1)"],
    ['[', 'E-MAN-002 murmur.yaml: YAML syntax error at line 1, column 2: Flow sequence must end with a ]'],
    ['- a', 'E-MAN-002 murmur.yaml: expected mapping, got sequence'],
    [
      'name: [a]\nversion: 1\nruntime: tool',
      "E-MAN-003 murmur.yaml: field 'name' has invalid type (expected string, got sequence) (line 1, column 7)",
    ],
    [
      `${base}tags: 5`,
      "E-MAN-003 murmur.yaml: field 'tags' has invalid type (expected sequence of strings, got number) (line 4, column 7)",
    ],
    [
      `${base}models: []`,
      "E-MAN-003 murmur.yaml: field 'models' has invalid type (expected mapping, got sequence) (line 4, column 9)",
    ],
    [
      `${base}models: { m: { max_output_tokens: 5 } }`,
      "E-MAN-003 murmur.yaml: field 'models.m.context_window' has invalid type (expected integer above zero, got null) (line 4, column 14)",
    ],
    [
      `${base}models: { m: { max_output_tokens: 0, context_window: 1 } }`,
      "E-MAN-003 murmur.yaml: field 'models.m.max_output_tokens' has invalid type (expected integer above zero, got number) (line 4, column 35)",
    ],
    [
      'name: a\nversion: ../1\nruntime: tool',
      "E-MAN-003 murmur.yaml: invalid version '../1': it must not contain a path separator (line 2, column 10)",
    ],
  ])('%j is refused', (text, expected) => expect(refusal(text)).toBe(expected));
});

describe('upstream_auth', () => {
  test.each([
    ['upstream_auth: { header: Authorization, value: "Bearer {key}" }', undefined],
    ['upstream_auth: [a]', 'expected a mapping with header and value'],
    ['upstream_auth: { value: "{key}" }', 'header is missing'],
    ['upstream_auth: { header: "X Y", value: "{key}" }', "'X Y' is no header name"],
    ['upstream_auth: { header: HOST, value: "{key}" }', "header 'HOST' cannot carry a key"],
    ['upstream_auth: { header: Transfer-Encoding, value: "{key}" }', "header 'Transfer-Encoding' cannot carry a key"],
    ['upstream_auth: { header: X }', 'value is missing'],
    ['upstream_auth: { header: X, value: key }', 'value must contain {key} exactly once'],
    ['upstream_auth: { header: X, value: "{key}{key}" }', 'value must contain {key} exactly once'],
    ['upstream_auth: { header: X, value: "{key}\\r\\nY: 1" }', 'value must not contain control characters'],
    ['inference_auth: { header: X, value: "{key}" }', "'inference_auth' was renamed to 'upstream_auth'"],
  ])('%s', (line, problem) => {
    const manifest = read(line);
    expect(manifest.upstreamAuthProblem).toBe(problem);
    expect(manifest.upstreamAuth === undefined).toBe(problem !== undefined);
  });
});

describe('odd values of an artifact manifest', () => {
  test.each([
    [
      'name: a\nversion: "1"\nruntime: "  "\n',
      "E-MAN-001 murmur.yaml: missing required field 'runtime' (line 3, column 1)",
    ],
    ['', "E-MAN-001 murmur.yaml: missing required field 'name'"],
    [
      `${base}needs_gateway: "no"`,
      "E-MAN-003 murmur.yaml: field 'needs_gateway' has invalid type (expected boolean, got string) (line 4, column 16)",
    ],
    [
      `${base}models: { m: 5 }`,
      "E-MAN-003 murmur.yaml: field 'models.m' has invalid type (expected mapping, got number) (line 4, column 14)",
    ],
    [
      `${base}execution: 5`,
      "E-MAN-003 murmur.yaml: field 'execution' has invalid type (expected string, got number) (line 4, column 12)",
    ],
  ])('%j is refused', (text, expected) => expect(refusal(text)).toBe(expected));

  test('nulls are silence, and integers beyond a double are numbers in a schema', () => {
    expect(
      read(
        'needs_gateway: null\nmodels: null\ninput_schema: null\nexecution: null\nrequires_files: null\ndescription: ""\n',
      ),
    ).toEqual(read());
    expect(read('input_schema: { maximum: 99999999999999999999 }\n').inputSchema).toEqual({ maximum: 1e20 });
  });
});
