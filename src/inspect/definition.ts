import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Chart, type ChartLayout, type ChartState, chartOf } from '../diagram/index.js';
import { packageRoot } from '../version.js';
import { chartEntry } from './identity.js';

/** A chart as a `def` frame carries it. */
export interface Definition {
  readonly key: string;
  readonly id: string;
  readonly chart: Chart;
  readonly layout: ChartLayout | null;
}

const definitions = new Map<string, Definition>();
const byKey = new Map<string, Definition>();

/** The definition that `actor.def` names, if this process made it. */
export function definitionByKey(key: string): Definition | undefined {
  return byKey.get(key);
}

/** The definition of the chart with that id, made once per process; `undefined` for a chart that machines/ does not name. */
export function definitionOf(id: string): Definition | undefined {
  const known = definitions.get(id);
  if (known !== undefined) return known;
  const machine = chartEntry(id)?.machine;
  if (machine === undefined) return undefined;
  const chart = chartOf(machine);
  const key = createHash('sha256').update(JSON.stringify(chart)).digest('hex').slice(0, 16);
  const definition = { key, id, chart, layout: storedLayout(id, chart) };
  definitions.set(id, definition);
  byKey.set(key, definition);
  return definition;
}

/** The stored drawing, unless it is missing or one of another version of the chart. */
function storedLayout(id: string, chart: Chart): ChartLayout | null {
  try {
    const layout: unknown = JSON.parse(readFileSync(new URL(`diagrams/${id}.layout.json`, packageRoot), 'utf8'));
    return isLayoutOf(layout as ChartLayout, chart) ? (layout as ChartLayout) : null;
  } catch {
    return null;
  }
}

function isLayoutOf(layout: ChartLayout, chart: Chart): boolean {
  const drawn = new Set(layout.nodes.filter(({ kind }) => kind !== 'initial').map((node) => node.id));
  const states = stateIds(chart.root);
  return drawn.size === states.length && states.every((state) => drawn.has(state));
}

function stateIds(state: ChartState): string[] {
  return [state.id, ...state.states.flatMap(stateIds)];
}
