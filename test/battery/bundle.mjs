/**
 * Makes `dist/test/battery/main.js` of the battery's TypeScript: what runs as another user has to be JavaScript, and the runtime it
 * tests is the built one in `dist/src`. Types are what `npm run check` looks at.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = await rolldown({
  input: `${root}test/battery/main.ts`,
  platform: 'node',
  external: (id) => id.startsWith('../../src/') || id.startsWith('node:'),
  makeAbsoluteExternalsRelative: false,
});
await bundle.write({ file: `${root}dist/test/battery/main.js`, format: 'esm' });
