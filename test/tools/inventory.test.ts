import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { buildInventory, type InventoryEntry, scanTools, type ToolsFolder } from '../../src/tools/index.js';

const anyObject = { type: 'object', properties: {} };

function entry(name: string, manifestText: string | undefined, more: Partial<InventoryEntry> = {}): InventoryEntry {
  return { name, manifestText, origin: 'operator', ...more };
}

function definitionOf(manifestText: string, more: Partial<InventoryEntry> = {}) {
  return buildInventory([entry('t', manifestText, more)]).definitions[0];
}

describe('buildInventory (spec/tools.md section 2, 10.1)', () => {
  test('sorts by the bytes of the names, not by their UTF-16 units', () => {
    const names = ['b', 'a', 'Z', '\u{1F600}', '\uFFFD', 'a-b', 'a_b'];
    const offered = buildInventory(names.map((name) => entry(name, 'runtime: tool'))).items.map((item) => item.name);
    expect(offered).toEqual(['Z', 'a', 'a-b', 'a_b', 'b', '\uFFFD', '\u{1F600}']);
  });

  test.each([
    ['driver', 'runtime: driver'],
    ['hook', 'runtime: hook'],
    ['broken YAML', 'a: [1'],
    ['a duplicate key', 'runtime: tool\nruntime: tool'],
    ['a list', '- runtime'],
    ['an unreadable manifest', undefined],
  ])('leaves out %s', (_, text) => {
    expect(buildInventory([entry('t', text)]).items).toEqual([]);
  });

  test.each(['runtime: tool', 'runtime: wasm', 'runtime: native', 'name: t', 'runtime: something-new'])(
    'takes %j for a tool',
    (text) => {
      expect(buildInventory([entry('t', text)]).items[0]?.kind).toBe('tool');
    },
  );

  test('hides the skill that is the system prompt', () => {
    const entries = [entry('s', 'runtime: skill'), entry('other', 'runtime: skill')];
    expect(buildInventory(entries, { systemPromptSkill: 's' }).items.map((item) => item.name)).toEqual(['other']);
  });

  test.each([
    ['input_schema: { type: object, required: [a] }', { type: 'object', required: ['a'] }],
    ['input: { type: object, required: [b] }', { type: 'object', required: ['b'] }],
    ['input_schema: { type: object }\ninput: { type: object, required: [b] }', { type: 'object' }],
    [`input_schema: '{"type":"object","required":["c"]}'`, { type: 'object', required: ['c'] }],
    ['input_schema: not json', anyObject],
    ['input_schema: [1]', anyObject],
    ['input_schema:', anyObject],
    ['name: t', anyObject],
    ['input_schema: { maximum: 18446744073709551615 }', { maximum: 18446744073709552000 }],
    ['runtime: skill\ninput_schema: { type: object, required: [a] }', anyObject],
  ])('offers the schema of %j', (text, parameters) => {
    expect(definitionOf(text)?.parameters).toEqual(parameters);
  });

  test.each([
    ['description: "  Reads files \\n"', undefined, 'Reads files'],
    ['description: ""', undefined, undefined],
    ['description: 7', undefined, undefined],
    ['name: t', '# A line', undefined],
    ['runtime: skill', '\n\n  # How to report  \nmore', '# How to report'],
    ['runtime: skill\ndescription: Own words', '# Other', 'Own words'],
    ['runtime: skill', '', undefined],
  ])('describes %j with skill text %j as %j', (text, skillText, description) => {
    const definition = definitionOf(text, { skillText });
    expect(definition?.description).toBe(description);
    expect(definition !== undefined && 'description' in definition).toBe(description !== undefined);
  });

  test('marks what a session pulled as untrusted, described or not', () => {
    expect(definitionOf('description: Handy', { origin: 'runtime' })?.description).toBe(
      '[origin: runtime, trust: untrusted] Handy',
    );
    expect(definitionOf('name: t', { origin: 'runtime' })?.description).toBe('[origin: runtime, trust: untrusted]');
  });

  test('keeps a version as it is written', () => {
    expect(buildInventory([entry('t', 'version: 1.10')]).items[0]?.version).toBe('1.10');
  });

  test('is the same text for the same manifests, in whatever order they are found', () => {
    const entries = [
      entry('a', 'description: A\ninput_schema: { type: object, properties: { z: {}, a: {} } }'),
      entry('b', 'runtime: skill', { skillText: 'B' }),
    ];
    const text = JSON.stringify(buildInventory(entries).definitions);
    expect(JSON.stringify(buildInventory([...entries].reverse()).definitions)).toBe(text);
    expect(text).toBe(
      '[{"name":"a","parameters":{"type":"object","properties":{"z":{},"a":{}}},"description":"A"},' +
        '{"name":"b","parameters":{"type":"object","properties":{}},"description":"B"}]',
    );
  });

  test('skips a manifest whose aliases multiply', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh']
      .map((key, index) => `${key}: &${key} [${Array(10).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
      .join('\n')}`;
    expect(buildInventory([entry('t', bomb)]).items).toEqual([]);
  });
});

describe('scanTools', () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
  });

  test('reads every folder of a tools directory', () => {
    const root = mkdtempSync(join(tmpdir(), 'mur-tools-'));
    made.push(root);
    for (const name of ['files', 'report', 'empty']) mkdirSync(join(root, name));
    writeFileSync(join(root, 'files', 'murmur.yaml'), 'runtime: tool\ndescription: Files');
    writeFileSync(join(root, 'report', 'murmur.yaml'), 'runtime: skill');
    writeFileSync(join(root, 'report', 'skill.md'), 'Report well');
    const folder: ToolsFolder = {
      folders: () => readdirSync(root),
      read: (name, file) => {
        try {
          return readFileSync(join(root, name, file), 'utf8');
        } catch {
          return undefined;
        }
      },
    };
    const inventory = buildInventory(scanTools(folder, (name) => (name === 'report' ? 'runtime' : 'operator')));
    expect(inventory.items.map((item) => [item.name, item.kind, item.origin, item.definition.description])).toEqual([
      ['files', 'tool', 'operator', 'Files'],
      ['report', 'skill', 'runtime', '[origin: runtime, trust: untrusted] Report well'],
    ]);
  });
});
