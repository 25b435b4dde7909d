import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { charts } from '../../machines/index.js';
import { chartOf, type NodeBox } from '../../src/diagram/index.js';
import { layoutOf } from '../../src/diagram/layout.js';
import { textWidth } from '../../src/diagram/width.js';
import { example, sequence } from './example.js';

const machines = {
  example,
  sequence,
  ...Object.fromEntries(Object.entries(charts).map(([id, each]) => [id, each.machine])),
};

describe.each(Object.entries(machines))('the layout of %s', async (_, machine) => {
  const chart = chartOf(machine);
  const layout = await layoutOf(chart);
  const byId = new Map(layout.nodes.map((node) => [node.id, node]));

  it('is the same every time', async () => {
    expect(JSON.stringify(await layoutOf(chart))).toBe(JSON.stringify(layout));
  });

  it('holds whole numbers inside the drawing', () => {
    for (const { x, y, w, h } of [...layout.nodes, ...layout.edges.flatMap(({ labels }) => labels)]) {
      expect([x, y, w, h].every(Number.isInteger)).toBe(true);
      expect(x >= 0 && y >= 0 && x + w <= layout.width && y + h <= layout.height).toBe(true);
    }
  });

  it('puts every state inside its parent and beside its siblings', () => {
    const parentOf = (node: NodeBox) => byId.get(node.id.replace(/[.#][^.#]*$/, ''));
    for (const node of layout.nodes.filter(({ depth }) => depth > 0)) {
      const parent = parentOf(node)!;
      expect(node.x > parent.x && node.y > parent.y && node.x + node.w < parent.x + parent.w).toBe(true);
      expect(node.y + node.h < parent.y + parent.h).toBe(true);
      for (const other of layout.nodes) {
        if (other === node || other.depth !== node.depth || parentOf(other) !== parent) continue;
        const apart =
          node.x + node.w <= other.x ||
          other.x + other.w <= node.x ||
          node.y + node.h <= other.y ||
          other.y + other.h <= node.y;
        expect(apart).toBe(true);
      }
    }
  });

  it('shows every transition once as a label or row, and again where a bundle stands for it', () => {
    const shown = [
      ...layout.nodes.flatMap(({ rows }) => rows.flatMap(({ edges }) => edges)),
      ...layout.edges.flatMap(({ labels }) =>
        labels.filter(({ bundle }) => bundle === undefined).flatMap(({ edges }) => edges),
      ),
    ];
    expect(shown.sort()).toEqual(chart.edges.map(({ id }) => id).sort());
  });

  it('starts and ends every line at the border of its states', () => {
    for (const { from, to, points } of layout.edges) {
      for (const [id, [x, y]] of [
        [from, points[0]!],
        [to, points.at(-1)!],
      ] as const) {
        const box = byId.get(id)!;
        const near = (a: number, b: number) => Math.abs(a - b) <= 1;
        const within = x >= box.x - 1 && x <= box.x + box.w + 1 && y >= box.y - 1 && y <= box.y + box.h + 1;
        expect(within && (near(x, box.x) || near(x, box.x + box.w) || near(y, box.y) || near(y, box.y + box.h))).toBe(
          true,
        );
      }
    }
  });

  it('draws lines that only turn at right angles', () => {
    for (const { points } of layout.edges) {
      for (let index = 1; index < points.length; index += 1) {
        const [[x0, y0], [x1, y1]] = [points[index - 1]!, points[index]!];
        expect(Math.min(Math.abs(x0 - x1), Math.abs(y0 - y1))).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('the drawing', () => {
  it('writes the transitions of the machine itself as rows', async () => {
    const { nodes, edges } = await layoutOf(chartOf(example));
    expect(nodes[0]!.rows.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'global: kill → gone',
      'on: ping · note',
    ]);
    expect(edges.some(({ from }) => from === 'example')).toBe(false);
  });

  it('keeps regions in the order of the machine', async () => {
    const { nodes } = await layoutOf(chartOf(example));
    const [left, right] = nodes.filter(({ kind }) => kind === 'region');
    expect([left!.title, right!.title]).toEqual(['left', 'right']);
    expect(left!.y + left!.h).toBeLessThan(right!.y);
  });

  it('joins transitions with the same two ends', async () => {
    const { edges } = await layoutOf(chartOf(example));
    const line = edges.find(({ from, to }) => from === 'example.busy' && to === 'example.gone');
    expect(line!.labels.map(({ text }) => text)).toEqual(['get ✓', 'get ✗']);
  });

  it('places a sequence in columns and bundles what all its steps have in common', async () => {
    const { nodes, edges } = await layoutOf(chartOf(sequence));
    const steps = nodes.filter(({ id }) => /\.s\d$/.test(id));
    expect(new Set(steps.map(({ x }) => x)).size).toBe(2);
    expect(steps.map(({ rows }) => rows.map(({ text }) => text))).toEqual(Array(6).fill(['fail → failed']));
    const bundle = edges.find(({ from, to }) => from === 'sequence.steps' && to === 'sequence.failed');
    expect(bundle!.labels).toMatchObject([{ text: 'from 6 states', bundle: 6 }]);
    expect(bundle!.labels[0]!.edges).toHaveLength(6);
  });
});

it('text is never wider than its box, and a character the table does not know is taken as wide', () => {
  expect(textWidth('iii', 11)).toBeLessThan(textWidth('mmm', 11));
  expect(textWidth('✓', 100)).toBeGreaterThanOrEqual(84);
  expect(textWidth('abc', 11, 'semibold')).toBeGreaterThan(textWidth('abc', 11));
});

it('nothing that ships imports the layout engine or what needs it', () => {
  const importers = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /from '(?:elkjs|(?:\.\.?\/)+(?:diagram\/)?(?:layout|draw)\.js)/.test(readFileSync(join('src', file), 'utf8')),
    );
  expect(importers.sort()).toEqual(['diagram/draw.ts', 'diagram/layout.ts']);
});
