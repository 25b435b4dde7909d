/** Writes diagrams/<machine>.{svg,mmd,layout.json} for every machine of machines/index.ts. test/diagrams.test.ts fails when they are stale. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { charts } from '../machines/index.js';
import { drawAll } from '../src/diagram/draw.js';

const folder = 'diagrams';
mkdirSync(folder, { recursive: true });
for (const [name, text] of await drawAll(charts)) {
  writeFileSync(`${folder}/${name}`, text);
  process.stdout.write(`${folder}/${name}\n`);
}
