/**
 * Places a chart with ELK. For `npm run diagrams` and tests only: elkjs is a development dependency, so nothing that ships may
 * import this file (test/diagram/layout.test.ts holds that). The running program reads the stored layouts.
 *
 * Read next: sizes.ts (what the boxes say), fold.ts (which lines there are), column.ts (sequences).
 */
import ElkModule, { type ELK, type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { Chart, ChartState } from './chart.js';
import { type Column, columnOf } from './column.js';
import type { Line } from './fold.js';
import { type ChartLayout, type EdgeLine, metrics, type NodeBox } from './geometry.js';
import { dotOf, type Parts, partsOf, stackSize } from './sizes.js';

const Elk = ElkModule as unknown as new () => ELK;

/** Needed on every state that has states inside: ELK does not hand them down. */
const options: Record<string, string> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.randomSeed': '1',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  // From the initial state outwards, so that loops point back and the flow points right.
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  // Heeds `elk.position`, which the regions of a parallel state carry.
  'elk.layered.crossingMinimization.semiInteractive': 'true',
  'elk.spacing.nodeNode': '26',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
};

interface Plan extends Parts {
  readonly columns: ReadonlyMap<string, Column>;
}

/** Every position of a chart. The same chart gives the same bytes on every machine: fixed seed, no font metrics. */
export async function layoutOf(chart: Chart): Promise<ChartLayout> {
  const parts = partsOf(chart);
  const plan: Plan = { ...parts, columns: columnsOf(chart.root, parts) };
  const edges = elkEdges(plan);
  const graph: ElkNode = await new Elk().layout<ElkNode>({
    id: 'drawing',
    layoutOptions: { ...options, 'elk.padding': padding(metrics.margin) },
    children: [elkNode(chart.root, plan)],
    edges: edges.map(({ elk }) => elk),
  });
  const placed = placedNodes(graph.children ?? [], plan);
  return {
    version: 1,
    id: chart.root.id,
    width: Math.ceil(graph.width ?? 0),
    height: Math.ceil(graph.height ?? 0),
    nodes: placed,
    edges: [...edges.map(({ line, elk }) => placedLine(line, elk, placed, plan)), ...innerLines(placed, plan)],
  };
}

function columnsOf(state: ChartState, parts: Parts): Map<string, Column> {
  const own = columnOf(state, parts);
  const below = state.states.flatMap((child) => [...columnsOf(child, parts)]);
  return new Map(own === undefined ? below : [[state.id, own]]);
}

// What ELK is asked

function elkNode(state: ChartState, plan: Plan): ElkNode {
  const { id } = state;
  const box = plan.boxes.get(id)!;
  const column = plan.columns.get(id);
  if (column !== undefined) return elkColumn(id, box, column);
  if (state.states.length === 0) return { id, width: box.w, height: box.h };
  const dot = plan.boxes.get(dotOf(id));
  return {
    id,
    children: [
      ...(dot === undefined ? [] : [{ id: dot.id, width: dot.w, height: dot.h }]),
      ...state.states.map((child, index) => inOrder(elkNode(child, plan), state, index)),
    ],
    layoutOptions: {
      ...options,
      'elk.padding': padding(metrics.padX + 4, box.h + 6),
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${box.w}, ${box.h})`,
    },
  };
}

/** Regions stand below each other in the order of the machine; other states stand where their lines are shortest. */
function inOrder(node: ElkNode, parent: ChartState, index: number): ElkNode {
  if (parent.kind !== 'parallel') return node;
  return { ...node, layoutOptions: { ...node.layoutOptions, 'elk.position': `(0, ${index * 1_000})` } };
}

/** For ELK a column is a box with fixed points: in and out beside its title, out beside its last state. */
function elkColumn(id: string, { h }: NodeBox, column: Column): ElkNode {
  const beside = Math.round(h / 2);
  const port = (portId: string, side: 'WEST' | 'EAST', y: number) => ({
    ...{ id: portId, width: 0, height: 0, x: side === 'WEST' ? 0 : column.w, y },
    layoutOptions: { 'elk.port.side': side },
  });
  return {
    ...{ id, width: column.w, height: column.h },
    ports: [
      port(`${id}>in`, 'WEST', beside),
      port(`${id}>out`, 'EAST', beside),
      ...column.exits.map(({ line, y }) => port(`${keyOf(line)}>exit`, 'EAST', y)),
    ],
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
  };
}

function elkEdges(plan: Plan): { readonly line: Line; readonly elk: ElkExtendedEdge }[] {
  const insideColumns = new Set([...plan.columns.values()].flatMap(({ nodes }) => nodes.map(({ id }) => id)));
  const exits = new Set([...plan.columns.values()].flatMap((column) => column.exits.map(({ line }) => line)));
  const initial = [...plan.boxes.values()].filter(({ kind }) => kind === 'initial');
  const lines: Line[] = [
    ...initial.map(({ id }) => ({ from: id, to: initialOf(plan.chart.root, id), labels: [] })),
    ...plan.lines,
  ];
  return lines
    .filter((line) => !insideColumns.has(line.from) || exits.has(line))
    .map((line) => {
      const source = exits.has(line)
        ? `${keyOf(line)}>exit`
        : plan.columns.has(line.from)
          ? `${line.from}>out`
          : line.from;
      const target = plan.columns.has(line.to) ? `${line.to}>in` : line.to;
      return { line, elk: { id: keyOf(line), sources: [source], targets: [target], ...elkLabels(line) } };
    });
}

function elkLabels(line: Line): Pick<ElkExtendedEdge, 'labels'> {
  if (line.labels.length === 0) return {};
  const { w, h } = stackSize(line.labels);
  const id = `${keyOf(line)} label`;
  return { labels: [{ id, text: id, width: w, height: h, layoutOptions: { 'elk.edgeLabels.inline': 'true' } }] };
}

function initialOf(state: ChartState, dot: string): string {
  if (dotOf(state.id) === dot) return state.initial!;
  const within = state.states.find((child) => dot === dotOf(child.id) || dot.startsWith(`${child.id}.`));
  return initialOf(within!, dot);
}

function keyOf({ from, to }: Line): string {
  return `${from} -> ${to}`;
}

// What ELK answers. It writes positions into the objects it was given or into copies of them, by version; read the copies.

function placedNodes(nodes: readonly ElkNode[], plan: Plan): NodeBox[] {
  return nodes.flatMap((node) => {
    const [x, y] = [Math.round(node.x ?? 0), Math.round(node.y ?? 0)];
    const box = { ...plan.boxes.get(node.id)!, x, y, w: Math.round(node.width ?? 0), h: Math.round(node.height ?? 0) };
    const inner = plan.columns.get(node.id)?.nodes ?? [];
    return [
      box,
      ...inner.map((each) => ({ ...each, x: x + each.x, y: y + each.y })),
      ...placedNodes(node.children ?? [], plan),
    ];
  });
}

function placedLine(line: Line, elk: ElkExtendedEdge, placed: readonly NodeBox[], plan: Plan): EdgeLine {
  const section = elk.sections![0]!;
  const corners = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  const points = corners.map(({ x, y }): [number, number] => [Math.round(x), Math.round(y)]);
  for (const [id, column] of plan.columns) {
    const exit = column.exits.find((each) => each.line === line);
    if (exit !== undefined) points[0] = [placed.find((node) => node.id === id)!.x + exit.x, points[0]![1]];
  }
  const stack = elk.labels?.[0];
  return {
    from: line.from,
    to: line.to,
    points,
    labels: line.labels.map((label, index) => ({
      ...label,
      x: Math.round(stack?.x ?? 0),
      y: Math.round((stack?.y ?? 0) + index * metrics.labelHeight),
      w: Math.round(stack?.width ?? 0),
      h: metrics.labelHeight,
    })),
  };
}

function innerLines(placed: readonly NodeBox[], plan: Plan): EdgeLine[] {
  return [...plan.columns].flatMap(([id, column]) => {
    const { x, y } = placed.find((node) => node.id === id)!;
    return column.inner.map((line) => ({
      ...line,
      points: line.points.map(([px, py]): [number, number] => [px + x, py + y]),
      labels: line.labels.map((label) => ({ ...label, x: label.x + x, y: label.y + y })),
    }));
  });
}

function padding(side: number, top = side): string {
  return `[top=${top},left=${side},bottom=${side},right=${side}]`;
}
