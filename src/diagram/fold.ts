import { type Chart, type ChartEdge, type ChartState, labelOf } from './chart.js';
import type { Label, Row } from './geometry.js';

/** What is drawn between two states. */
export interface Line {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly Label[];
}

export interface Folded {
  readonly lines: readonly Line[];
  /** Rows that replace lines, by state. */
  readonly rows: ReadonlyMap<string, readonly Row[]>;
}

/** From this many states inside a state to the same place outside it, one line says it better. */
const bundleFrom = 3;

/**
 * The lines of a chart. Transitions with the same two ends become one line with several labels; those of many states inside one
 * state to the same target become a row in each and one line for all; those of the machine itself are rows, not lines.
 */
export function fold(chart: Chart): Folded {
  const lines = new Map<string, Line>();
  const rows = new Map<string, Row[]>();
  const key = (from: string, to: string) => `${from} -> ${to}`;
  for (const edge of chart.edges) {
    if (edge.from === chart.root.id) continue;
    for (const to of edge.to) {
      const before = lines.get(key(edge.from, to))?.labels ?? [];
      const label = { text: labelOf(edge), edges: [edge.id], ...hintOf(edge) };
      lines.set(key(edge.from, to), { from: edge.from, to, labels: [...before, label] });
    }
  }

  const bundle = (state: ChartState): void => {
    for (const child of state.states) bundle(child);
    if (state === chart.root) return;
    const children = new Set(state.states.map(({ id }) => id));
    const leaving = [...lines.values()].filter(({ from, to }) => children.has(from) && !isWithin(to, state.id));
    for (const to of new Set(leaving.map((line) => line.to))) {
      const these = leaving.filter((line) => line.to === to);
      const count = these.reduce((sum, { labels }) => sum + statesBehind(labels), 0);
      if (count < bundleFrom) continue;
      for (const { from, labels } of these) {
        lines.delete(key(from, to));
        const own = labels.filter((label) => label.bundle === undefined);
        if (own.length > 0) rows.set(from, [...(rows.get(from) ?? []), leaveRow(own, nameOf(to, chart))]);
      }
      const edges = these.flatMap(({ labels }) => labels.flatMap((label) => label.edges));
      const label: Label = { text: `from ${count} states`, edges, bundle: count };
      lines.set(key(state.id, to), {
        from: state.id,
        to,
        labels: [...(lines.get(key(state.id, to))?.labels ?? []), label],
      });
    }
  };
  bundle(chart.root);
  return { lines: [...lines.values()], rows };
}

/** `state`, or a state inside it. */
export function isWithin(id: string, state: string): boolean {
  return `${id}.`.startsWith(`${state}.`);
}

/** What a transition does, for those who point at it. */
export function hintOf(edge: ChartEdge): { hint?: string } {
  return edge.actions.length === 0 ? {} : { hint: `${labelOf(edge)} / ${edge.actions.join(', ')}` };
}

function leaveRow(labels: readonly Label[], target: string): Row {
  const hints = labels.flatMap(({ hint }) => hint ?? []);
  return {
    kind: 'leave',
    text: `${joined(labels.map(({ text }) => text))} → ${target}`,
    edges: labels.flatMap(({ edges }) => edges),
    ...(hints.length === 0 ? {} : { hint: hints.join('\n') }),
  };
}

/** `open ✓, open ✗` as `open ✓, ✗`. */
export function joined(labels: readonly string[]): string {
  const head = (text: string) => text.split(' ')[0]!;
  return labels
    .map((text, index) =>
      index > 0 && text !== head(text) && head(labels[index - 1]!) === head(text)
        ? text.slice(head(text).length + 1)
        : text,
    )
    .join(', ');
}

function statesBehind(labels: readonly Label[]): number {
  const bundled = labels.reduce((sum, { bundle = 0 }) => sum + bundle, 0);
  return bundled + (labels.some(({ bundle }) => bundle === undefined) ? 1 : 0);
}

function nameOf(id: string, chart: Chart): string {
  return id.slice(chart.root.id.length + 1);
}
