import { kindOf, partsOf, type z } from '../manifest/shape.js';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';
import { noteOf } from './keys.js';
import { type SchemaName, schemaNames } from './names.js';
import { type FileSchema, schemas } from './schemas.js';
import { cell, code, generated, table } from './text.js';

/** The page of every key of the files that people write: per block a table. */
export function keysPage(): string {
  return [
    generated,
    '',
    '# Keys',
    '',
    'What each key of a manifest, of the configuration and of the lock means, what it is when it is absent, and which code refuses a value.',
    'A value of another YAML type is `E-MAN-002`. The same as JSON Schema, for editors: `mur schema capsule > murmur.schema.json`, and as first',
    'line of the manifest `# yaml-language-server: $schema=./murmur.schema.json`. Codes: [errors](../errors/reference.md).',
    ...schemaNames.map(filePart),
  ]
    .join('\n')
    .concat('\n');
}

function filePart(name: SchemaName): string {
  const file = schemas[name];
  const schema = jsonSchemaOf(name);
  return ['', `## ${file.title}`, '', file.about, '', ...blocks(file.shape, '', schema, file)].join('\n');
}

/** The table of one block, and those of the blocks in it. */
function blocks(shape: z.core.$ZodType, path: string, schema: JsonSchema, file: FileSchema): string[] {
  const { keys, element, isNamed } = partsOf(shape);
  if (element !== undefined) {
    const at = `${path}${isNamed ? '.*' : '[]'}`;
    return blocks(element, at, schema[isNamed ? 'additionalProperties' : 'items'] as JsonSchema, file);
  }
  if (keys === undefined) return [];
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const own = Object.keys(keys).filter((key) => hasOwnNote(file, path, key));
  const rows = own.map((key) => row(key, path === '' ? key : `${path}.${key}`, properties[key]!, file));
  const same = Object.keys(file.sameAs).find((block) => path === block || path.startsWith(`${block}.`));
  const heading = path === '' ? [] : [`### ${path}`, ''];
  const note = same === undefined || own.length === Object.keys(keys).length ? [] : [sameNote(same, path, file), ''];
  const head = ['Key', 'Type', 'Default', 'Means', 'Rules', 'Code'];
  const here = rows.length === 0 ? [] : [...heading, ...note, table(head, rows), ''];
  return [
    ...here,
    ...Object.entries(keys).flatMap(([key, child]) =>
      blocks(child, path === '' ? key : `${path}.${key}`, properties[key]!, file),
    ),
  ];
}

/** Keys that mean what they mean in another block are shown there. */
function hasOwnNote(file: FileSchema, path: string, key: string): boolean {
  return Object.hasOwn(file.notes, path === '' ? key : `${path}.${key}`);
}

function sameNote(block: string, path: string, file: FileSchema): string {
  const other = `${file.sameAs[block]}${path.slice(block.length)}`;
  return `Other keys are those of ${code(other)}.`;
}

function row(key: string, path: string, schema: JsonSchema, file: FileSchema): string[] {
  const note = noteOf(file, path)!;
  const byDefault = note.default === undefined ? cell(note.absent ?? '') : code(JSON.stringify(note.default));
  return [
    code(key),
    cell(typeOf(schema)),
    note.isRequired ? 'required' : note.absent === undefined ? byDefault : cell(note.absent),
    cell(note.about),
    cell(note.rules ?? ''),
    note.code ?? '',
  ];
}

/** The type in the words of YAML. */
function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return words(schema.enum);
  if (schema.type === undefined && schema.anyOf !== undefined) {
    const choices = (schema.anyOf as JsonSchema[]).filter(({ type }) => type !== 'null');
    return choices.map(typeOf).join(' or ');
  }
  if (schema.type === undefined) return 'any';
  const types = [schema.type].flat().filter((type) => type !== 'null');
  if (types.length === 0) return 'null';
  return types.map((type) => typeWord(type as string, schema)).join(' or ');
}

function typeWord(type: string, schema: JsonSchema): string {
  if (type === 'array') return `list of ${typeOf(schema.items as JsonSchema)}`;
  if (type === 'object') return 'mapping';
  return type;
}

function words(values: readonly unknown[]): string {
  return values
    .filter((value) => kindOf(value) !== 'null')
    .map(String)
    .join(', ');
}
