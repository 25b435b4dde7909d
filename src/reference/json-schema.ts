import { isRelease, partsOf, z } from '../manifest/shape.js';
import { noteOf } from './keys.js';
import type { SchemaName } from './names.js';
import { type FileSchema, schemas } from './schemas.js';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The JSON Schema (draft 2020-12) of one kind of file, for editors: the shape that the parser checks, with the words and rules
 * of the notes. Keys that are not known stay allowed, as the parser only warns of them. It is stricter than YAML types and less
 * strict than mur: rules about several keys are left to `mur doctor` and `mur run`.
 */
export function jsonSchemaOf(name: SchemaName): JsonSchema {
  const file = schemas[name];
  const plain = z.toJSONSchema(file.shape, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' });
  const { $schema, ...root } = plain as JsonSchema;
  return {
    $schema,
    $id: `urn:mur:schema:${name}`,
    title: file.title,
    description: file.about,
    ...described(root, file.shape, '', file),
  };
}

/** `node` with what is known of the key at `path` and of everything below it. */
function described(node: JsonSchema, schema: z.core.$ZodType, path: string, file: FileSchema): JsonSchema {
  const flat = flattened(node, schema);
  const { keys, element, isNamed } = partsOf(schema);
  if (element !== undefined) {
    const at = `${path}${isNamed ? '.*' : '[]'}`;
    const keyword = isNamed ? 'additionalProperties' : 'items';
    const items = described(flat[keyword] as JsonSchema, element, at, file);
    return { ...flat, [keyword]: { ...items, ...file.elements[path] } };
  }
  if (keys === undefined) return flat;
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, child] of Object.entries(keys)) {
    const at = path === '' ? name : `${path}.${name}`;
    const note = noteOf(file, at);
    const value = described((flat.properties as Record<string, JsonSchema>)[name]!, child, at, file);
    if (note?.isRequired) required.push(name);
    properties[name] = {
      title: at,
      description: sentences(note?.about, note?.absent === undefined ? undefined : `Absent: ${note.absent}.`),
      ...value,
      ...(note?.default === undefined ? {} : { default: note.default }),
      ...(note?.examples === undefined ? {} : { examples: note.examples }),
      ...withNull(note?.keywords, value),
    };
    if (note?.isRequired) properties[name] = withoutNull(properties[name]);
  }
  return { ...flat, properties, ...(required.length > 0 ? { required } : {}) };
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ');
}

/** Words of an `enum` do not rule out the null that the type allows. */
function withNull(keywords: JsonSchema | undefined, value: JsonSchema): JsonSchema {
  if (!Array.isArray(keywords?.enum) || !Array.isArray(value.type) || !value.type.includes('null'))
    return keywords ?? {};
  return { ...keywords, enum: [...keywords.enum, null] };
}

/** A key that is required is not there when it is null. */
function withoutNull(node: JsonSchema): JsonSchema {
  if (!Array.isArray(node.type)) return node;
  const types = node.type.filter((type) => type !== 'null');
  const words = Array.isArray(node.enum) ? { enum: node.enum.filter((word) => word !== null) } : {};
  return { ...node, type: types.length === 1 ? types[0] : types, ...words };
}

/** One schema with a list of types in place of alternatives, where each alternative is only a type. */
function flattened(node: JsonSchema, schema: z.core.$ZodType): JsonSchema {
  const choices = alternatives(node);
  if (isRelease(schema)) choices.push({ type: 'number' });
  if (choices.length === 1) return choices[0]!;
  const rich = choices.filter((choice) => Object.keys(choice).length > 1);
  if (rich.length > 1 || choices.some((choice) => typeof choice.type !== 'string')) return { anyOf: choices };
  const [main = {}] = rich;
  const types = choices.map((choice) => choice.type);
  const words = Array.isArray(main.enum) ? { enum: [...main.enum, null] } : {};
  if ('enum' in main && choices.some((choice) => choice.type !== 'null' && choice !== main)) return { anyOf: choices };
  return { ...main, type: types, ...words };
}

function alternatives(node: JsonSchema): JsonSchema[] {
  if (Array.isArray(node.anyOf)) return node.anyOf.flatMap((choice: JsonSchema) => alternatives(choice));
  if (Array.isArray(node.type)) return node.type.map((type: string) => ({ ...node, type }));
  return [node];
}
