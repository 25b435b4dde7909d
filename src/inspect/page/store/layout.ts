/** A drawing from outside, such as a bundle somebody sent: numbers become numbers and names become clean text, nothing else passes. */
import type { ChartLayout, EdgeLabel, NodeBox, Row } from '../../../diagram/geometry.js';
import { clean } from './names.js';

export function cleanLayout(layout: ChartLayout): ChartLayout {
  return {
    ...{ version: 1, id: clean(layout.id), width: Number(layout.width), height: Number(layout.height) },
    nodes: layout.nodes.map((node) => ({
      ...{ id: String(node.id), kind: word(node.kind), depth: Number(node.depth), title: clean(node.title) },
      ...box(node),
      ...hint(node),
      rows: node.rows.map((row) => ({
        kind: word(row.kind),
        text: clean(row.text),
        edges: row.edges.map(String),
        ...hint(row),
      })),
    })),
    edges: layout.edges.map((line) => ({
      ...{ from: String(line.from), to: String(line.to) },
      points: line.points.map(([x, y]) => [Number(x), Number(y)] as const),
      labels: line.labels.map((label) => ({
        ...{ text: clean(label.text), edges: label.edges.map(String) },
        ...box(label),
        ...hint(label),
        ...(label.bundle === undefined ? {} : { bundle: Number(label.bundle) }),
      })),
    })),
  };
}

function box({ x, y, w, h }: NodeBox | EdgeLabel) {
  return { x: Number(x), y: Number(y), w: Number(w), h: Number(h) };
}

function hint({ hint: text }: NodeBox | EdgeLabel | Row) {
  return text === undefined ? {} : { hint: clean(text) };
}

/** Kinds go into class names. */
function word<Kind extends string>(kind: Kind): Kind {
  return String(kind).replace(/[^a-z]/g, '') as Kind;
}
