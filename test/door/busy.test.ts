import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sandbox } from '../e2e/cli.js';
import { drill } from './busy.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

// In full: test/soak/door-busy.test.ts.
test('a session that streams to twenty clients and then runs a tool answers its health check', async () => {
  const words = 2_000;
  const { streaming, tool, frames, longestTurnMs } = await drill(sandbox, { watchers: 20, words, toolMs: 1_500 });
  // Who falls behind on a busy machine loses frames, and only who falls behind.
  expect(frames).toBeGreaterThan(20 * 150);
  expect(longestTurnMs).toBeLessThan(50);
  // A busy machine makes the door late too.
  for (const { door, plain } of [streaming, tool]) expect(door.p99Ms).toBeLessThan(100 + 2 * plain.p99Ms);
});
