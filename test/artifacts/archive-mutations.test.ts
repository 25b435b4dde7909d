import { expect, test } from 'vitest';
import { readMutations } from './mutation.js';

test('damaged and forged archives are refused or harmless, never a raw error or a hang', async () => {
  const { accepted, slowestMs } = await readMutations(1500);
  expect(accepted).toBeGreaterThan(20);
  expect(slowestMs).toBeLessThan(10_000);
});
