/**
 * A small vocabulary for the keys of trace events. One table (events.ts) gives the TypeScript type, the order in which keys are
 * written, and the check a reader makes. Written by hand because importing a schema library costs more than the whole launch
 * of a session may (70 ms against 5 ms on a small machine).
 */

/** How one key's value looks. `T` exists for the compiler only. */
export interface Field<T, Absent extends boolean = boolean> {
  readonly mayBeAbsent: Absent;
  accepts(value: unknown): boolean;
  /** Never set. Carries `T`. */
  readonly type?: T;
}

export type Present<T> = Field<T, false>;
export type Optional<T> = Field<T, true>;
export type Fields = Readonly<Record<string, Field<unknown>>>;

type TypeOf<F> = F extends Field<infer T> ? T : never;
type AbsentKeys<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];

/** The object type a table of fields describes. */
export type ValuesOf<F extends Fields> = {
  readonly [K in Exclude<keyof F, AbsentKeys<F>>]: TypeOf<F[K]>;
} & {
  readonly [K in AbsentKeys<F>]?: TypeOf<F[K]> | undefined;
};

function present<T>(accepts: (value: unknown) => boolean): Present<T> {
  return { mayBeAbsent: false, accepts };
}

export const text = present<string>((value) => typeof value === 'string');
export const count = present<number>((value) => typeof value === 'number' && Number.isInteger(value));
export const flag = present<boolean>((value) => typeof value === 'boolean');
/** Any JSON value; the page that owns it says more. */
export const json = present<unknown>(() => true);

export function oneOf<const T extends string>(...words: readonly T[]): Present<T> {
  const known: ReadonlySet<unknown> = new Set(words);
  return present((value) => known.has(value));
}

export function nullable<T>(field: Present<T>): Present<T | null> {
  return present((value) => value === null || field.accepts(value));
}

export function list<T>(field: Present<T>): Present<readonly T[]> {
  return present((value) => Array.isArray(value) && value.every((item) => field.accepts(item)));
}

/** An object with exactly these keys known; others are ignored. */
export function object<F extends Fields>(fields: F): Present<ValuesOf<F>> {
  return present((value) => missingField(fields, value) === undefined);
}

/** The key is left out when the value is `undefined`; never `null`. */
export function optional<T>(field: Present<T>): Optional<T> {
  return { mayBeAbsent: true, accepts: field.accepts };
}

/** The first key of `fields` that `value` lacks or has with another type; `undefined` when it has them all. */
export function missingField(fields: Fields, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return Object.keys(fields)[0] ?? '';
  const values = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields).find(([key, field]) =>
    values[key] === undefined ? !field.mayBeAbsent : !field.accepts(values[key]),
  )?.[0];
}
