import { parseYaml } from '../manifest/yaml.js';
import type { JsonSchema } from './definition.js';

/** What the tool inventory reads of `tools/<name>/murmur.yaml`. Lenient: a member of another type is absent. */
export interface ToolManifest {
  readonly runtime?: string;
  readonly implementation?: string;
  readonly version?: string;
  readonly description?: string;
  /** `input_schema`, else `input`, as declared: JSON text or a value. */
  readonly schema?: unknown;
}

/** The manifest in `text`; undefined when it is not YAML or not a mapping. */
export function readToolManifest(text: string): ToolManifest | undefined {
  const parsed = parseYaml(text, (path) => path.length === 1 && path[0] === 'version');
  if (!parsed.ok || !isObject(parsed.tree.root)) return undefined;
  const root = parsed.tree.root;
  const schema = root.input_schema ?? root.input;
  return {
    ...stringMember('runtime', root.runtime),
    ...stringMember('implementation', root.implementation),
    ...stringMember('version', root.version),
    ...stringMember('description', root.description),
    ...(schema === undefined || schema === null ? {} : { schema: plainJson(schema) }),
  };
}

/** The schema as a value: JSON text is parsed. Undefined for text that is no JSON. */
export function schemaValue(schema: unknown): unknown {
  if (typeof schema !== 'string') return schema;
  try {
    return JSON.parse(schema);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema to offer: the declared one when it is an object, else one that takes any object. */
export function offeredSchema(schema: unknown): JsonSchema {
  const value = schemaValue(schema);
  return isObject(value) ? value : { type: 'object', properties: {} };
}

function stringMember<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
  if (typeof value !== 'string') return {};
  const text = value.trim();
  return text === '' ? {} : ({ [key]: text } as Record<K, string>);
}

/** The YAML value as JSON has it: an integer too large for a number becomes the nearest one. */
function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? Number(member) : member)));
}
