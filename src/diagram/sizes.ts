import { type Chart, type ChartState, labelOf } from './chart.js';
import { fold, hintOf, type Line } from './fold.js';
import { type Label, metrics, type NodeBox, type Row } from './geometry.js';
import { textWidth } from './width.js';

/** A chart taken apart into boxes with a size and lines with labels, nothing placed yet. */
export interface Parts {
  readonly chart: Chart;
  readonly lines: readonly Line[];
  /** By state. Every x and y is 0. */
  readonly boxes: ReadonlyMap<string, NodeBox>;
}

export function partsOf(chart: Chart): Parts {
  const { lines, rows } = fold(chart);
  const boxes = new Map<string, NodeBox>();
  const visit = (state: ChartState, depth: number, parent: ChartState | undefined): void => {
    const kind = parent?.kind === 'parallel' && state.kind !== 'history' ? 'region' : state.kind;
    boxes.set(state.id, boxOf(state, kind, depth, [...rowsOf(state, chart), ...(rows.get(state.id) ?? [])]));
    if (state.initial !== undefined) {
      const id = dotOf(state.id);
      boxes.set(id, {
        id,
        kind: 'initial',
        depth: depth + 1,
        title: '',
        rows: [],
        x: 0,
        y: 0,
        w: metrics.dot,
        h: metrics.dot,
      });
    }
    for (const child of state.states) visit(child, depth + 1, state);
  };
  visit(chart.root, 0, undefined);
  return { chart, lines, boxes };
}

/** Id of the dot that points at the first state inside `state`. */
export function dotOf(state: string): string {
  return `${state}#initial`;
}

/** Width and height of labels on top of each other. */
export function stackSize(labels: readonly Label[]): { readonly w: number; readonly h: number } {
  const w = Math.max(...labels.map(({ text }) => textWidth(text, metrics.labelSize))) + 2 * metrics.labelPadding;
  return { w, h: labels.length * metrics.labelHeight };
}

/** The size of a state without states in it; for one with, its heading. */
function boxOf(state: ChartState, kind: NodeBox['kind'], depth: number, rows: readonly Row[]): NodeBox {
  const title = state.kind === 'history' ? (state.history === 'deep' ? 'H*' : 'H') : state.key;
  const common = {
    ...{ id: state.id, kind, depth, title, rows, x: 0, y: 0 },
    ...(state.description === undefined ? {} : { hint: state.description }),
  };
  if (kind === 'history') return { ...common, w: metrics.history, h: metrics.history };
  const titleWidth = textWidth(kind === 'parallel' ? `${title} ∥` : title, metrics.titleSize, 'semibold');
  return {
    ...common,
    w: Math.max(72, 2 * metrics.padX + Math.max(titleWidth, ...rows.map(rowWidth))),
    h: metrics.headerHeight + rows.length * metrics.rowHeight + (rows.length > 0 ? 5 : 3),
  };
}

function rowsOf(state: ChartState, chart: Chart): Row[] {
  const own = chart.edges.filter((edge) => edge.from === state.id);
  const isRoot = state === chart.root;
  return [
    ...state.invokes.map(
      ({ id, src }): Row => ({ kind: 'invoke', text: id === src ? id : `${id} (${src})`, edges: [] }),
    ),
    ...state.entry.map((text): Row => ({ kind: 'entry', text, edges: [] })),
    ...state.exit.map((text): Row => ({ kind: 'exit', text, edges: [] })),
    ...own.flatMap((edge): Row[] => {
      const what = { edges: [edge.id], ...hintOf(edge) };
      if (edge.to.length === 0) return [{ kind: 'on', text: [labelOf(edge), ...edge.actions].join(' · '), ...what }];
      const targets = edge.to.map((target) => target.slice(state.id.length + 1)).join(', ');
      return isRoot ? [{ kind: 'global', text: `${labelOf(edge)} → ${targets}`, ...what }] : [];
    }),
  ];
}

function rowWidth({ kind, text }: Row): number {
  const verb = kind === 'invoke' || kind === 'entry' || kind === 'exit' ? `${kind} ` : '';
  return 16 + textWidth(`${verb}${text}`, metrics.rowSize);
}
