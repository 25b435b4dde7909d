import * as z from 'zod/mini';
import type { Path } from './tree.js';

/** The schemas of values that keep their source text. */
const releases = z.registry<object>();

/**
 * The vocabulary of the block schemas. A schema says which keys a block has and which YAML type each value takes; rules that
 * need words of their own live in the block's reader. A scalar or mapping written as `null` reads as absent; a list does not,
 * because an empty `allow:` could mean nothing or everything.
 *
 * `zod/mini`: the same schemas in a tenth of the code once bundled.
 */
export const text = () => z.nullish(z.string());
/** A release like `1.10`: text whose author may leave the quotes out, so an unquoted number reads as it is written. */
export const release = () => z.nullish(z.string().register(releases, {}));
export const flag = () => z.nullish(z.boolean());
export const integer = () => z.nullish(z.int());
export const fraction = () => z.nullish(z.number());
/** A count with an optional unit: `1024`, `10Mi`, `30d`. */
export const quantity = () => z.nullish(z.union([z.string(), z.number()]));
export const word = <const T extends readonly [string, ...string[]]>(words: T) => z.nullish(z.enum(words));
export const list = <T extends z.ZodMiniType>(element: T) => z.optional(z.array(element));
export const texts = () => list(z.string());
export const block = <T extends Record<string, z.ZodMiniType>>(keys: T) => z.nullish(z.object(keys));
/** A mapping whose keys are names chosen by the author. */
export const named = <T extends z.ZodMiniType>(value: T) => z.nullish(z.record(z.string(), value));
/** A value carried without looking inside. */
export const free = () => z.optional(z.unknown());

/** The kind of a YAML value, in the words of spec/manifest.md 1.1. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'object' ? 'mapping' : typeof value;
}

/** The first value of `tree` that has another YAML type than `schema` says; `undefined` when all fit. */
export function shapeProblem(
  schema: z.ZodMiniType,
  root: unknown,
): { readonly path: Path; readonly message: string; readonly tooLarge: boolean } | undefined {
  // One parse per process: compiling a parser would cost more than it saves.
  const result = z.safeParse(schema, root, { jitless: true });
  const issue = result.error?.issues[0];
  if (issue === undefined) return undefined;
  const path = issue.path as Path;
  const value = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], root);
  if (issue.code === 'too_big' || (typeof value === 'bigint' && wantsNumber(issue))) {
    return { path, message: `${value} is beyond ${Number.MAX_SAFE_INTEGER}`, tooLarge: true };
  }
  return { path, message: describe(issue, value), tooLarge: false };
}

function wantsNumber(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_union') return issue.errors.flat().some(wantsNumber);
  return issue.code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int');
}

function describe(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const shown = value.length > 40 ? `${value.slice(0, 40)}...` : value;
    return `unknown value '${shown}'; expected one of: ${issue.values.join(', ')}`;
  }
  const isEndless = typeof value === 'number' && !Number.isFinite(value);
  return `expected ${expectation(issue)}, got ${isEndless ? 'one that is not finite' : kindOf(value)}`;
}

const kinds: Readonly<Record<string, string>> = {
  object: 'mapping',
  record: 'mapping',
  array: 'sequence',
  int: 'integer',
};

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return kinds[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return issue.values.join(' or ');
  if (issue.code === 'invalid_union') return issue.errors.flat().map(expectation).join(' or ');
  return 'another value';
}

/** The schema of each known key of a block, or of the elements of a list or named mapping; nothing for other schemas. */
export function partsOf(schema: z.core.$ZodType): {
  readonly keys?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  /** True when the elements have names and no numbers. */
  readonly isNamed?: boolean;
} {
  const { def } = schema._zod as unknown as { def: { type: string; [key: string]: unknown } };
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return partsOf(def.innerType as z.core.$ZodType);
    case 'object':
      return { keys: def.shape as Readonly<Record<string, z.core.$ZodType>> };
    case 'array':
      return { element: def.element as z.core.$ZodType };
    case 'record':
      return { element: def.valueType as z.core.$ZodType, isNamed: true };
    default:
      return {};
  }
}

/** Whether the value at a path of a document of `schema` keeps the text of an unquoted number (spec/manifest.md section 1.1). */
export function keepsTextOf(schema: z.core.$ZodType): (path: Path) => boolean {
  return (path) => {
    let at: z.core.$ZodType | undefined = schema;
    for (const step of path) {
      const { keys, element } = partsOf(at);
      at =
        typeof step === 'number' || keys === undefined ? element : Object.hasOwn(keys, step) ? keys[step] : undefined;
      if (at === undefined) return false;
    }
    return isRelease(at);
  };
}

/** Whether `schema` was made by `release()`. */
export function isRelease(schema: z.core.$ZodType): boolean {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? releases.has(schema) : isRelease(innerType);
}

export { z };
