/** The sequence diagram: one lane per kind of chart, one for everything without a chart, one for the world outside. */
import type { EventFrame } from '../../frame.js';
import type { Entry } from './model.js';
import { lastPart } from './names.js';

export const OUTSIDE = 'outside';
export const EFFECTS = 'effects';

export interface Arrow {
  readonly event: EventFrame;
  readonly from: string;
  readonly to: string;
}

export interface Sequence {
  readonly lanes: readonly string[];
  readonly arrows: readonly Arrow[];
}

/** `charts` are the ids of the machines that have one. */
export function sequenceOf(entries: readonly Entry[], charts: ReadonlySet<string>): Sequence {
  const depths = new Map<string, number>();
  const laneOf = (id: string | undefined): string => {
    if (id === undefined) return OUTSIDE;
    const name = lastPart(id).replace(/:.*/, '');
    if (!charts.has(name)) return EFFECTS;
    depths.set(name, Math.min(depths.get(name) ?? 99, id.split('/').length));
    return name;
  };
  const arrows: Arrow[] = [];
  const used = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== 'ev') continue;
    const arrow = { event: entry, from: laneOf(entry.from), to: laneOf(entry.to) };
    used.add(arrow.from).add(arrow.to);
    arrows.push(arrow);
  }
  const chartLanes = [...depths].sort(([, a], [, b]) => a - b).map(([name]) => name);
  const lanes = [OUTSIDE, ...chartLanes, EFFECTS].filter((lane) => used.has(lane));
  return { lanes, arrows };
}
