/**
 * Joins the compiled command line into a few files under dist/src/bin, beside the plain ones of the compiler. Node spends about a
 * millisecond on every module file it loads, so a bundle opens the door of a warm `mur run` in about half the time.
 * Packages that load files of their own, or are loaded only when needed, stay outside.
 */
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const at = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
const outside = [/^node:/, /^@bytecodealliance\//, /^gpt-tokenizer/, 'piscina', 'pino', 'rolldown', 'componentize-qjs'];

const bundle = await rolldown({
  input: { mur: at('src/cli/main.js') },
  platform: 'node',
  external: outside,
  logLevel: 'warn',
});
// Written beside and moved into place, so that a command started meanwhile finds whole files.
const fresh = at(`src/bin-${process.pid}`);
await bundle.write({ dir: fresh, format: 'esm', sourcemap: true, minify: false });
await bundle.close();
chmodSync(`${fresh}/mur.js`, 0o755);
rmSync(at('src/bin'), { recursive: true, force: true });
renameSync(fresh, at('src/bin'));

await import('./bundle-page.mjs');
