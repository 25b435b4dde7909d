import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { subpathProblem } from '../../src/manifest/grammar.js';
import { manifestShape } from '../../src/manifest/parse.js';
import { keysOf } from '../../src/reference/keys.js';
import { hostileManifests, survives } from './fuzz.js';

/** A shortened run; test/soak/manifest.test.ts is the long one. */
describe('the manifest parser answers with a value or a coded error for', () => {
  const kinds = hostileManifests(keysOf(manifestShape).map(({ path }) => path));
  test.each(Object.entries(kinds))('%s', (_, manifest) => {
    fc.assert(fc.property(manifest, survives), { numRuns: 300 });
  });
});

test('a subpath that passes never leaves the folder it is joined to', () => {
  const part = fc.constantFrom('a', 'b', '.', '..', '', '...', '.x');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = parts.join('/');
      const resolved = new URL(`file:///root/work/${path}/`).pathname;
      if (subpathProblem(path) === undefined) expect(resolved.startsWith('/root/work/')).toBe(true);
    }),
  );
});
