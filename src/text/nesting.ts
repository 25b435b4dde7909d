/** Levels of JSON from outside that are taken in: more than providers and tools use, far less than the serialiser's stack holds. */
export const maxJsonLevels = 256;

/**
 * True when `value`, as JSON.parse gives it, nests deeper than `levels`. Parsing such a value works and writing it again does
 * not: the serialiser recurses, so it would fail wherever it is recorded or sent. Looks no deeper than `levels` itself.
 */
export function isNestedTooDeep(value: unknown, levels = maxJsonLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedTooDeep(inner, levels - 1));
}
