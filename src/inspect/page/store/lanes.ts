/** The sequence diagram: one lane per kind of chart, one for everything without a chart, one for the world outside. */
import type { ActorFrame, EventFrame } from '../../frame.js';
import type { Cursor, Entry } from './model.js';
import { actorLabel, eventLabel, lastPart } from './names.js';

export const OUTSIDE = 'outside';
export const EFFECTS = 'effects';

/** A message from one actor to another, or an actor that another one starts. */
export interface Arrow extends Cursor {
  readonly entry: EventFrame | ActorFrame;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly tone: 'start' | 'done' | 'error' | 'after' | 'external' | 'sent';
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
  const born = new Set<string>();
  for (const entry of entries) {
    const { at, q } = entry;
    if (entry.type === 'ev') {
      const [from, to] = [laneOf(entry.from), laneOf(entry.to)];
      arrows.push({ at, q, entry, from, to, label: eventLabel(entry.ev.type), tone: toneOf(entry.ev.type, from) });
    } else if (entry.type === 'actor' && entry.parent !== undefined && entry.def !== undefined && !born.has(entry.id)) {
      born.add(entry.id);
      arrows.push({
        at,
        q,
        entry,
        from: laneOf(entry.parent),
        to: laneOf(entry.id),
        label: actorLabel(entry.id),
        tone: 'start',
      });
    }
  }
  const used = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  const chartLanes = [...depths].sort(([, a], [, b]) => a - b).map(([name]) => name);
  return { lanes: [OUTSIDE, ...chartLanes, EFFECTS].filter((lane) => used.has(lane)), arrows };
}

function toneOf(type: string, from: string): Arrow['tone'] {
  if (type.startsWith('xstate.error')) return 'error';
  if (type.startsWith('xstate.done')) return 'done';
  if (type.startsWith('xstate.after')) return 'after';
  return from === OUTSIDE ? 'external' : 'sent';
}
