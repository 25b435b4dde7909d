import type { ChartState } from './chart.js';
import { isWithin, type Line } from './fold.js';
import { type EdgeLine, metrics, type NodeBox } from './geometry.js';
import { dotOf, type Parts, stackSize } from './sizes.js';

/** A state whose children are a plain sequence, placed as one column or several side by side. Positions count from its own top left corner. */
export interface Column {
  readonly w: number;
  readonly h: number;
  readonly nodes: readonly NodeBox[];
  readonly inner: readonly EdgeLine[];
  /** Lines that leave the last child, and the point on the right border where each does. */
  readonly exits: readonly { readonly line: Line; readonly x: number; readonly y: number }[];
}

/** Shorter sequences read well from left to right. */
const columnFrom = 4;
/** Longer columns continue in another beside them. */
const columnTo = 5;
const gutter = 40;
const arrowGap = 16;
const sidePadding = metrics.padX + 4;

/**
 * The column of a state, or `undefined` when its children are not a sequence of at least four simple states, each leading to the
 * next and to nowhere else, entered at the first and left from the last. From left to right such a state would be endless.
 */
export function columnOf(state: ChartState, parts: Parts): Column | undefined {
  const ids = state.states.map(({ id }) => id);
  const [first, last] = [ids[0], ids.at(-1)];
  if (ids.length < columnFrom || first === undefined || last === undefined || state.initial !== first) return undefined;
  if (state.states.some(({ states, kind }) => states.length > 0 || kind === 'history')) return undefined;
  const touching = parts.lines.filter(({ from, to }) => ids.includes(from) || ids.includes(to));
  const steps = ids.slice(1).map((to, index) => touching.find((line) => line.from === ids[index] && line.to === to));
  const exits = touching.filter(({ from, to }) => from === last && !isWithin(to, state.id));
  if (!steps.every((step) => step !== undefined) || touching.length !== steps.length + exits.length) return undefined;
  return place(state, parts, steps, exits);
}

function place(state: ChartState, parts: Parts, steps: readonly Line[], exits: readonly Line[]): Column {
  const heading = parts.boxes.get(state.id)!;
  const dot = parts.boxes.get(dotOf(state.id))!;
  const boxes = state.states.map(({ id }) => parts.boxes.get(id)!);
  const boxWidth = Math.max(...boxes.map(({ w }) => w), ...steps.map(({ labels }) => stackSize(labels).w));
  const perColumn = Math.ceil(boxes.length / Math.ceil(boxes.length / columnTo));
  const columns = Math.ceil(boxes.length / perColumn);
  const w = Math.max(heading.w, columns * boxWidth + (columns - 1) * gutter + 2 * sidePadding);
  const top = heading.h + 6;
  const nodes: NodeBox[] = [];
  const inner: EdgeLine[] = [];
  let y = top;
  for (const [index, box] of boxes.entries()) {
    const x = sidePadding + Math.floor(index / perColumn) * (boxWidth + gutter);
    const center = x + Math.round(boxWidth / 2);
    const labels = steps[index - 1]?.labels ?? [];
    const before = nodes.at(-1);
    if (before === undefined) nodes.push({ ...dot, x: center - dot.w / 2, y: top });
    const wraps = index > 0 && index % perColumn === 0;
    const start = wraps ? top : before === undefined ? top + dot.h : y;
    const arrive = start + arrowGap + (labels.length === 0 ? arrowGap : stackSize(labels).h + arrowGap);
    inner.push({
      from: before?.id ?? dot.id,
      to: box.id,
      points: wraps
        ? [...around(before!, top, center), [center, arrive]]
        : [
            [center, start],
            [center, arrive],
          ],
      labels: labels.map((label, row) => {
        const size = stackSize(labels);
        const labelY = start + arrowGap - 2 + row * metrics.labelHeight;
        return { ...label, x: Math.round(center - size.w / 2), y: labelY, w: size.w, h: metrics.labelHeight };
      }),
    });
    nodes.push({ ...box, w: boxWidth, x, y: arrive });
    y = arrive + box.h;
  }
  const end = nodes.at(-1)!;
  const bottom = Math.max(...nodes.map((node) => node.y + node.h));
  const exitY = (index: number) => Math.round(end.y + ((index + 1) * end.h) / (exits.length + 1));
  return {
    ...{ w, h: bottom + sidePadding, nodes, inner },
    exits: exits.map((line, index) => ({ line, x: end.x + end.w, y: exitY(index) })),
  };
}

/** From the bottom of one column over the gutter to the top of the next. */
function around(from: NodeBox, top: number, center: number): [number, number][] {
  const right = from.x + from.w;
  const middle = from.y + Math.round(from.h / 2);
  const lane = right + Math.round(gutter / 2);
  return [
    [right, middle],
    [lane, middle],
    [lane, top],
    [center, top],
  ];
}
