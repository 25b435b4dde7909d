/**
 * Paths of a preopen that may be read and not written (`capabilities.filesystem.read_only`), as the walk meets them: one node per name,
 * on the way to a protected path or at it. A directory knows the node it was reached at, so a path is judged by the directories it
 * really led through, whatever it was called.
 *
 * Does not stop: a hard link to a protected file that was there before, under a name that is not protected.
 */
import { fail } from './errors.js';

export interface Guard {
  /** This path and everything below it; otherwise something below it is protected. */
  readonly isProtected: boolean;
  readonly below: ReadonlyMap<string, Guard>;
}

/** The node of everything below a protected path. */
export const protectedGuard: Guard = { isProtected: true, below: new Map() };

/** Systems other than Linux often take two spellings for one name. */
const key: (name: string) => string =
  process.platform === 'linux' ? (name) => name : (name) => name.normalize('NFC').toLowerCase();

/** The root node of protected paths, each relative and without `.` and `..`; `undefined` when there are none. */
export function guardOf(paths: readonly string[]): Guard | undefined {
  if (paths.length === 0) return undefined;
  return nodeOf(paths.map((path) => path.split('/').map(key)));
}

function nodeOf(paths: readonly (readonly string[])[]): Guard {
  if (paths.some((names) => names.length === 0)) return protectedGuard;
  const firsts = new Set(paths.map(([first]) => first!));
  const rest = (first: string) => paths.filter((names) => names[0] === first).map((names) => names.slice(1));
  return { isProtected: false, below: new Map([...firsts].map((first) => [first, nodeOf(rest(first))])) };
}

/** The node of `name` in a directory at `guard`; `undefined`: nothing there is protected. */
export function guardBelow(guard: Guard | undefined, name: string): Guard | undefined {
  return guard?.isProtected === true ? guard : guard?.below.get(key(name));
}

/** Fails for a place that is protected. */
export function refuseProtected({ guard }: { readonly guard: Guard | undefined }): void {
  if (guard?.isProtected === true) fail('read-only');
}

/** Fails for a place that is protected, or on the way to one that is: with it, that path would become another. */
export function refuseOnTheWay({ guard }: { readonly guard: Guard | undefined }): void {
  if (guard !== undefined) fail('read-only');
}
