import { expect, test } from 'vitest';
import { churn } from '../supervise/churn.js';

const sessions = Math.min(10_000, 100 * Number(process.env.MUR_SOAK_SECONDS ?? 100));

test(`${sessions} sessions of the real chart come and go, and the heap does not grow`, async () => {
  const { grownBytes, scheduled } = await churn({ sessions, warmUp: 2_000 });
  // What the machine's own moods add, and less than a snapshot a session.
  expect(grownBytes).toBeLessThan(500_000 + sessions * 50);
  expect(scheduled).toEqual([]);
});
