import { isWithin } from './within.js';

/** One folder or file of the host that is to be seen by a command. */
export interface Candidate {
  readonly path: string;
  /** Where it is on the host, if elsewhere. */
  readonly from?: string;
  readonly access: 'ro' | 'rw';
  readonly required: boolean;
  /** noexec on this mount, or also on the mounts below it. `no`: a mount of its own, without it. */
  readonly noexec?: 'here' | 'below' | 'no';
  /** Must not be covered by a mount that is noexec. */
  readonly executable?: boolean;
  /** Needs no mount, and no noexec, where something covers it already. */
  readonly ifNew?: boolean;
  /** Bound through a descriptor, where that can be done: something a capsule writes to is above it. */
  readonly isHeld?: boolean;
}

export interface Bind {
  readonly path: string;
  readonly from: string;
  readonly access: 'ro' | 'rw';
  readonly required: boolean;
  readonly noexec?: 'here' | 'below' | 'no';
  readonly isHeld: boolean;
}

/**
 * The mounts that show all candidates, parents before what is below them, so that none hides another. The first candidate of a path
 * wins, so required ones go first; what a mount above shows already, in the same way, gets none.
 */
export function settle(candidates: readonly Candidate[], elsewhere: readonly Candidate[]): readonly Bind[] {
  const byPath = new Map<string, Candidate>();
  for (const candidate of [...elsewhere, ...candidates]) {
    byPath.set(candidate.path, both(byPath.get(candidate.path), candidate));
  }
  const binds: Bind[] = [];
  for (const candidate of [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path))) {
    const above = nearest(binds, candidate.path);
    if (above !== undefined && covers(above, candidate)) continue;
    const { path, from = path, access, required, noexec, executable = false, isHeld = false } = candidate;
    const keeps = noexec === undefined || (executable && noexec === 'here');
    binds.push({ path, from, access, required, isHeld, ...(keeps ? {} : { noexec }) });
  }
  return binds;
}

/** One candidate for two of the same path: the first says what it shows, both what must hold of it. */
function both(first: Candidate | undefined, second: Candidate): Candidate {
  if (first === undefined) return second;
  const noexec = first.noexec ?? second.noexec;
  return {
    ...first,
    required: first.required || second.required,
    executable: (first.executable ?? false) || (second.executable ?? false),
    ifNew: (first.ifNew ?? false) && (second.ifNew ?? false),
    ...(noexec === undefined ? {} : { noexec }),
  };
}

/** The bind that decides what is at `path` so far. */
function nearest(binds: readonly Bind[], path: string): Bind | undefined {
  return binds.findLast((bind) => isWithin(path, bind.path));
}

function covers(above: Bind, { from, access, noexec, executable = false, ifNew = false }: Candidate): boolean {
  if (above.from !== above.path || from !== undefined) return false;
  if (noexec !== undefined && !ifNew) return false;
  if (executable && (above.noexec === 'here' || above.noexec === 'below')) return false;
  return access === above.access || (access === 'ro' && above.path === '/');
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}
