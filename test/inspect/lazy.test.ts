import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const dist = (path: string) => pathToFileURL(resolve('dist', path)).href;

/** Every module that importing these loads. */
function loadedBy(...urls: string[]): string[] {
  const hooks = `export async function load(url, context, next) { process.stdout.write(url + '\\n'); return next(url, context); }`;
  const data = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = data(`import { register } from 'node:module'; register(${JSON.stringify(data(hooks))});`);
  const script = urls.map((url) => `await import(${JSON.stringify(url)});`).join('');
  const ran = spawnSync(process.execPath, ['--import', register, '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(ran.stderr).toBe('');
  return ran.stdout.split('\n').filter((url) => url.startsWith('file:'));
}

it('a run that nobody can watch loads nothing of inspection', () => {
  const loaded = loadedBy(dist('src/cli/run-session.js'), dist('src/index.js'));
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((url) => /\/src\/inspect\/|\/node_modules\/ws\//.test(url))).toEqual([]);
});

it('and the list of commands loads it neither', () => {
  const loaded = loadedBy(dist('src/cli/program.js'));
  expect(loaded.filter((url) => /\/src\/inspect\/|\/node_modules\/ws\//.test(url))).toEqual([]);
});
