/** Which part of a drawing to show: all of it when that can be read, otherwise a part that holds what is active. */
import type { Box, ChartLayout } from '../../../diagram/geometry.js';

export type CameraMode = 'follow' | 'fit';

/** Below this, labels of 11 px can no longer be read. */
const readable = 0.8;
const largest = 1.25;
const inset = 16;

export interface Size {
  readonly w: number;
  readonly h: number;
}

/** A part of `layout` with the shape of `size`. Following, it stays where it is while what is active is well inside `before`. */
export function viewOf(layout: ChartLayout, size: Size, mode: CameraMode, focus: Box | null, before: Box | null): Box {
  const whole = mode === 'fit' ? { x: 0, y: 0, w: layout.width, h: layout.height } : insideOf(layout);
  const fit = Math.min(size.w / whole.w, size.h / whole.h);
  const scale = mode === 'fit' ? Math.min(fit, largest) : Math.min(largest, Math.max(fit, readable));
  const [w, h] = [size.w / scale, size.h / scale];
  const isFirst = before === null || Math.abs(before.w - w) > 1 || Math.abs(before.h - h) > 1;
  const x = along([whole.x, whole.w], w, focus && [focus.x, focus.w], isFirst ? null : before.x);
  const y = along([whole.y, whole.h], h, focus && [focus.y, focus.h], isFirst ? null : before.y);
  return { x, y, w, h };
}

/** The drawing without the frame of the machine itself, which says nothing that is not always so. */
function insideOf({ nodes, edges, width, height }: ChartLayout): Box {
  const lines = edges.flatMap(({ points, labels }) => [...points.map(([x, y]) => ({ x, y, w: 0, h: 0 })), ...labels]);
  const { x, y, w, h } = union([...nodes.filter(({ depth }) => depth > 0), ...lines]) ?? {
    x: 0,
    y: 0,
    w: width,
    h: height,
  };
  return { x: x - inset, y: y - inset, w: w + 2 * inset, h: h + 2 * inset };
}

/** Where the view begins on one axis. */
function along(
  [start, whole]: readonly [number, number],
  view: number,
  focus: readonly [number, number] | null,
  before: number | null,
): number {
  if (view >= whole) return start + (whole - view) / 2;
  const [from, length] = focus ?? [start, 0];
  const margin = view * 0.14;
  const isInside = before !== null && from >= before + margin && from + length <= before + view - margin;
  const wanted = isInside ? before : from + length / 2 - view / 2;
  return Math.max(start, Math.min(start + whole - view, wanted));
}

/** The box around the innermost active states, and around the last transition when both fit. */
export function focusOf(
  layout: ChartLayout,
  leaves: readonly string[],
  hot: readonly string[],
  size: Size,
): Box | null {
  const states = layout.nodes.filter(({ id, kind }) => kind !== 'initial' && leaves.includes(id));
  const lines = layout.edges.filter((line) =>
    line.labels.some(({ edges }) => edges.some((edge) => hot.includes(edge))),
  );
  const points = lines.flatMap(({ points: corners }) => corners.map(([x, y]) => ({ x, y, w: 0, h: 0 })));
  const around = union([...states, ...points]);
  if (around !== null && around.w <= (size.w / readable) * 0.7 && around.h <= (size.h / readable) * 0.7) return around;
  return union(states) ?? around;
}

function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.w));
  const bottom = Math.max(...boxes.map((box) => box.y + box.h));
  return { x, y, w: right - x, h: bottom - y };
}
