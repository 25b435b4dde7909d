import { expect, test } from 'vitest';
import { taskPort } from '../../src/effects/task-port.js';
import type { SessionWorld } from '../../src/effects/world.js';
import { TaskRegistry } from '../../src/task/index.js';
import { taskRequest } from '../door/stream/client.js';

test('spec/door.md 8.2, hand-off failure: the task is taken back, and its place is free again', () => {
  const registry = new TaskRegistry({ acceptance: 'queue', queueDepth: 1, now: () => 1 });
  // Its trace is not open, so nothing can be handed over.
  const world = { registry, draft: { request: {} }, trace: undefined } as unknown as SessionWorld;
  const { send } = taskPort(world);
  for (const id of ['tsk_a', 'tsk_b']) expect(() => send(taskRequest(id))).toThrow('not open');
  expect([registry.pending, registry.list(), registry.canAccept()]).toEqual([0, [], true]);
});
