import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { manifestShape } from '../../src/manifest/parse.js';
import { keysOf } from '../../src/reference/keys.js';
import { hostileManifests, survives } from '../manifest/fuzz.js';

const kinds = Object.entries(hostileManifests(keysOf(manifestShape).map(({ path }) => path)));
/** A hundred a second of `MUR_SOAK_SECONDS`, when it is set. */
const cases = Math.min(20_000, 100 * Number(process.env.MUR_SOAK_SECONDS ?? 200));

describe(`${cases} manifests that nobody meant`, () => {
  test.each(kinds)('never bring the parser down, hang it or fill the memory: %s', (_, manifest) => {
    const before = process.memoryUsage().rss;
    fc.assert(fc.property(manifest, survives), { numRuns: Math.ceil(cases / kinds.length) });
    expect((process.memoryUsage().rss - before) / 1024 ** 2).toBeLessThan(512);
  });
});
