import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build, guests } from '../fixtures/component/guests.js';
import { openHost } from './host.js';

/** Packages a child process imports while it runs `code` against the compiled host. */
function importedBy(code: string): string[] {
  const hook = `
    import { writeSync } from 'node:fs';
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      const found = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url);
      if (found !== null && context.parentURL?.includes('node_modules') !== true) writeSync(1, found[1] + '\\n');
      return resolved;
    }`;
  const index = new URL('../../dist/src/wasm/index.js', import.meta.url).href;
  const main = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
    const { createWasmHost } = await import(${JSON.stringify(index)});
    ${code}`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', main], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  return run.stdout.split('\n').filter((line) => line !== '');
}

it('imports no package to load a component that is cached', async () => {
  await using host = await openHost();
  await host.load('echo');
  const file = join(host.dir, 'echo.wasm');
  await writeFile(file, await build(guests.echo));
  const code = `
    const host = createWasmHost({ cacheDir: ${JSON.stringify(host.cacheDir)} });
    const { readFileSync } = await import('node:fs');
    await host.load('echo', readFileSync(${JSON.stringify(file)}));
    await host.close();`;
  expect(importedBy(code)).toEqual([]);
});

it('imports the thread pool, and no transpiler, on the main thread to compile one', async () => {
  await using host = await openHost();
  const file = join(host.dir, 'echo.wasm');
  await host.load('echo');
  await writeFile(file, await build(guests.echo));
  const code = `
    const host = createWasmHost({ cacheDir: ${JSON.stringify(join(host.dir, 'cold'))} });
    const { readFileSync } = await import('node:fs');
    await host.load('echo', readFileSync(${JSON.stringify(file)}));
    await host.close();`;
  expect(importedBy(code)).toEqual(['piscina']);
});
