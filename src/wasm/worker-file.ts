/**
 * Where the compiled worker files are. One rule: threads run compiled JavaScript from `dist/workers`. Compiled code finds it
 * beside itself, and so does the bundled command line, which lies as deep (scripts/bundle.mjs). Code that runs from its
 * TypeScript source (tests) finds it in the `dist` of the package, which test/setup/build.ts brings up to date first.
 */
const fromSource = import.meta.url.endsWith('.ts');
const workers = new URL(fromSource ? '../../dist/workers/' : '../../workers/', import.meta.url);

export function workerFile(name: 'call' | 'transpile' | 'network-helper' | 'launcher' | 'tokens'): string {
  return new URL(`${name}.js`, workers).href;
}
