/**
 * Which binds of a sealed root the launch program makes by itself. bubblewrap reads the whole table of mounts for each of its own, which
 * for the forty of a sealed root took longer than everything else together; a step of the program takes a few microseconds.
 *
 * Only what cannot be weaker for it: a bind inside inherits the flags of the mount it is taken from, so that has to be one that
 * bubblewrap made read-only, nosuid and nodev. What a capsule can write to, what is bound by descriptor and what must be found through a
 * link of the host stays with bubblewrap.
 */
import type { Bind } from './mount-order.js';
import type { Kind } from './mounts.js';
import { isWithin } from './within.js';

/** A bind from a place inside the root to another. */
export interface InnerMount {
  readonly from: string;
  readonly path: string;
  /** Made first, to be bound over; absent where there is something. */
  readonly point?: 'file' | 'directory';
  /** False: without it less is to be seen, or to be executed. */
  readonly required: boolean;
}

export interface SplitAsked {
  kind(path: string): Kind | undefined;
  /** Whether launch programs of this host may mount at all. */
  readonly isPossible: boolean;
  /** What has to be there before the program runs. */
  isFixed(path: string): boolean;
}

export interface Split {
  /** For bubblewrap, with what is lent. */
  readonly outer: readonly Bind[];
  readonly inner: readonly InnerMount[];
  /** Where `outer` shows what `inner` takes its parts from. Not for the command: taken away before it starts. */
  readonly lent: readonly string[];
}

const lentEtc = '/.host-etc';

/** Splits the binds of a sealed root, parents first. */
export function splitBinds(binds: readonly Bind[], asked: SplitAsked): Split {
  if (!asked.isPossible) return { outer: binds, inner: [], lent: [] };
  const outer: Bind[] = [];
  const inner: InnerMount[] = [];
  for (const bind of binds) {
    const made = asked.isFixed(bind.path) ? undefined : madeInside(bind, binds, asked);
    if (made === undefined) outer.push(bind);
    else inner.push(made);
  }
  if (!inner.some(({ from }) => isWithin(from, lentEtc))) return { outer, inner, lent: [] };
  const lent: Bind = { path: lentEtc, from: '/etc', access: 'ro', required: true, isHeld: false };
  return { outer: [...outer, lent], inner, lent: [lentEtc] };
}

function madeInside(
  { path, from, access, required, isHeld }: Bind,
  binds: readonly Bind[],
  { kind }: SplitAsked,
): InnerMount | undefined {
  if (access !== 'ro' || isHeld || from !== path) return undefined;
  const above = binds.findLast((each) => each.path !== path && isWithin(path, each.path));
  if (above !== undefined) {
    const isShown = above.access === 'ro' && above.from === above.path;
    return isShown ? { from: path, path, required } : undefined;
  }
  const [, name] = /^\/etc\/([^/]+)$/.exec(path) ?? [];
  const point = kind(path);
  if (name === undefined || (point !== 'file' && point !== 'directory')) return undefined;
  return { from: `${lentEtc}/${name}`, path, point, required };
}
