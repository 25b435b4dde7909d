/**
 * The time axis of the timeline: linear where something happens, folded where nothing does, so that an hour of waiting takes no
 * more room than a breath. A stretch that a call or an effect covers is never folded.
 */
import type { Entry } from './model.js';

export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface Axis {
  readonly start: number;
  readonly end: number;
  readonly gaps: readonly Gap[];
  /** Length in milliseconds after folding. */
  readonly length: number;
  /** 0 at the start, 1 at the end. */
  position(at: number): number;
  time(position: number): number;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  /** Where it begins, in folded milliseconds, and how long it is there. */
  readonly offset: number;
  readonly length: number;
  readonly folded: boolean;
}

const shortest = 1_500;

/** `times` are sorted; `busy` are the spans of calls; the axis reaches at least to `until`. */
export function axisOf(times: readonly number[], busy: readonly Gap[], until: number): Axis {
  const start = times[0] ?? until;
  const end = Math.max(until, times.at(-1) ?? until, start + 1);
  const quiet = quietBetween([...times, end], busy).filter(({ from, to }) => to - from > shortest);
  const active = end - start - quiet.reduce((sum, { from, to }) => sum + to - from, 0);
  const limit = Math.max(shortest, active / 6);
  const width = Math.max(250, active / 24);
  const gaps = quiet.filter(({ from, to }) => to - from > limit);

  const pieces: Piece[] = [];
  let [at, offset] = [start, 0];
  const add = (to: number, length: number, folded: boolean): void => {
    if (to <= at) return;
    pieces.push({ from: at, to, offset, length, folded });
    [at, offset] = [to, offset + length];
  };
  for (const gap of gaps) {
    add(gap.from, gap.from - at, false);
    add(gap.to, width, true);
  }
  add(end, end - at, false);
  const length = offset;

  return {
    start,
    end,
    gaps,
    length,
    position(time) {
      if (time <= start) return 0;
      if (time >= end) return 1;
      const piece = pieces.findLast(({ from }) => from <= time)!;
      return (piece.offset + ((time - piece.from) / (piece.to - piece.from)) * piece.length) / length;
    },
    time(position) {
      const folded = Math.min(1, Math.max(0, position)) * length;
      const piece = pieces.findLast((each) => each.offset <= folded) ?? pieces[0]!;
      return piece.from + ((folded - piece.offset) / piece.length) * (piece.to - piece.from);
    },
  };
}

function quietBetween(times: readonly number[], busy: readonly Gap[]): Gap[] {
  const quiet: Gap[] = [];
  for (let index = 1; index < times.length; index += 1) {
    const [from, to] = [times[index - 1]!, times[index]!];
    if (to - from <= shortest) continue;
    if (!busy.some((span) => span.from < to && span.to > from)) quiet.push({ from, to });
  }
  return quiet;
}

/** Spans of effects, which are actors without a chart: something is being done, even when nothing is said. */
export function effectsOf(entries: readonly Entry[], until: number): Gap[] {
  const open = new Map<string, number>();
  const spans: Gap[] = [];
  for (const entry of entries) {
    if (entry.type === 'actor' && entry.def === undefined) open.set(entry.id, entry.at);
    else if (entry.type === 'gone' && open.has(entry.id)) {
      spans.push({ from: open.get(entry.id)!, to: entry.at });
      open.delete(entry.id);
    }
  }
  return [...spans, ...[...open.values()].map((from) => ({ from, to: until }))];
}

/** Round times between the ends of the view, at most `most` of them: for labels. */
export function ticksOf(axis: Axis, from: number, to: number, most: number): number[] {
  const [first, last] = [axis.time(from), axis.time(to)];
  const span = (to - from) * axis.length;
  const step = steps.find((each) => span / each <= most) ?? steps.at(-1)!;
  const ticks: number[] = [];
  for (let at = axis.start + Math.ceil((first - axis.start) / step) * step; at <= last; at += step) {
    const gap = axis.gaps.find((each) => at > each.from && at < each.to);
    if (gap === undefined) ticks.push(at);
    // On from the end of a gap, however long it is.
    else at = axis.start + Math.floor((gap.to - axis.start) / step) * step;
    if (ticks.length > most * 2) break;
  }
  return ticks;
}

const steps = [
  ...[1, 10, 100, 1_000].flatMap((unit) => [unit, unit * 2, unit * 5]),
  ...[1, 2, 3, 6, 12, 30, 60, 180, 360, 1_080, 8_640].map((tens) => tens * 10_000),
];
