import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** WIT words that are keywords and so are escaped in WIT source. */
const keywords = new Set(['stream', 'future', 'list', 'option', 'result']);

/**
 * The WIT world of one component: the interfaces its code imports, and the one its role exports. Each component is built for a
 * world of its own, so that what it asks of its host is what it uses.
 */
export function worldText(imports: readonly string[], exported: string): string {
  const lines = [...imports.map((name) => `  import ${escaped(name)};`), `  export ${escaped(exported)};`];
  return `package mur:artifact;\n\nworld artifact {\n${lines.join('\n')}\n}\n`;
}

/** Writes `world` beside copies of the packages in `deps` into `folder`, as the componentizer reads it. */
export function writeWorld(folder: string, world: string, deps: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(deps, join(folder, 'deps'), { recursive: true });
  writeFileSync(join(folder, 'world.wit'), world);
}

/** `murmur:stream/events@0.1.0` as WIT source: `murmur:%stream/events@0.1.0`. */
function escaped(name: string): string {
  return name.replace(/^([a-z-]+):([a-z-]+)\//, (_, namespace: string, word: string) =>
    keywords.has(word) ? `${namespace}:%${word}/` : `${namespace}:${word}/`,
  );
}
