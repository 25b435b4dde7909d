import type { AnyStateMachine } from 'xstate';
import { chartOf } from './chart.js';
import { layoutOf } from './layout.js';
import { mermaidOf } from './mermaid.js';
import { renderSvg } from './svg.js';

/** File name and text of every generated diagram. Computes layouts, so development only, like layout.ts. */
export async function drawAll(
  charts: Readonly<Record<string, { readonly machine: AnyStateMachine }>>,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [id, { machine }] of Object.entries(charts)) {
    const chart = chartOf(machine);
    const layout = await layoutOf(chart);
    files.set(`${id}.layout.json`, `${JSON.stringify(layout)}\n`);
    files.set(`${id}.svg`, renderSvg(layout));
    files.set(`${id}.mmd`, mermaidOf(chart));
  }
  return files;
}
