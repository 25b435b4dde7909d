/**
 * Joins the compiled command line into a few files under dist/src/bin, beside the plain ones of the compiler. Node spends about a
 * millisecond on every module file it loads, so a bundle opens the door of a warm `mur run` in about half the time.
 * Packages that load files of their own, or are loaded only when needed, stay outside.
 * test/cli/loaded.test.ts says what a command may load; `npm run bench -- cli` says what that costs.
 */
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const at = (path) => fileURLToPath(new URL(`../dist/${path}`, import.meta.url));
const outside = [/^node:/, /^@bytecodealliance\//, /^gpt-tokenizer/, 'piscina', 'pino', 'rolldown', 'componentize-qjs'];

/** Files that most commands load together: fewer files to find and open. Everything else is split by who needs it. */
const together = [
  {
    name: 'base',
    test: /node_modules\/commander\/|\/dist\/src\/(?:errors\/|version|text\/display|liveness\/native|cli\/(?:beta-features|beta-gate|command|commands|exit|help|output|prepare|program|safe-text|style)\.)/,
  },
  {
    name: 'home',
    test: /\/dist\/src\/(?:home\/(?!config|credential|env-file)|manifest\/regular-file)/,
  },
  { name: 'yaml', test: /node_modules\/(?:yaml|zod)\// },
];

const lighter = {
  name: 'lighter packages',
  resolveId(id, importer) {
    // The build of yaml for browsers is the same code as modules, of which the unused half can be left out.
    if (id === 'yaml') return fileURLToPath(import.meta.resolve('../node_modules/yaml/browser/dist/index.js'));
    // commander starts sub-commands that are programs of their own; mur has none, and the module costs milliseconds.
    if (id === 'node:child_process' && importer?.includes('/node_modules/commander/')) return '\0no-child-process';
    return null;
  },
  load: (id) => (id === '\0no-child-process' ? 'export default {};' : null),
};

const bundle = await rolldown({
  input: { mur: at('src/cli/main.js') },
  platform: 'node',
  external: outside,
  plugins: [lighter],
  preserveEntrySignatures: false,
  // Nothing of ours is imported for what it does while it is loaded. Without this, one function of a folder brings all of the folder.
  treeshake: {
    moduleSideEffects: (id) => !/\/dist\/(?:src|machines|workers)\//.test(id) || id.endsWith('/cli/main.js'),
  },
  logLevel: 'warn',
});
// Written beside and moved into place, so that a command started meanwhile finds whole files.
const fresh = at(`src/bin-${process.pid}`);
await bundle.write({
  dir: fresh,
  format: 'esm',
  sourcemap: true,
  // Less to read and to compile. Names stay, so that a stack trace can be read.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  codeSplitting: { includeDependenciesRecursively: false, groups: together },
});
await bundle.close();
chmodSync(`${fresh}/mur.js`, 0o755);
rmSync(at('src/bin'), { recursive: true, force: true });
renameSync(fresh, at('src/bin'));

await import('./bundle-page.mjs');
