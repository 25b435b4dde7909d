import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYamlText } from 'yaml';
import { fromJSONSchema, type ZodType } from 'zod';
import { parseArtifactManifest } from '../../src/artifacts/index.js';
import { isMurError } from '../../src/errors/index.js';
import { parseConfig } from '../../src/home/config-parse.js';
import { parseLock } from '../../src/lock/index.js';
import { parseManifest } from '../../src/manifest/index.js';
import { type JsonSchema, jsonSchemaOf, type SchemaName, schemaNames } from '../../src/reference/index.js';
import { keysOf } from '../../src/reference/keys.js';
import { schemas } from '../../src/reference/schemas.js';

const root = resolve(import.meta.dirname, '../..');

/** A judge other than the shapes: what an editor would say of a document. */
const judges = new Map<SchemaName, ZodType>(
  schemaNames.map((name) => [name, fromJSONSchema(jsonSchemaOf(name) as Parameters<typeof fromJSONSchema>[0])]),
);
const fits = (name: SchemaName, document: unknown) => judges.get(name)!.safeParse(document).success;

/** The part of a schema at a path like `artifacts[].name`. */
function at(name: SchemaName, path: string): JsonSchema {
  let node = jsonSchemaOf(name);
  for (const step of path.split(/\.|(?=\[\])/)) {
    if (step === '[]') node = node.items as JsonSchema;
    else if (step === '*') node = node.additionalProperties as JsonSchema;
    else node = (node.properties as Record<string, JsonSchema>)[step]!;
  }
  return node;
}

describe('the published schema', () => {
  test.each(schemaNames)('of the %s is draft 2020-12 and forbids no further keys', (name) => {
    const schema = jsonSchemaOf(name);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  });

  test.each(schemaNames)('of the %s explains every key', (name) => {
    for (const { path } of keysOf(schemas[name].shape)) {
      expect(at(name, path), path).toMatchObject({ title: path, description: expect.stringMatching(/\.$/) });
    }
  });

  test.each(schemaNames)('of the %s accepts its own examples and defaults', (name) => {
    for (const { path } of keysOf(schemas[name].shape)) {
      const node = at(name, path);
      const judge = fromJSONSchema(node as Parameters<typeof fromJSONSchema>[0]);
      const values = [
        ...((node.examples as unknown[] | undefined) ?? []),
        ...('default' in node ? [node.default] : []),
      ];
      for (const value of values)
        expect(judge.safeParse(value).success, `${path}: ${JSON.stringify(value)}`).toBe(true);
    }
  });

  test('lets an unquoted version be a number, as the parser does', () => {
    expect(at('capsule', 'version').type).toEqual(['string', 'number']);
    expect(at('capsule', 'artifacts[].version').type).toEqual(['string', 'null', 'number']);
    expect(at('artifact', 'version').type).toEqual(['string', 'number']);
  });

  test('lists the words of a key that takes words, and null where the parser reads it as absent', () => {
    expect(at('capsule', 'lifecycle.after_task').enum).toEqual(['exit', 'sleep', null]);
    expect(at('capsule', 'capabilities.containment').enum).toEqual([
      'unconfined',
      'advisory',
      'scoped',
      'sealed',
      null,
    ]);
    expect(at('capsule', 'exports.files.mode').enum).toEqual(['read-only']);
  });
});

/** Every `murmur.yaml` of this project, and the complete one of the tests. */
const manifests = ['artifacts', 'examples', 'test/fixtures', 'test/manifest']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /(murmur|complete)\.yaml$/.test(name) && !name.includes('node_modules'));

describe('what mur takes, an editor takes:', () => {
  test.each(manifests)('%s', (name) => {
    const text = readFileSync(join(root, name), 'utf8');
    const kind = accepts(() => parseManifest(text, { path: 'murmur.yaml' })) ? 'capsule' : 'artifact';
    if (kind === 'artifact' && !accepts(() => parseArtifactManifest(text, name))) return;
    expect(fits(kind, parseYamlText(text))).toBe(true);
  });
});

describe('a value that the schema refuses, mur refuses too (or reads as absent, when it is blank):', () => {
  const read: Readonly<Record<SchemaName, (text: string) => unknown>> = {
    capsule: (text) => parseManifest(text, { path: 'murmur.yaml' }),
    artifact: (text) => parseArtifactManifest(text, 'murmur.yaml'),
    config: (text) => parseConfig(text, 'config.yaml'),
    lock: (text) => parseLock(text, 'murmur.lock'),
  };
  const whole: Readonly<Record<SchemaName, object>> = {
    capsule: { name: 'a', version: '1' },
    artifact: { name: 'a', version: '1', runtime: 'tool' },
    config: {},
    lock: { lock_version: 2 },
  };
  const value = fc
    .oneof(
      fc.constantFrom<unknown>('', 'a', 'read-only', 0, -1, 1.5, true, null, [], [1], ['a'], {}, { a: 1 }, '1d', 1e20),
      fc.string(),
      fc.integer(),
    )
    .filter((given) => typeof given !== 'string' || given.trim() !== '');
  /** What is checked later than at reading: when the artifact is built, or launched. */
  const laterChecks: Readonly<Record<SchemaName, readonly string[]>> = {
    capsule: ['registry.default'],
    artifact: [
      'name',
      'inference_auth',
      'upstream_auth',
      'upstream_auth.header',
      'upstream_auth.value',
      'implementation',
    ],
    config: ['credentials', 'host_paths', 'registry.sources'],
    lock: [],
  };

  test.each(schemaNames)('of the %s, under every key', (name) => {
    const paths = keysOf(schemas[name].shape)
      .map(({ path }) => path)
      .filter((path) => !/\[\]|\*/.test(path) && !laterChecks[name].includes(path));
    fc.assert(
      fc.property(fc.constantFrom(...paths), value, (path, given) => {
        const steps = path.split('.');
        const inner = steps.reduceRight<unknown>((below, step) => ({ [step]: below }), given);
        const document = { ...whole[name], ...(inner as object) };
        const isTaken = accepts(() => read[name](JSON.stringify(document)));
        if (isTaken) expect(fits(name, document), JSON.stringify(document)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!isMurError(error)) throw error;
    return false;
  }
}
