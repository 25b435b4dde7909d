import { once } from 'node:events';
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { openDoor, type TaskPort } from '../../src/door/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { TaskRegistry } from '../../src/task/index.js';
import { cardInput, message, portOf, rpc } from './client.js';

/** A door that notes the signal of whoever waits for a task. */
async function opened() {
  const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: Date.now });
  const port = portOf(tasks);
  const signals: AbortSignal[] = [];
  const noting: TaskPort = {
    ...port,
    settled(taskId, signal) {
      signals.push(signal);
      return port.settled(taskId, signal);
    },
  };
  const door = await openDoor({ bindAddr: '127.0.0.1', card: cardInput, tasks: noting, clock: systemClock });
  return { door, tasks, signals };
}

const send = message('hello', { role: 'ROLE_USER' });

it('a caller that leaves is waited for no longer, and its task goes on', async () => {
  const { door, tasks, signals } = await opened();
  const asked = request({ host: '127.0.0.1', port: door.port, method: 'POST', agent: false });
  asked.on('error', () => undefined);
  asked.setHeader('content-type', 'application/json');
  asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: send }));
  await expect.poll(() => signals.length).toBe(1);
  const gone = once(signals[0]!, 'abort');
  asked.destroy();
  await gone;
  expect(tasks.list()).toMatchObject([{ state: 'submitted' }]);
  await door.close();
});

it('a caller that got its answer never left', async () => {
  const { door, tasks, signals } = await opened();
  const unwatch = tasks.watch(({ taskId }, change) => {
    if (change !== 'submitted') return;
    queueMicrotask(() => {
      tasks.start(taskId);
      tasks.finish(taskId, 'completed', { response: 'hi' });
    });
  });
  expect(await rpc(door.port, 'SendMessage', send)).toMatchObject({
    result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
  });
  unwatch();
  await door.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});
