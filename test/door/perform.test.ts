import { request } from 'node:http';
import { expect, it } from 'vitest';
import { openDoor, type TaskPort } from '../../src/door/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { TaskRegistry } from '../../src/task/index.js';
import { cardInput, message, portOf, rpc } from './client.js';

/** A door that notes who waits for a task, and whether that was stopped. */
async function opened() {
  const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: Date.now });
  const port = portOf(tasks);
  const waits: { isStopped: boolean }[] = [];
  const noting: TaskPort = {
    ...port,
    settled(taskId, told) {
      const wait = { isStopped: false };
      waits.push(wait);
      const stop = port.settled(taskId, told);
      return () => {
        wait.isStopped = true;
        stop();
      };
    },
  };
  const door = await openDoor({ bindAddr: '127.0.0.1', card: cardInput, tasks: noting, clock: systemClock });
  return { door, tasks, waits };
}

const send = message('hello', { role: 'ROLE_USER' });

it('a caller that leaves is waited for no longer, and its task goes on', async () => {
  const { door, tasks, waits } = await opened();
  const asked = request({ host: '127.0.0.1', port: door.port, method: 'POST', agent: false });
  asked.on('error', () => undefined);
  asked.setHeader('content-type', 'application/json');
  asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: send }));
  await expect.poll(() => waits).toEqual([{ isStopped: false }]);
  asked.destroy();
  await expect.poll(() => waits).toEqual([{ isStopped: true }]);
  expect(tasks.list()).toMatchObject([{ state: 'submitted' }]);
  await door.close();
});

it('a caller that got its answer never left', async () => {
  const { door, tasks, waits } = await opened();
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
  expect(waits).toEqual([{ isStopped: false }]);
});
