import { expect, test } from 'vitest';
import { readMutations } from '../artifacts/mutation.js';

/** A hundred a second of `MUR_SOAK_SECONDS`, when it is set. */
const cases = Math.min(20_000, 100 * Number(process.env.MUR_SOAK_SECONDS ?? 200));

test(`${cases} damaged and forged archives are refused or harmless, in bounded memory`, async () => {
  await readMutations(500);
  const before = process.memoryUsage().rss;
  const { accepted, slowestMs } = await readMutations(cases);
  expect(accepted).toBeGreaterThan(cases / 100);
  expect(slowestMs).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});
