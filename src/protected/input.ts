import { elementOf, memberOf, rootLocation, type ToolAnnotations } from './annotations.js';
import { isContentKey, isDestinationKey, isPathKey } from './keys.js';

/** A string of a tool's input that names what the tool writes, and why it is taken for that. */
export interface NamedDestination {
  readonly path: string;
  readonly signal: string;
}

/** Inputs nest no deeper when they reach a tool at all (src/text). */
const mostDepth = 256;

/**
 * The paths a tool call writes, as far as its input says so (spec/containment.md 16.4 and 16.5): by the names of keys, per object, and
 * by what the tool's schema declares. Does not see: a path in a key of another name, or one the tool comes to by itself.
 */
export function namedDestinations(input: unknown, annotations?: ToolAnnotations): readonly NamedDestination[] {
  const found: NamedDestination[] = [];
  const declared = annotations?.declared ?? [];

  const visit = (value: unknown, location: string, isOpaque: boolean, depth: number): void => {
    if (depth > mostDepth) return;
    if (typeof value === 'string') {
      if (annotations?.destinations.has(location) === true) {
        found.push({ path: value, signal: `annotated input '${location}'` });
      }
      for (const { suffix } of declared.filter((each) => each.location === location)) {
        const path = suffix === '' ? value : `${value}/${suffix}`;
        found.push({ path, signal: `declared destination '{${location}}${suffix === '' ? '' : `/${suffix}`}'` });
      }
      return;
    }
    const hides = isOpaque || annotations?.opaque.has(location) === true;
    if (Array.isArray(value)) for (const each of value) visit(each, elementOf(location), hides, depth + 1);
    else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      if (!hides) found.push(...byKeys(members));
      for (const [key, member] of members) visit(member, memberOf(location, key), hides, depth + 1);
    }
  };
  visit(input, rootLocation, false, 0);
  return found;
}

function byKeys(members: readonly (readonly [key: string, value: unknown])[]): readonly NamedDestination[] {
  const content = members.find(([key]) => isContentKey(key))?.[0];
  return members.flatMap(([key, value]): readonly NamedDestination[] => {
    if (typeof value !== 'string') return [];
    if (isDestinationKey(key)) return [{ path: value, signal: `destination key '${key}'` }];
    if (content === undefined || !isPathKey(key)) return [];
    return [{ path: value, signal: `path key '${key}' beside content key '${content}'` }];
  });
}
