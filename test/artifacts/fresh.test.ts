import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every built component belongs to the sources beside it', () => {
  const check = spawnSync(process.execPath, ['scripts/build-artifacts.mjs', '--check'], { encoding: 'utf8' });
  expect(check.stderr).toBe('');
  expect(check.status).toBe(0);
});

test('the built components stay under 8 MB together', () => {
  const files = readdirSync('artifacts', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.wasm'),
  );
  const bytes = files.reduce((sum, file) => sum + statSync(`artifacts/${file}`).size, 0);
  expect(files.length).toBeGreaterThanOrEqual(4);
  expect(bytes).toBeLessThan(8_000_000);
});
