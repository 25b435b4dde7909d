// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseArtifactManifest } from '../../src/artifacts/index.js';
import { gatewaylessDrivers } from '../../src/manifest/drivers.js';
import { agent, capsule, parse, placelessVerdict, refusal, warningsOf } from './support.js';

const rule = (field: string, why: string) => `E-MAN-003 murmur.yaml: invalid inference config for '${field}': ${why}`;
const entryRule = (why: string) => `E-MAN-003 murmur.yaml: invalid artifact declaration at index 0: ${why}`;

describe('inference', () => {
  test('that is silent gets every default', () => {
    expect(parse(agent()).inference).toEqual({
      transport: 'http',
      model: 'm1',
      driver: { artifact: 'brain' },
      maxTurns: 10,
      toolRefresh: 'immediate',
      alternates: [],
      compaction: { threshold: 0.98, dumpSummaries: false },
    });
  });

  test.each([
    ['max_turns: 0', rule('inference.max_turns', 'must be greater than zero, got 0')],
    [
      'transport: carrier-pigeon',
      rule('inference.transport', "unknown value 'carrier-pigeon'; expected one of: http, process"),
    ],
    ['command: claude', rule('inference.command', 'is not valid with transport: http')],
    [
      'system_prompt: a\nsystem_prompt_file: b',
      rule(
        'inference.system_prompt',
        'at most one of system_prompt, system_prompt_file, system_prompt_artifact may be set',
      ),
    ],
    [
      'system_prompt_artifact: nobody',
      rule('inference.system_prompt_artifact', "'nobody' is not declared under artifacts"),
    ],
    [
      'system_prompt_artifact: brain',
      rule('inference.system_prompt_artifact', "artifact 'brain' does not declare 'prompt_payload: true'"),
    ],
    ['compaction: { threshold: 0 }', rule('inference.compaction.threshold', 'must be in (0.0, 1.0] but got 0')],
    ['compaction: { threshold: 1.1 }', rule('inference.compaction.threshold', 'must be in (0.0, 1.0] but got 1.1')],
    [
      'compaction: { system_prompt: a, system_prompt_file: b }',
      rule('inference.compaction.system_prompt', 'at most one of system_prompt, system_prompt_file may be set'),
    ],
    [
      'compaction: { driver_config: [1] }',
      rule('inference.compaction.driver_config', 'expected mapping/object, got sequence'),
    ],
    [
      'alternates: [{ name: primary, model: m, driver: { artifact: brain } }]',
      rule('inference.alternates[0].name', "'primary' is the main choice"),
    ],
    [
      'alternates: [{ name: A, model: m, driver: { artifact: brain } }]',
      rule(
        'inference.alternates[0].name',
        '\'A\' is no choice name; expected a lowercase letter and up to 62 of a-z, 0-9, "-"',
      ),
    ],
    [
      'alternates: [{ name: a, model: m1, driver: { artifact: brain } }]',
      rule('inference.alternates[0]', "driver 'brain' with model 'm1' is declared twice"),
    ],
    [
      'alternates: [{ name: a, model: m2, driver: { artifact: brain, config: {} } }]',
      rule('inference.alternates[0].driver.config', 'an alternate takes no driver config of its own'),
    ],
    [
      'alternates: [{ name: a, model: m2, driver: { artifact: brain } }]',
      rule('inference.alternates', "needs 'inference.driver' in control.settings or control.agent_settings"),
    ],
  ])('%s is refused', (lines, expected) => expect(placelessVerdict(agent(lines))).toBe(expected));

  test.each([
    ['no model', 'driver: { artifact: x }', rule('inference.model', 'missing required field')],
    ['no driver', 'model: m', rule('inference.driver', 'missing required field')],
    ['a driver without a name', 'model: m\n  driver: {}', rule('inference.driver.artifact', 'missing required field')],
    [
      'an undeclared driver',
      'model: m\n  driver: { artifact: ghost }',
      rule('inference.driver.artifact', "'ghost' is not declared under artifacts"),
    ],
    [
      'a tool as driver',
      'model: m\n  driver: { artifact: x }',
      rule('inference.driver.artifact', "artifact 'x' has 'runtime: tool', expected driver"),
    ],
    [
      'a list as driver config',
      'model: m\n  driver: { artifact: x, config: [] }',
      rule('inference.driver.config', 'expected mapping/object, got sequence'),
    ],
    [
      'only a command under process',
      'transport: process\n  command: claude',
      rule('inference.driver', 'missing required field'),
    ],
    [
      'an output cap under process',
      'transport: process\n  max_tokens: 1',
      rule('inference.max_tokens', 'is not valid with transport: process'),
    ],
  ])('with %s is refused', (_, lines, expected) => {
    expect(placelessVerdict(capsule(`artifacts: [{ name: x, version: 1 }]\ninference:\n  ${lines}\n`))).toBe(expected);
  });

  test('takes a driver by its full name or its last segment', () => {
    for (const reference of ['acme/brain', 'brain']) {
      const text = capsule(
        `artifacts: [{ name: acme/brain, version: 1, runtime: driver, gateway: { endpoint: "https://h", keyless: true } }]\ninference: { model: m, driver: { artifact: ${reference} } }\n`,
      );
      expect(parse(text).inference?.driver).toEqual({ artifact: reference });
    }
  });

  test('names the driver that was meant', () => {
    const text = agent().replace('driver: { artifact: brain }', 'driver: { artifact: brian }');
    expect(refusal(text).hint).toBe("did you mean 'brain'?");
    expect(refusal(agent('system_prompt_artifact: brains')).hint).toBe("did you mean 'brain'?");
    expect(refusal(agent('system_prompt_artifact: something-else')).hint).toBeUndefined();
  });

  test('null driver config is absent', () => {
    expect(parse(agent('compaction: { driver_config: }')).inference?.compaction).not.toHaveProperty('driverConfig');
  });
});

describe('a driver entry', () => {
  const withDriver = (keys: string, name = 'brain') =>
    capsule(
      `artifacts: [{ name: ${name}, version: 1, runtime: driver${keys} }]\ninference: { model: m, driver: { artifact: ${name} } }\n`,
    );

  test('that serves inference must have a gateway', () => {
    const error = refusal(withDriver(''));
    expect(error.message).toBe(
      "murmur.yaml: invalid artifact declaration at index 0: artifact 'brain' is an inference driver and must declare 'gateway.endpoint' (line 3, column 13)",
    );
    expect(error.hint).toBe('add gateway: with endpoint: and api_key: or keyless: true');
  });

  test('of this package that opens no connection needs none', () => {
    for (const name of gatewaylessDrivers) {
      expect(parse(withDriver('', name)).artifacts[0]).not.toHaveProperty('gateway');
      const file = new URL(`../../artifacts/${name}/murmur.yaml`, import.meta.url);
      expect(parseArtifactManifest(readFileSync(file, 'utf8'), name).needsGateway).toBe(false);
    }
  });

  test('read from disk may go without until its own manifest is known', () => {
    expect(parse(withDriver(', source: ./d, local_source: true')).artifacts[0]?.source).toBe('./d');
  });

  test('that nothing names may have no gateway', () => {
    const text = capsule(
      'artifacts: [{ name: spare, version: 1, runtime: driver, gateway: { endpoint: "https://h", keyless: true } }]',
    );
    expect(placelessVerdict(text)).toBe(
      entryRule("artifact 'spare' declares 'gateway:' but no inference driver names this entry"),
    );
  });

  test.each(['gateway: { endpoint: "https://h", keyless: true }', 'capabilities: {}', 'config: {}'])(
    'under process takes no %s',
    (keys) => {
      const text = capsule(
        `artifacts: [{ name: d, version: 1, runtime: driver, ${keys} }]\ninference: { transport: process, driver: { artifact: d } }\n`,
      );
      expect(placelessVerdict(text)).toMatch(/^E-MAN-003 .*artifact 'd' declares '(gateway|capabilities|config):'/);
    },
  );
});

describe('control', () => {
  const controlled = (control: string, alternates = '') => `${agent(alternates)}control: ${control}\n`;

  test.each([
    [
      '{ settings: [inference.model] }',
      rule('control.settings', "unknown value 'inference.model'; expected: inference.max_tokens, inference.driver"),
    ],
    [
      '{ settings: [inference.max_tokens, inference.max_tokens] }',
      rule('control.settings', "'inference.max_tokens' is named twice"),
    ],
    [
      '{ agent_settings: [inference.driver] }',
      rule('control.agent_settings', "'inference.driver' needs at least one entry in inference.alternates"),
    ],
    ['{ secrets: [lower] }', rule('control.secrets', '\'lower\' is no credential name; expected A-Z, 0-9 and "_"')],
    [
      '{ secrets: [UNUSED] }',
      rule('control.secrets', "'UNUSED' is the gateway.api_key of no artifact other than the inference driver"),
    ],
  ])('%s is refused', (control, expected) => expect(placelessVerdict(controlled(control))).toBe(expected));

  test('that lets the driver change accepts alternates', () => {
    const text = controlled(
      '{ settings: [inference.driver] }',
      'alternates: [{ name: a, model: m2, driver: { artifact: brain } }]',
    );
    expect(parse(text).inference?.alternates).toHaveLength(1);
  });
});

describe('older manifests', () => {
  const older = (lines: string, entryKeys = '') =>
    capsule(
      `artifacts: [{ name: brain, version: 1, runtime: driver${entryKeys} }]\ninference:\n  model: m\n  ${lines.replaceAll('\n', '\n  ')}\n`,
    );

  test('inference.endpoint and api_key become the gateway of the driver', () => {
    const text = older('driver: { artifact: brain }\nendpoint: https://api.example.com\napi_key: ${MY_KEY}');
    expect(parse(text).artifacts[0]?.gateway).toEqual({
      endpoint: 'https://api.example.com',
      apiKey: { kind: 'reference', name: 'MY_KEY' },
      declaredBy: 'inference',
    });
    expect(warningsOf(text)).toEqual([
      {
        code: 'W-RUN-901',
        message:
          "'inference.endpoint' is the older form; on the artifact entry 'brain' write gateway: with endpoint: https://api.example.com and api_key: (the value of inference.api_key)",
        line: 7,
        column: 3,
      },
    ]);
  });

  test('a literal key stays out of the warning', () => {
    const text = older('driver: { artifact: brain }\nendpoint: http://localhost:1\napi_key: sk-secret');
    expect(JSON.stringify(warningsOf(text))).not.toContain('sk-secret');
  });

  test('without a key the gateway is keyless', () => {
    const text = older('driver: { artifact: brain }\nendpoint: http://localhost:11434\napi_key: ""');
    expect(parse(text).artifacts[0]?.gateway).toEqual({ endpoint: 'http://localhost:11434', declaredBy: 'inference' });
  });

  test('inference.provider is inference.driver', () => {
    const text = older('provider: { artifact: brain, config: { a: 1 } }\nendpoint: http://localhost:1');
    expect(parse(text).inference?.driver).toMatchObject({ artifact: 'brain', config: { json: '{"a":1}' } });
    expect(warningsOf(text).map(({ code }) => code)).toEqual(['W-RUN-901', 'W-RUN-901']);
  });

  test.each([
    [
      'both names of the driver',
      older('driver: { artifact: brain }\nprovider: { artifact: brain }'),
      rule('inference.provider', 'is the older name of inference.driver, which is set too; keep one'),
    ],
    [
      'a bad endpoint',
      older('driver: { artifact: brain }\nendpoint: http://api.example.com'),
      rule(
        'inference.endpoint',
        "'http://api.example.com' must use https; http is accepted only toward localhost or a loopback address",
      ),
    ],
    [
      'a key without an endpoint',
      older('driver: { artifact: brain }\napi_key: sk-secret'),
      rule('inference.api_key', "needs 'gateway.endpoint' on the artifact entry 'brain'"),
    ],
    [
      'an endpoint in two places',
      older('driver: { artifact: brain }\nendpoint: https://h', ', gateway: { endpoint: "https://h", keyless: true }'),
      rule('inference.endpoint', "artifact 'brain' already declares 'gateway:'; set it in one place"),
    ],
  ])('%s is refused', (_, text, expected) => expect(placelessVerdict(text)).toBe(expected));
});
