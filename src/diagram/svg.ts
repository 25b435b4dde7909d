import { type ChartLayout, type EdgeLabel, type EdgeLine, metrics, type NodeBox, type Row } from './geometry.js';

export interface Highlight {
  /** Ids of the states to show as active. */
  readonly active?: Iterable<string>;
  /** Ids of the transitions to show as just taken. */
  readonly hot?: Iterable<string>;
}

/**
 * A complete SVG document of a chart: own styles, light and dark by the reader's preference, no script, nothing loaded.
 *
 * All text is escaped. A page that highlights by itself adds `on` to `.state[data-id]` and `hot` to `.edge`, `.label` and `.row`,
 * which carry the transitions they stand for in `data-edges`, separated by spaces.
 */
export function renderSvg(layout: ChartLayout, highlight: Highlight = {}): string {
  return drawSvg(layout, highlight, `<style>${style}</style>`);
}

/** The same with `first` in place of the styles: for a page that has `rules` in a sheet of its own and sets the colours. */
export function drawSvg(layout: ChartLayout, { active = [], hot = [] }: Highlight = {}, first = ''): string {
  const on = new Set(active);
  const taken = new Set(hot);
  const { width, height, id } = layout;
  const lines = [...layout.edges].sort((a, b) => Number(isHot(a, taken)) - Number(isHot(b, taken)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="mur-chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="State chart ${xml(id)}">`,
    first,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...layout.nodes.map((node) => stateSvg(node, on.has(node.id), taken)),
    ...lines.map((line) => lineSvg(line, taken)),
    ...lines.flatMap((line) => labelsSvg(line, taken)),
    '</svg>',
    '',
  ].join('\n');
}

function stateSvg(node: NodeBox, active: boolean, taken: ReadonlySet<string>): string {
  const { x, y, w, h, kind, title } = node;
  if (kind === 'initial') return `<circle class="dot" cx="${x + w / 2}" cy="${y + h / 2}" r="${w / 2}"/>`;
  const classes = [
    'state',
    kind,
    `d${node.depth % 2}`,
    ...(node.depth === 0 ? ['root'] : []),
    ...(active ? ['on'] : []),
  ];
  const open = `<g class="${classes.join(' ')}" data-id="${xml(node.id)}">${tooltip(node.hint)}`;
  if (kind === 'history') {
    const r = w / 2;
    return `${open}<circle cx="${x + r}" cy="${y + r}" r="${r}"/><text class="title" text-anchor="middle" x="${x + r}" y="${y + r + 4.5}">${title}</text></g>`;
  }
  const parallel = kind === 'parallel' ? '<tspan class="dim"> ∥</tspan>' : '';
  return [
    open,
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="10"/>`,
    kind === 'final' ? `<rect class="inner" x="${x + 3}" y="${y + 3}" width="${w - 6}" height="${h - 6}" rx="7"/>` : '',
    `<text class="title" x="${x + metrics.padX}" y="${y + metrics.titleBaseline}">${xml(title)}${parallel}</text>`,
    ...node.rows.map((row, index) => rowSvg(row, node, index, taken)),
    '</g>',
  ].join('');
}

const signs: Record<Row['kind'], string> = { invoke: '◉', entry: '↘', exit: '↗', on: '↻', leave: '⇥', global: '✱' };

function rowSvg(row: Row, { x, y }: NodeBox, index: number, taken: ReadonlySet<string>): string {
  const left = x + metrics.padX;
  const base = y + metrics.titleBaseline + (index + 1) * metrics.rowHeight;
  const verb =
    row.kind === 'invoke' || row.kind === 'entry' || row.kind === 'exit'
      ? `<tspan class="dim">${row.kind} </tspan>`
      : '';
  const hot = row.edges.some((edge) => taken.has(edge)) ? ' hot' : '';
  return `<g class="row${hot}"${edgesOf(row)}>${tooltip(row.hint)}<text class="sign" x="${left}" y="${base}">${signs[row.kind]}</text><text x="${left + 15}" y="${base}">${verb}${guarded(row.text)}</text></g>`;
}

function lineSvg(line: EdgeLine, taken: ReadonlySet<string>): string {
  const hot = isHot(line, taken) ? ' hot' : '';
  const edges = { edges: line.labels.flatMap((label) => label.edges) };
  return `<g class="edge${hot}"${edgesOf(edges)}><path d="${roundedPath(line.points)}"/>${arrow(line.points)}</g>`;
}

function isHot(line: EdgeLine, taken: ReadonlySet<string>): boolean {
  return line.labels.some(({ edges }) => edges.some((edge) => taken.has(edge)));
}

/** One pill for all the labels of a line. */
function labelsSvg(line: EdgeLine, taken: ReadonlySet<string>): string[] {
  const first = line.labels[0];
  if (first === undefined) return [];
  const height = first.h * line.labels.length;
  const hot = isHot(line, taken) ? ' hot' : '';
  const pill = `<rect class="pill${hot}" x="${first.x}" y="${first.y}" width="${first.w}" height="${height}" rx="${first.h / 2}"/>`;
  return [pill, ...line.labels.map((label) => labelSvg(label, taken))];
}

function labelSvg(label: EdgeLabel, taken: ReadonlySet<string>): string {
  const { text, x, y, w, h, hint, bundle } = label;
  const classes = [
    'label',
    ...(bundle === undefined ? [] : ['bundle']),
    ...(label.edges.some((edge) => taken.has(edge)) ? ['hot'] : []),
  ];
  return `<g class="${classes.join(' ')}"${edgesOf(label)}>${tooltip(hint)}<text text-anchor="middle" x="${x + w / 2}" y="${y + h / 2 + 4}">${guarded(text)}</text></g>`;
}

function edgesOf({ edges }: { readonly edges: readonly string[] }): string {
  return edges.length === 0 ? '' : ` data-edges="${xml(edges.join(' '))}"`;
}

/** Conditions dim, so that events stand out. */
function guarded(text: string): string {
  return xml(text).replace(/\[[^\]]*\]/g, (condition) => `<tspan class="dim">${condition}</tspan>`);
}

type Point = readonly [x: number, y: number];

const bend = 8;
const arrowLength = 8;

/** The corners joined by straight lines, each corner rounded as far as its legs allow. The last leg ends at the arrow's base. */
function roundedPath(points: readonly Point[]): string {
  const path = [`M${points[0]!.join(' ')}`];
  for (let index = 1; index < points.length - 1; index += 1) {
    const [before, corner, after] = [points[index - 1]!, points[index]!, points[index + 1]!];
    const room = index === points.length - 2 ? distance(corner, after) - arrowLength : distance(corner, after) / 2;
    const radius = Math.max(0, Math.min(bend, distance(before, corner) / 2, room));
    const enter = toward(corner, before, radius);
    const leave = toward(corner, after, radius);
    path.push(`L${enter.join(' ')}`, `Q${corner.join(' ')} ${leave.join(' ')}`);
  }
  path.push(`L${toward(points.at(-1)!, points.at(-2)!, arrowLength - 2).join(' ')}`);
  return path.join('');
}

function arrow(points: readonly Point[]): string {
  const tip = points.at(-1)!;
  const [baseX, baseY] = toward(tip, points.at(-2)!, arrowLength);
  const [dx, dy] = [(tip[0] - baseX) / arrowLength, (tip[1] - baseY) / arrowLength];
  const half = 4;
  const corners = [tip, [baseX - dy * half, baseY + dx * half], [baseX + dy * half, baseY - dx * half]];
  return `<path class="tip" d="M${corners.map((corner) => corner.map(tidy).join(' ')).join('L')}Z"/>`;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** The point `by` pixels from `from` on the way to `to`. */
function toward(from: Point, to: Point, by: number): Point {
  const length = distance(from, to) || 1;
  return [tidy(from[0] + ((to[0] - from[0]) * by) / length), tidy(from[1] + ((to[1] - from[1]) * by) / length)];
}

function tidy(value: number): number {
  return Math.round(value * 100) / 100;
}

function tooltip(hint: string | undefined): string {
  return hint === undefined ? '' : `<title>${xml(hint)}</title>`;
}

function xml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

const light =
  '--paper:#f6f7fb;--box0:#fff;--box1:#f1f4fa;--line:#c9d1e3;--edge:#8290b3;--ink:#1c2438;--dim:#76819c;--sign:#5b6fd6;--pill:#fff;--on:#0b8f63;--on-box:#dff5ea;--hot:#c26a00';
const dark =
  '--paper:#0b0f19;--box0:#121929;--box1:#192236;--line:#384666;--edge:#6d7fb0;--ink:#eaeffa;--dim:#8d9bbd;--sign:#8aa0ff;--pill:#0b0f19;--on:#34d399;--on-box:#123a2c;--hot:#ffb454';

/** What a drawing looks like, in colours that are variables. */
export const rules = [
  '.mur-chart .paper{fill:var(--paper)}',
  '.mur-chart text{fill:var(--ink);font-size:11px}',
  '.mur-chart .title{font-size:13px;font-weight:600}',
  '.mur-chart .dim{fill:var(--dim);font-weight:400}',
  '.mur-chart .sign{fill:var(--sign);font-size:10px}',
  '.mur-chart .state>rect,.mur-chart .state>circle{fill:var(--box0);stroke:var(--line);stroke-width:1.25}',
  '.mur-chart .d1>rect{fill:var(--box1)}',
  '.mur-chart .region>rect{stroke-dasharray:5 4}',
  '.mur-chart .state>rect.inner{fill:none;stroke-width:1}',
  '.mur-chart .dot{fill:var(--edge)}',
  '.mur-chart .edge path{fill:none;stroke:var(--edge);stroke-width:1.4}',
  '.mur-chart .edge .tip{fill:var(--edge);stroke:none}',
  '.mur-chart .pill{fill:var(--pill);stroke:var(--line)}',
  '.mur-chart .bundle text{fill:var(--dim);font-style:italic}',
  '.mur-chart .state.on>rect,.mur-chart .state.on>circle{stroke:var(--on);stroke-width:2}',
  '.mur-chart .atomic.on>rect,.mur-chart .final.on>rect:first-of-type{fill:var(--on-box)}',
  '.mur-chart .state.on>.title{fill:var(--on)}',
  '.mur-chart .edge.hot path{stroke:var(--hot);stroke-width:2.4}',
  '.mur-chart .edge.hot .tip{fill:var(--hot);stroke:none}',
  '.mur-chart .pill.hot{stroke:var(--hot);stroke-width:1.5}',
  '.mur-chart .label.hot text,.mur-chart .label.hot .dim,.mur-chart .row.hot text,.mur-chart .row.hot .dim{fill:var(--hot)}',
].join('');

const style = [
  `.mur-chart{${light};font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif}`,
  `@media (prefers-color-scheme:dark){.mur-chart{${dark}}}`,
  rules,
].join('');
