import { expect, test } from 'vitest';
import { readMutations } from '../artifacts/mutation.js';

test('20,000 damaged and forged archives are refused or harmless, in bounded memory', async () => {
  await readMutations(500);
  const before = process.memoryUsage().rss;
  const { accepted, slowestMs } = await readMutations(20_000);
  expect(accepted).toBeGreaterThan(200);
  expect(slowestMs).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});
