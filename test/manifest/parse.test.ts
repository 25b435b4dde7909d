import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agent, capsule, parse, refusal, verdict } from './support.js';

const man2 = (line: number, column: number, detail: string) =>
  `E-MAN-002 murmur.yaml: YAML syntax error at line ${line}, column ${column}: ${detail}`;
const inference = (field: string, rest: string) =>
  `E-MAN-003 murmur.yaml: invalid inference config for '${field}': ${rest}`;
const capability = (field: string, rest: string) =>
  `E-MAN-003 murmur.yaml: invalid capability config for '${field}': ${rest}`;

describe('a manifest', () => {
  test('that is silent gets every default', () => {
    expect(parse(capsule())).toEqual({
      name: 'cap',
      version: '0.1.0',
      artifacts: [],
      context: { seedBudget: 0.1, seedOverflowMargin: 0.1, record: true },
      observability: {},
      trace: { capture: 'meta' },
      lifecycle: {
        taskAcceptance: 'single',
        afterTask: 'exit',
        queueDepth: 1,
        conversation: 'stateless',
        maxTaskReopens: 1,
        shellGraceSeconds: 10,
        delegationDeadlineSeconds: 600,
      },
      network: {},
      control: { settings: [], secrets: [], agentSettings: [] },
    });
  });

  test('with every block parses, in order, with units in its names', () => {
    const manifest = parse(readFileSync(new URL('complete.yaml', import.meta.url), 'utf8'));
    expect(manifest.artifacts.map(({ name, runtime, version }) => `${name} ${runtime} ${version}`)).toEqual([
      'murmur-driver-anthropic driver 0.7.0',
      'murmur-driver-openai driver 0.6.0',
      'part-finder tool 1.4.0',
      'letter-style skill local',
      'murmur-hook-compact hook 0.9.0',
      'watch-post hook 0.2.0',
    ]);
    expect(manifest.context).toEqual({
      maxTokens: 180_000,
      seedBudget: 0.15,
      seedOverflowMargin: 0.1,
      record: true,
      recordStore: 'stock',
      retain: { maxMessages: 2000, maxAgeSeconds: 90 * 86_400 },
    });
    expect(manifest.exports).toEqual({
      files: { root: 'out', maxBytes: 10_485_760 },
      peerFiles: { root: 'out/handoff', maxBytes: 10_485_760, maxTtlSeconds: 900 },
      peerTasks: true,
    });
    expect(manifest.network).toEqual({
      internalPort: 14_159,
      authentication: { scheme: 'bearer', credentials: [{ name: 'watcher', scopes: ['tasks/get', 'stream/watch'] }] },
    });
    expect(manifest.control).toEqual({
      settings: ['inference.max_tokens', 'inference.driver'],
      secrets: ['PARTS_KEY'],
      agentSettings: ['inference.driver'],
    });
    expect(manifest.inference?.alternates).toEqual([
      { name: 'local', model: 'qwen3', driver: { artifact: 'murmur-driver-openai' } },
    ]);
  });

  test('tolerates the keys of an artifact manifest in the same file', () => {
    const text = capsule(
      'runtime: tool\nimplementation: wasm\nexecution: wasm\nrequires_files: [a]\nregistry: { default: local }\n',
    );
    expect(parse(text).name).toBe('cap');
  });

  test.each([
    ['without a name', 'version: 1\n', "E-MAN-001 murmur.yaml: missing required field 'name' (line 1, column 1)"],
    [
      'with a blank name',
      'name: "  "\nversion: 1\n',
      "E-MAN-001 murmur.yaml: missing required field 'name' (line 1, column 1)",
    ],
    ['without a version', 'name: a\n', "E-MAN-001 murmur.yaml: missing required field 'version' (line 1, column 1)"],
    ['that is empty', '', "E-MAN-001 murmur.yaml: missing required field 'name'"],
    [
      'with config at the top',
      capsule('config: {}\n'),
      `${capability('config', 'config belongs to one artifact: write it in its artifacts entry')} (line 3, column 9)`,
    ],
  ])('%s is refused', (_, text, expected) => expect(verdict(text)).toBe(expected));

  test.each([
    ['a number for a name', 'name: 1\nversion: 1\n', man2(1, 7, 'name: expected string, got number')],
    [
      'a string for a flag',
      capsule('capabilities: { network: { unix_sockets: "yes" } }'),
      man2(3, 42, 'capabilities.network.unix_sockets: expected boolean, got string'),
    ],
    [
      'a word for a list',
      capsule('capabilities: { network: { allow: all } }'),
      man2(3, 35, 'capabilities.network.allow: expected sequence, got string'),
    ],
    [
      'null for a list',
      capsule('capabilities:\n  network:\n    allow:\n'),
      man2(5, 11, 'capabilities.network.allow: expected sequence, got null'),
    ],
    ['a list for a block', capsule('inference: []'), man2(3, 12, 'inference: expected mapping, got sequence')],
    [
      'a fraction for a count',
      capsule('context: { max_tokens: 1.5 }'),
      man2(3, 24, 'context.max_tokens: expected integer, got number'),
    ],
    [
      'an unknown word',
      capsule('lifecycle: { task_acceptance: often }'),
      man2(3, 31, "lifecycle.task_acceptance: unknown value 'often'; expected one of: none, single, queue"),
    ],
    [
      'an unknown capture',
      capsule('trace: { capture: all }'),
      man2(3, 19, "trace.capture: unknown value 'all'; expected one of: none, meta, content"),
    ],
    [
      'a map where peers are named',
      capsule('exports: { peer_tasks: [] }'),
      man2(3, 24, 'exports.peer_tasks: expected mapping, got sequence'),
    ],
    [
      'a word for a flag',
      capsule('exports: { peer_tasks: { accept: maybe } }'),
      man2(3, 34, 'exports.peer_tasks.accept: expected boolean, got string'),
    ],
    [
      'an unknown record word',
      capsule('context: { record: maybe }'),
      man2(3, 20, 'context.record: expected on or off or boolean, got string'),
    ],
    [
      'a key of the wrong type, unshown',
      agent('api_key: 12345\n'),
      man2(13, 12, 'inference.api_key: expected string, got number'),
    ],
  ])('E-MAN-002: %s', (_, text, expected) => expect(verdict(text)).toBe(expected));

  test.each([
    [
      'an integer no number holds',
      'context: { max_tokens: 9007199254740993 }',
      inference('context.max_tokens', '9007199254740993 is beyond 9007199254740991 (line 3, column 24)'),
    ],
    [
      'zero tokens',
      'context: { max_tokens: 0 }',
      inference('context.max_tokens', 'must be greater than zero, got 0 (line 3, column 24)'),
    ],
    [
      'a seed budget above one',
      'context: { seed_budget: 1.5 }',
      inference('context.seed_budget', 'must be from 0.0 to 1.0, got 1.5 (line 3, column 25)'),
    ],
    [
      'an empty retain',
      'context: { retain: {} }',
      inference('context.retain', 'must set max_messages or max_age (line 3, column 20)'),
    ],
    [
      'a null retain',
      'trace: { retain: }',
      inference('trace.retain', 'must set max_sessions or max_age (line 3, column 18)'),
    ],
    [
      'an age of zero',
      'trace: { retain: { max_age: 0d } }',
      inference(
        'trace.retain.max_age',
        "expected seconds or a number with s, m, h or d, above zero, got '0d' (line 3, column 29)",
      ),
    ],
    [
      'no sessions kept',
      'trace: { retain: { max_sessions: 0 } }',
      inference('trace.retain.max_sessions', 'must be greater than zero, got 0 (line 3, column 34)'),
    ],
    [
      'a negative count',
      'lifecycle: { queue_depth: -1 }',
      inference('lifecycle.queue_depth', 'must not be negative, got -1 (line 3, column 27)'),
    ],
    [
      'a port that is none',
      'network: { internal_port: 70000 }',
      capability('network.internal_port', '70000 is no port; expected 0 to 65535 (line 3, column 27)'),
    ],
    [
      'another authentication',
      'network: { authentication: { scheme: basic } }',
      capability('network.authentication.scheme', "unknown value 'basic'; expected: bearer (line 3, column 38)"),
    ],
    [
      'a credential named operator',
      'network: { authentication: { scheme: bearer, credentials: { operator: { scopes: [tasks/get] } } } }',
      capability(
        'network.authentication.credentials.operator',
        "'operator' is the name of the token that is always minted (line 3, column 71)",
      ),
    ],
    [
      'an unknown scope',
      'network: { authentication: { scheme: bearer, credentials: { a: { scopes: [root] } } } }',
      capability(
        'network.authentication.credentials.a.scopes[0]',
        "unknown scope 'root'; expected one of: message/send, message/stream, stream/watch, tasks/get, tasks/cancel, session/stop, resources/files (line 3, column 75)",
      ),
    ],
    [
      'a locked door and delegation',
      'capabilities: { spawn: { allow: [x] } }\nnetwork: { authentication: { scheme: bearer } }',
      capability(
        'network.authentication',
        'cannot be combined with a non-empty capabilities.spawn.allow (line 4, column 28)',
      ),
    ],
    [
      'a peer_tasks block without its key',
      'exports: { peer_tasks: {} }',
      capability('exports.peer_tasks.accept', 'must be written: true or false (line 3, column 24)'),
    ],
    [
      'an export root with ..',
      'exports: { files: { root: a/../b, mode: read-only } }',
      capability('exports.files.root', "'a/../b' must not contain '..' (line 3, column 27)"),
    ],
    [
      'a lifetime in days',
      'exports: { peer_files: { root: a, max_ttl: 1d } }',
      capability(
        'exports.peer_files.max_ttl',
        "expected seconds or a number with s, m or h, above zero, got '1d' (line 3, column 44)",
      ),
    ],
    [
      'a control block without inference',
      'control: { secrets: [A] }',
      inference('control', 'needs an inference block (line 3, column 10)'),
    ],
  ])('E-MAN-003: %s', (_, lines, expected) => expect(verdict(capsule(lines))).toBe(expected));

  test.each([
    ['record: on', true],
    ['record: true', true],
    ['record: off', false],
    ['record: false', false],
  ])('context %s is read the same by writers of YAML 1.1 and 1.2', (line, expected) => {
    expect(parse(capsule(`context: { ${line} }`)).context.record).toBe(expected);
  });

  test('port 0 asks for a free port, as absence does', () => {
    expect(parse(capsule('network: { internal_port: 0 }')).network).toEqual({});
  });

  test('scopes may be written in the A2A 1.0 spelling', () => {
    const text = capsule(
      'network: { authentication: { scheme: bearer, credentials: { a: { scopes: [GetTask, ListTasks, SendMessage] } } } }',
    );
    expect(parse(text).network.authentication?.credentials).toEqual([
      { name: 'a', scopes: ['tasks/get', 'message/send'] },
    ]);
  });

  test('reports the first broken rule in the order of the blocks', () => {
    const lines = [
      'trace: { retain: {} }',
      'inference: { model: "" }',
      'capabilities: { limits: { instances: 0 } }',
      'artifacts: [{ version: 1 }]',
      'exports: { peer_tasks: 3 }',
    ];
    const fields = [];
    while (lines.length > 0) {
      fields.push(refusal(capsule(lines.join('\n'))).details?.field);
      lines.pop();
    }
    expect(fields).toEqual([
      'exports.peer_tasks',
      'artifacts[0].name',
      'capabilities.limits.instances',
      'inference.model',
      'trace.retain',
    ]);
  });

  test('a retired scorer is skipped with a word', () => {
    const text = capsule('observability: { eval: { scorers: [{ type: vibes }, { type: max_turns }] } }');
    expect(parse(text).observability.eval?.scorers).toEqual([{ type: 'max_turns', name: 'max_turns', max: 10 }]);
  });
});
