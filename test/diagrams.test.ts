import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { charts } from '../machines/index.js';
import { drawAll } from '../src/diagram/draw.js';

it('diagrams/ is what the machines say today; `npm run diagrams` brings it up to date', async () => {
  const files = await drawAll(charts);
  expect(readdirSync('diagrams').sort()).toEqual([...files.keys()].sort());
  const stale = [...files].filter(([name, text]) => readFileSync(`diagrams/${name}`, 'utf8') !== text);
  expect(stale.map(([name]) => name)).toEqual([]);
});
