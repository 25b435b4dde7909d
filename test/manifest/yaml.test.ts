// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write references so
import { describe, expect, test } from 'vitest';
import { maxManifestBytes } from '../../src/manifest/yaml.js';
import { cpuMs } from '../cpu.js';
import { capsule, parse, refusal, verdict } from './support.js';

const at = (line: number, column: number, detail: string) =>
  `E-MAN-002 murmur.yaml: YAML syntax error at line ${line}, column ${column}: ${detail}`;

describe('the YAML profile of manifests', () => {
  test.each([
    ['a syntax error', '[', at(1, 2, 'Flow sequence must end with a ]')],
    [
      'a tab as indentation',
      'name: a\nnetwork:\n\tinternal_port: 1\n',
      at(3, 1, 'Tabs are not allowed as indentation'),
    ],
    ['a duplicate key', 'name: a\nversion: 1\nname: b\n', at(3, 1, "duplicate key 'name'")],
    [
      'a duplicate key in a block',
      capsule('trace: { capture: meta, capture: none }'),
      at(3, 25, "duplicate key 'capture'"),
    ],
    ['an unknown tag', 'name: !thing a\n', at(1, 7, 'Unresolved tag')],
    ['a tag of YAML 1.1', 'name: !!binary aGk=\n', at(1, 7, 'Unresolved tag')],
    ['%YAML 1.1', '%YAML 1.1\n---\nname: a\n', at(1, 1, '%YAML 1.1 is not supported')],
    ['another YAML version', '%YAML 1.3\n---\nname: a\n', at(1, 7, 'Unsupported YAML version 1.3')],
    ['an unknown directive', '%FOO x\n---\nname: a\n', at(1, 1, 'Unknown directive')],
    ['a second document', 'name: a\n---\nname: b\n', at(2, 1, 'the file holds more than one document')],
    [
      'a byte-order mark after the start of the document',
      '---\n\uFEFFname: a\n',
      at(2, 1, 'byte-order mark inside the document'),
    ],
    ['an alias without an anchor', 'name: *x\n', at(1, 7, 'this alias has no anchor')],
    ['an alias that contains itself', 'artifacts: &a [*a]\n', at(1, 16, 'this alias contains itself')],
    ['a mapping as a key', '? { a: 1 }\n: b\n', at(1, 3, 'a mapping key must be a single value')],
    ['a list at the top', '- a\n', at(1, 1, 'expected mapping, got sequence')],
  ])('%s is refused with its place', (_, text, expected) => {
    expect(verdict(text)).toBe(expected);
  });

  test('a refusal carries line and column as data', () => {
    expect(refusal('name: a\nversion: 1\nname: b\n').details).toEqual({
      path: '/project/murmur.yaml',
      line: 3,
      column: 1,
    });
  });

  test('an alias bomb is refused before it expands', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) =>
        `k${i}: &k${i} [${Array(10)
          .fill(i === 0 ? 'x' : `*k${i - 1}`)
          .join(', ')}]`,
    );
    const started = cpuMs();
    expect(verdict(levels.join('\n'))).toMatch(/^E-MAN-002 .* aliases expand to more than 10000 values$/);
    expect(cpuMs() - started).toBeLessThan(2000);
  });

  test.each([
    ['brackets', '['.repeat(50_000)],
    ['mappings on one line', 'a: '.repeat(20_000)],
    ['flow mappings', '{a: '.repeat(20_000)],
    ['a thousand closed levels', `a: ${'['.repeat(1000)}${']'.repeat(1000)}`],
  ])('deeply nested %s are refused, without a stack', (_, text) => {
    expect(refusal(text).code).toBe('E-MAN-002');
  });

  test('an oversized file is refused unread', () => {
    expect(verdict(`name: ${'a'.repeat(maxManifestBytes)}`)).toBe(
      'E-MAN-002 murmur.yaml: YAML syntax error: the file is larger than 262144 bytes',
    );
  });

  test('a leading byte-order mark is dropped', () => {
    expect(parse(`\uFEFF${capsule()}`).name).toBe('cap');
  });

  test('anchors and aliases of ordinary size work', () => {
    const { capabilities } = parse(
      capsule('capabilities:\n  network: { allow: &hosts [a.example] }\n  peer_fetch: { allow: *hosts }\n'),
    );
    expect(capabilities?.peerFetch).toEqual({ allow: ['a.example'] });
  });

  test.each(['1.10', '1.0', '007', '0x10', '1e3', '12345678901234567890'])(
    'an unquoted version %s keeps its text',
    (version) => {
      const manifest = parse(
        `name: cap\nversion: ${version}\nmur_version: ${version}\nartifacts: [{ name: a, version: ${version} }]\n`,
      );
      expect([manifest.version, manifest.murVersion, manifest.artifacts[0]?.version]).toEqual([
        version,
        version,
        version,
      ]);
    },
  );

  test('an unquoted reference in a flow mapping is refused with the way out', () => {
    const error = refusal(capsule('artifacts:\n  - { name: a, version: 1, gateway: { api_key: ${X} } }\n'));
    expect(error.code).toBe('E-MAN-002');
    expect(error.details).toMatchObject({ line: 4 });
    expect(error.hint).toBe('inside { } quote the reference, as in "${X}", or write the block one key per line');
  });

  test('a syntax error never quotes the file, which may hold a key', () => {
    for (const text of [
      '{ api_key: ${sk-secret} }',
      'k: {a: sk-secret} sk-secret',
      'k: !sk-secret x',
      'k: *sk-secret',
      'k: |sk-secret\n x',
    ]) {
      expect(verdict(capsule(text))).not.toContain('sk-secret');
    }
  });
});
