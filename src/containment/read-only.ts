/**
 * `capabilities.filesystem.read_only` as mounts of a box: each path is mounted read-only on itself, so that no program writes it,
 * whatever it was told to do. Every folder above one, up to the work folder, becomes a mount of its own: a mount can be neither moved nor
 * removed, so the path stays what it is. Landlock rules cannot do this: they add and never subtract.
 *
 * Needs a bubblewrap that binds descriptors: with names, a background command could put a link to elsewhere in the place of a path
 * between the look at it and its mount.
 *
 * Which paths those are is settled when the box opens: a mount that is made later, at a path a command could just have made, would be
 * made by way of whatever link a background command puts there.
 *
 * Does not stop: a hard link to a protected file that was there before; a path that does not exist when the session begins, which a
 * command may make and write; the replacing of a link on the way to a protected path, which leaves what it led to protected.
 */
import { closeSync, constants, fstatSync, openSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ContainmentDecision } from './decide.js';
import type { HostReport } from './host.js';
import { O_PATH } from './host-files.js';
import { isWithin } from './within.js';

/** One mount. */
export interface ReadOnlyPlace {
  readonly path: string;
  /** `rw`: a folder above a protected path. */
  readonly access: 'ro' | 'rw';
  /** Opened with O_PATH; whoever asked closes it. */
  readonly fd: number;
}

/** A rule that mounts do not hold, or not all of it. */
export interface Unheld {
  readonly path: string;
  readonly because: string;
}

export interface ReadOnlyPlaces {
  /** Parents first, each path once. */
  readonly places: readonly ReadOnlyPlace[];
  readonly unheld: readonly Unheld[];
}

/** Why no read-only path is mounted in the boxes of this host; `undefined` when they are. */
export function noReadOnlyMounts(
  { tier, chain }: Pick<ContainmentDecision, 'tier' | 'chain'>,
  host: Pick<HostReport, 'bubblewrap'> | undefined,
): string | undefined {
  if (tier === 'none') return 'commands run without a box';
  if (chain !== 'bubblewrap') return 'only bubblewrap mounts them, and it cannot be used on this host';
  return host?.bubblewrap?.bindFd === true ? undefined : 'this bubblewrap cannot bind descriptors (--ro-bind-fd)';
}

/**
 * What to mount for `rules`, as they lead now. Reached by descriptors from the work folder, no link followed on the way, so that what is
 * mounted lies in it.
 */
export function openReadOnly(workFd: number, work: string, rules: readonly string[]): ReadOnlyPlaces {
  const places = new Map<string, ReadOnlyPlace>();
  const unheld: Unheld[] = [];
  const ordered = rules.map((rule) => ({ rule, names: namesOf(rule) })).sort((a, b) => a.names.length - b.names.length);
  try {
    for (const { rule, names } of ordered) {
      const problem = open(workFd, work, names, places);
      if (problem === undefined) continue;
      const led = problem === 'link' ? leadsTo(work, rule) : undefined;
      if (led !== undefined) open(workFd, work, led, places);
      unheld.push({ path: rule, because: words(problem, led) });
    }
  } catch (error) {
    for (const { fd } of places.values()) closeSync(fd);
    throw error;
  }
  return { places: [...places.values()].sort((a, b) => namesOf(a.path).length - namesOf(b.path).length), unheld };
}

/** The paths that are there now, relative to the work folder and without links: what every command of a session has read-only. */
export function settledReadOnly(workFd: number, work: string, rules: readonly string[]): readonly string[] {
  const { places } = openReadOnly(workFd, work, rules);
  for (const { fd } of places) closeSync(fd);
  return places.filter(({ access }) => access === 'ro').map(({ path }) => relative(work, path) || '.');
}

/** The rules that mounts would not hold now, with the reason. Leaves nothing open. */
export function unheldReadOnly(work: string, rules: readonly string[]): readonly Unheld[] {
  let fd: number;
  try {
    fd = openSync(work, O_PATH | constants.O_DIRECTORY);
  } catch {
    return rules.map((path) => ({ path, because: words('missing', undefined) }));
  }
  try {
    const { places, unheld } = openReadOnly(fd, work, rules);
    for (const place of places) closeSync(place.fd);
    return unheld;
  } finally {
    closeSync(fd);
  }
}

/** Which paths these are and what is there, to tell whether a plan made for others still fits. */
export function placesKey(places: readonly ReadOnlyPlace[]): string {
  return places
    .map(({ path, access, fd }) => {
      const { dev, ino } = fstatSync(fd, { bigint: true });
      return `${access} ${dev}:${ino} ${path}`;
    })
    .join('\n');
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

type Problem = 'missing' | 'link';

/** Adds the path and the folders above it. What lies in a protected folder already needs nothing of its own. */
function open(
  workFd: number,
  work: string,
  names: readonly string[],
  places: Map<string, ReadOnlyPlace>,
): Problem | undefined {
  const opened: ReadOnlyPlace[] = [];
  let at = `/proc/self/fd/${workFd}`;
  let problem: Problem | undefined;
  const steps = names.length === 0 ? ['.'] : names;
  for (const [index, name] of steps.entries()) {
    const path = join(work, ...steps.slice(0, index + 1));
    if (isCovered(path, places)) return undefined;
    const fd = openName(`${at}/${name}`);
    if (fd === undefined) {
      problem = 'missing';
      break;
    }
    const isLast = index === steps.length - 1;
    opened.push({ path, access: isLast ? 'ro' : 'rw', fd });
    const stat = fstatSync(fd);
    if (stat.isSymbolicLink()) problem = 'link';
    else if (!isLast && !stat.isDirectory()) problem = 'missing';
    if (problem !== undefined) break;
    at = `/proc/self/fd/${fd}`;
  }
  for (const place of opened) {
    const known = places.get(place.path);
    // A folder above two rules is opened once; one that is a rule itself was met first, because it is shorter.
    if (problem !== undefined || known !== undefined) closeSync(place.fd);
    else places.set(place.path, place);
  }
  return problem;
}

function isCovered(path: string, places: ReadonlyMap<string, ReadOnlyPlace>): boolean {
  return [...places.values()].some((place) => place.access === 'ro' && isWithin(path, place.path));
}

function openName(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

/** Where a path with links in it leads, when that lies in the work folder. */
function leadsTo(work: string, rule: string): readonly string[] | undefined {
  try {
    const [root, real] = [realpathSync(work), realpathSync(join(work, rule))];
    return isWithin(real, root) ? namesOf(relative(root, real)) : undefined;
  } catch {
    return undefined;
  }
}

function words(problem: Problem, led: readonly string[] | undefined): string {
  if (problem === 'missing') return 'it does not exist, so a command can make it and write it';
  if (led === undefined) return 'it is reached by a link that leads nowhere in the work folder';
  return `it is reached by a link, which a command can replace; what it leads to now (${led.join('/') || '.'}) is protected`;
}
