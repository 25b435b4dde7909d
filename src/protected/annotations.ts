import { looksLikePath } from './keys.js';

/** What a tool's own `input_schema` says of where its inputs go (spec/containment.md 16.5). It can add checks and take none away. */
export interface ToolAnnotations {
  /** Locations of strings that are written, wherever they sit. */
  readonly destinations: ReadonlySet<string>;
  /** Locations below which names of keys mean nothing. */
  readonly opaque: ReadonlySet<string>;
  /** `murmur-destinations`. Absent: the tool has none, or none that could be used. */
  readonly declared?: readonly { readonly location: string; readonly suffix: string }[];
  /** Inputs that read like paths and are not annotated; none once `declared` is there. */
  readonly unannotated: readonly string[];
}

/** A location: keys joined by dots, `[]` for an element of an array. */
export const rootLocation = '<input>';

const mostDepth = 32;

/** The location of a member. */
export function memberOf(location: string, key: string): string {
  return location === rootLocation ? key : `${location}.${key}`;
}

/** The location of an element of an array. */
export function elementOf(location: string): string {
  return location === rootLocation ? '[]' : `${location}[]`;
}

/** The annotations of a schema; none of one that is no object. */
export function readAnnotations(schema: unknown): ToolAnnotations {
  const destinations = new Set<string>();
  const opaque = new Set<string>();
  const pathLike = new Set<string>();
  const visited = new Set<string>();

  const visit = (node: unknown, location: string, key: string | undefined, isOpaque: boolean, depth: number): void => {
    if (!isObject(node) || depth > mostDepth) return;
    visited.add(location);
    const { format } = node;
    if (format === 'murmur-destination' && isString(node)) destinations.add(location);
    const hides = isOpaque || (format === 'murmur-opaque' && !isString(node));
    if (hides && !isOpaque) opaque.add(location);
    if (key !== undefined && !isOpaque && isString(node) && looksLikePath(key)) pathLike.add(location);
    if (isObject(node.properties)) {
      for (const [name, member] of Object.entries(node.properties)) {
        visit(member, memberOf(location, name), name, hides, depth + 1);
      }
    }
    for (const items of [node.items, ...listOf(node.prefixItems)].flatMap(listOrOne)) {
      visit(items, elementOf(location), key, hides, depth + 1);
    }
    for (const branch of [node.allOf, node.anyOf, node.oneOf].flatMap(listOf))
      visit(branch, location, key, hides, depth + 1);
  };
  visit(schema, rootLocation, undefined, false, 0);

  const declared = isObject(schema) ? declaredDestinations(schema['murmur-destinations'], visited) : undefined;
  const unannotated = [...pathLike].filter((location) => !destinations.has(location));
  return {
    destinations,
    opaque,
    ...(declared === undefined ? {} : { declared }),
    unannotated: declared === undefined ? unannotated : [],
  };
}

/** One bad entry discards all: half of a list would say less than the tool meant. */
function declaredDestinations(value: unknown, visited: ReadonlySet<string>): ToolAnnotations['declared'] {
  if (!Array.isArray(value)) return undefined;
  const entries = value.map((entry) => readDestination(entry, visited));
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

function readDestination(entry: unknown, visited: ReadonlySet<string>) {
  const [, location, suffix = ''] = typeof entry === 'string' ? (/^\{([^{}]+)\}(?:\/(.*))?$/s.exec(entry) ?? []) : [];
  if (location === undefined || !visited.has(location) || suffix.includes('\\')) return undefined;
  const hasSuffix = typeof entry === 'string' && entry.includes('}/');
  const isPlain = suffix.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
  return hasSuffix && !isPlain ? undefined : { location, suffix };
}

/** Without a type it may be one, and an annotation only ever adds a check. */
function isString({ type, properties, items }: Record<string, unknown>): boolean {
  if (type === undefined) return properties === undefined && items === undefined;
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `items` of older drafts is a list. */
function listOrOne(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
