import { type Chart, type ChartEdge, type ChartState, labelOf } from './chart.js';
import { isWithin } from './fold.js';

/**
 * A chart as Mermaid text, for places that render Mermaid and nothing else. The SVG is the better picture.
 *
 * Mermaid draws no transition that starts at a state and ends inside it. Such a transition is written once per child that can be
 * left by it instead, which says the same, and a machine's own transitions are written as a note.
 */
export function mermaidOf(chart: Chart): string {
  const states = new Map<string, ChartState>();
  const visit = (state: ChartState): void => {
    states.set(state.id, state);
    for (const child of state.states) visit(child);
  };
  visit(chart.root);

  const lines = ['stateDiagram-v2', '  direction LR'];
  lines.push(...insideLines(chart.root, 1));
  for (const edge of chart.edges) {
    if (edge.from === chart.root.id) continue;
    for (const to of edge.to) {
      for (const from of sourcesOf(edge, to, states)) lines.push(`  ${idOf(from)} --> ${idOf(to)}: ${wordsOf(edge)}`);
    }
  }
  lines.push(...globalNote(chart));
  return `${lines.join('\n')}\n`;
}

function stateLines(state: ChartState, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const title = state.kind === 'history' ? (state.history === 'deep' ? 'H*' : 'H') : textOf(state.key);
  const name = `${indent}state "${title}" as ${idOf(state.id)}`;
  return state.states.length === 0 ? [name] : [`${name} {`, ...insideLines(state, depth + 1), `${indent}}`];
}

/** Children, where they start, and where they end. */
function insideLines(state: ChartState, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const between = state.kind === 'parallel' ? [`${indent}--`] : [];
  return [
    ...state.states.flatMap((child, index) => [...(index > 0 ? between : []), ...stateLines(child, depth)]),
    ...(state.initial === undefined ? [] : [`${indent}[*] --> ${idOf(state.initial)}`]),
    ...state.states.filter(({ kind }) => kind === 'final').map(({ id }) => `${indent}${idOf(id)} --> [*]`),
  ];
}

/** The edge's own source; when the target lies inside it, the states beside the target that can be left by it. */
function sourcesOf(edge: ChartEdge, to: string, states: ReadonlyMap<string, ChartState>): string[] {
  const beside = (state: ChartState): string[] =>
    state.states
      .filter(({ id, kind }) => kind !== 'final' && kind !== 'history' && id !== to)
      .flatMap((child) => (isWithin(to, child.id) ? beside(child) : [child.id]));
  return to !== edge.from && isWithin(to, edge.from) ? beside(states.get(edge.from)!) : [edge.from];
}

function globalNote(chart: Chart): string[] {
  const own = chart.edges.filter((edge) => edge.from === chart.root.id);
  const first = chart.root.states[0];
  if (own.length === 0 || first === undefined) return [];
  const rows = own.map(
    (edge) => `    ${wordsOf(edge)}${edge.to.map((to) => ` → ${textOf(to.slice(chart.root.id.length + 1))}`).join('')}`,
  );
  return [`  note left of ${idOf(first.id)}`, '    in every state:', ...rows, '  end note'];
}

function wordsOf(edge: ChartEdge): string {
  const actions = edge.actions.length === 0 ? '' : ` / ${edge.actions.join(', ')}`;
  return textOf(`${labelOf(edge)}${actions}`);
}

function idOf(state: string): string {
  return state.replace(/[^A-Za-z0-9]/g, '_');
}

/** Mermaid ends a label at these. */
function textOf(text: string): string {
  return text.replace(/[:;#"]/g, (character) => `#${character.charCodeAt(0)};`);
}
