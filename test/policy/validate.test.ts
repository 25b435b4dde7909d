import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import {
  capabilityPolicyFromManifest,
  maxConfigBytes,
  reservedToolNames,
  surveyStaging,
  validateStaging,
} from '../../src/policy/index.js';
import { agent, capsule, parse } from '../manifest/support.js';

function stage(text: string, launch: { contextId?: string; afterTask?: 'exit' | 'sleep' } = {}) {
  const manifest = parse(text);
  const { contextId, afterTask } = launch;
  return validateStaging({
    manifest,
    policy: capabilityPolicyFromManifest(manifest),
    lifecycle: manifest.lifecycle,
    ...(contextId === undefined ? {} : { contextId }),
    ...(afterTask === undefined ? {} : { lifecycleOverride: { afterTask } }),
  });
}

function refusal(text: string, launch = {}): string {
  try {
    stage(text, launch);
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const caps = (lines: string) => capsule(`capabilities: { ${lines} }`);
const entry = (keys: string) => capsule(`artifacts: [{ name: a, version: 1, ${keys} }]`);

describe('staging refuses, before anything exists,', () => {
  test.each(reservedToolNames)('an artifact called %s', (name) => {
    expect(refusal(capsule(`artifacts: [{ name: x/${name}, version: 1 }]`))).toBe(
      `E-CAP-013 artifact 'x/${name}' collides with a tool the runtime provides itself; the reserved names are share-file, fetch-peer-file, delegate-task, submit-plan, switch-driver, call-member, end-without-answer, pull-artifact, remove-artifact, session-status`,
    );
  });

  test.each([
    [
      'a malformed destination',
      caps('network: { allow: ["ftp://h"] }'),
      /^E-CAP-001 invalid network allow entry 'ftp:\/\/h': unsupported URL scheme 'ftp'/,
    ],
    [
      'a malformed peer',
      caps('peer_fetch: { allow: [""] }'),
      /^E-CAP-001 invalid network allow entry '': entry must not be empty$/,
    ],
    [
      'a malformed destination of one artifact',
      entry('capabilities: { network: { allow: ["https://h/x"] } }'),
      /^E-CAP-001 .*must not include path, query, or fragment$/,
    ],
    [
      'an absolute scope',
      caps('filesystem: { scope: /etc }'),
      /^E-CAP-002 invalid filesystem scope '\/etc': scope must be relative to the workdir$/,
    ],
    [
      'a scope that climbs',
      caps('filesystem: { scope: a/../../b }'),
      /^E-CAP-002 invalid filesystem scope 'a\/\.\.\/\.\.\/b': scope cannot escape the workdir via '\.\.'$/,
    ],
    ['a scope of one artifact that climbs', entry('capabilities: { filesystem: { scope: ../x } }'), /^E-CAP-002 /],
    [
      'an absolute read-only path',
      caps('filesystem: { read_only: [ok, /x] }'),
      /^E-CAP-012 invalid read-only path '\/x': read-only path must be relative to the workdir$/,
    ],
    [
      'a read-only path that climbs',
      caps('filesystem: { read_only: [../x] }'),
      /^E-CAP-012 invalid read-only path '\.\.\/x': read-only path cannot escape the workdir via '\.\.'$/,
    ],
    [
      'variables that would be stripped again',
      caps('env: { allow: [OK, OPENAI_API_KEY, MY_X, OPENAI_API_KEY] }, shell: { allow: [a], strip_env: ["MY_*"] }'),
      /^E-CAP-016 capabilities\.env\.allow names 'OPENAI_API_KEY' \(credential backstop pattern 'OPENAI_API_KEY'\), 'MY_X' \(strip_env pattern 'MY_\*'\); these entries are removed from every guest environment/,
    ],
    [
      'a state store with a slash',
      entry('capabilities: { state: { store: a/b } }'),
      /^E-CAP-009 invalid state store name 'a\/b': it must not contain a path separator$/,
    ],
    [
      'a hidden state store',
      entry('capabilities: { state: { store: .git } }'),
      /^E-CAP-009 invalid state store name '\.git': it must not start with "\."$/,
    ],
    [
      'config that is no mapping',
      entry('config: [1]'),
      /^E-CAP-010 invalid config for artifact 'a': declares a sequence, expected a mapping$/,
    ],
    [
      'null config',
      entry('config: '),
      /^E-CAP-010 invalid config for artifact 'a': declares a null, expected a mapping$/,
    ],
    [
      'a record store with a slash',
      capsule('context: { record_store: a/b }'),
      /^E-CAP-011 invalid context\.record_store 'a\/b': must be a single path segment: /,
    ],
    [
      'a capsule name that cannot name its records',
      agent().replace('cap', '../x'),
      /^E-CAP-011 invalid context\.record_store '\.\.\/x'/,
    ],
  ])('%s', (_, text, expected) => expect(refusal(text)).toMatch(expected));

  test('a context id that is a path', () => {
    expect(refusal(capsule(), { contextId: '../ctx' })).toMatch(
      /^E-CAP-011 invalid --context '\.\.\/ctx': must be a single path segment: /,
    );
  });

  test('config longer than a variable may be, and not one byte less', () => {
    const text = (length: number) => entry(`config: { k: ${'x'.repeat(length - '{"k":""}'.length)} }`);
    expect(refusal(text(maxConfigBytes))).toBe('accepted');
    expect(refusal(text(maxConfigBytes + 1))).toBe(
      "E-CAP-010 invalid config for artifact 'a': 'config:' serializes to 65537 bytes of JSON, over the 65536-byte limit for MURMUR_ARTIFACT_CONFIG",
    );
  });

  test.each([
    ['{ root: a }', 'none'],
    ['{ root: a, max_ttl: 16m }', '960s'],
  ])('peer files of a sleeping capsule: %s', (peerFiles, declared) => {
    const text = capsule(`exports: { peer_files: ${peerFiles} }`);
    expect(refusal(text, { afterTask: 'exit' })).toBe('accepted');
    expect(refusal(text, { afterTask: 'sleep' })).toBe(
      `E-CAP-008 exports.peer_files with lifecycle.after_task: sleep requires exports.peer_files.max_ttl to be declared and at most 900s (declared ${declared})`,
    );
  });

  test('in one fixed order', () => {
    const blocks = [
      'context: { record_store: a/b }',
      'artifacts: [{ name: a, version: 1, config: [1] }]',
      'artifacts: [{ name: a, version: 1, config: [1], capabilities: { state: { store: a/b } } }]',
      'capabilities: { env: { allow: [GH_TOKEN] } }',
      'capabilities: { env: { allow: [GH_TOKEN] }, filesystem: { read_only: [/x] } }',
      'capabilities: { env: { allow: [GH_TOKEN] }, filesystem: { read_only: [/x], scope: /x } }',
      'capabilities: { env: { allow: [GH_TOKEN] }, filesystem: { read_only: [/x], scope: /x }, network: { allow: [""] } }',
      'artifacts: [{ name: share-file, version: 1, config: [1], capabilities: { state: { store: a/b } } }]',
    ];
    const seen = new Map<string, string>();
    const codes = blocks.map((line) => {
      seen.set(line.split(':')[0]!, line);
      return refusal(capsule([...seen.values()].join('\n'))).split(' ')[0];
    });
    expect(codes).toEqual([
      'E-CAP-011',
      'E-CAP-010',
      'E-CAP-009',
      'E-CAP-016',
      'E-CAP-012',
      'E-CAP-002',
      'E-CAP-001',
      'E-CAP-013',
    ]);
  });
});

describe('staging warns about', () => {
  const codes = (text: string, launch = {}) => stage(text, launch).map(({ code }) => code);

  test('nothing in an ordinary capsule', () => expect(codes(agent())).toEqual([]));

  test('blocks that reach nothing on the whole capsule', () => {
    expect(codes(caps('state: {}, conversation: {}, filesystem: { workdir_exec: true }'))).toEqual([
      'W-SEC-011',
      'W-SEC-014',
      'W-SEC-016',
    ]);
  });

  test('interpreters that read folders of this host, each by name', () => {
    const runtime = '[{ binary: sh, dirs: [{ path: /opt/x, list_dir: false }, { path: /opt/y, list_dir: true }] }]';
    const found = stage(caps(`shell: { allow: [sh], interpreter_runtime: ${runtime} }`));
    expect(found).toMatchObject([
      { code: 'W-SEC-009', message: expect.stringContaining("'sh' may read /opt/x, /opt/y") },
    ]);
  });

  test('variables that read like secrets, more so when the capsule stays', () => {
    const text = caps('env: { allow: [DB_PASSWORD, REGION, SESSION_COOKIE] }');
    expect(stage(text)).toEqual([
      {
        code: 'W-SEC-024',
        message: "capabilities.env.allow hands 'DB_PASSWORD', which reads like a secret, to every WASM guest",
      },
      {
        code: 'W-SEC-024',
        message: "capabilities.env.allow hands 'SESSION_COOKIE', which reads like a secret, to every WASM guest",
      },
    ]);
    expect(stage(text, { afterTask: 'sleep' })[0]?.message).toContain('this capsule stays up after its task');
  });

  test('an upstream that guests may reach without the key, and a gateway nobody meters', () => {
    const text = capsule(
      'artifacts: [{ name: search, version: 1, gateway: { endpoint: "https://S.example/v1", keyless: true } }]\ncapabilities: { network: { allow: [s.example, other.example] } }\n',
    );
    expect(codes(text)).toEqual(['W-SEC-025', 'W-SEC-030']);
  });
});

describe('a survey of what staging would say', () => {
  const survey = (text: string) => {
    const manifest = parse(text);
    return surveyStaging({ manifest, policy: capabilityPolicyFromManifest(manifest), lifecycle: manifest.lifecycle });
  };

  test('gives the first refusal of each check in their order, and the warnings beside them', () => {
    const { refusals, warnings } = survey(
      caps('env: { allow: [GITHUB_TOKEN] }, filesystem: { scope: ../x, read_only: [/a, /b], workdir_exec: true }'),
    );
    expect(refusals.map(({ code }) => code)).toEqual(['E-CAP-002', 'E-CAP-012', 'E-CAP-016']);
    expect(warnings.map(({ code }) => code)).toEqual(['W-SEC-011']);
  });

  test('gives no warnings while a destination cannot be read', () => {
    const { refusals, warnings } = survey(caps('network: { allow: [a/b] }, filesystem: { workdir_exec: true }'));
    expect([refusals.map(({ code }) => code), warnings]).toEqual([['E-CAP-001'], []]);
  });

  test('is empty for a manifest that has nothing to correct', () => {
    expect(survey(capsule())).toEqual({ refusals: [], warnings: [] });
  });
});
