import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { searchArtifacts } from '../../src/cli/search-index.js';
import { displayWidth } from '../../src/cli/width.js';
import { temporaryFolder } from '../artifacts/registries/server.js';
import { memoryOutput } from './memory-stream.js';

const artifacts = [
  { name: 'csv', version: '1.0.0', runtime: 'tool', description: 'merges '.repeat(30) },
  { name: 'csv-表', version: '1.0.0', runtime: 'tool' },
];

async function printed(isTTY: boolean): Promise<string[]> {
  const home = temporaryFolder();
  const registry = join(home, 'index.json');
  writeFileSync(registry, JSON.stringify({ schema_version: '1', artifacts }));
  const [out, err] = [memoryOutput(isTTY), memoryOutput(isTTY)];
  const context = { stdout: out.output, stderr: err.output, env: { HOME: home, NO_COLOR: '1' } };
  expect(await searchArtifacts({ query: 'csv', limit: 10, registry, color: true }, context)).toBe(0);
  expect(err.text()).toBe('');
  return out.text().trimEnd().split('\n');
}

test('a terminal gets descriptions cut to its width, a file gets them whole', async () => {
  const screen = await printed(true);
  expect(screen).toHaveLength(3);
  expect(Math.max(...screen.map(displayWidth))).toBeLessThanOrEqual(72);
  expect(screen[1]).toMatch(/^csv {5}1\.0\.0 {4}tool {5}merges .*…$/);
  expect((await printed(false))[1]).toMatch(/(merges ?){30}$/);
});
