type Optional<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };
type Required<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };

/** `value` without the keys that are `undefined`, typed so: "absent" then has one spelling. */
export function present<T extends object>(value: T): Required<T> & Optional<T> {
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) result[key] = item;
  return result as Required<T> & Optional<T>;
}

/** The trimmed text; blank and null read as absent. */
export function trimmed(value: string | null | undefined): string | undefined {
  const result = value?.trim();
  return result === '' ? undefined : result;
}
