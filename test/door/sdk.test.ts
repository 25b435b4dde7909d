/** The published A2A clients, unmodified, against a door: what does not stream. Each generation finds the door by its card. */
import { A2AClient } from 'a2a-sdk-0.2/client';
import { ClientFactory as FactoryV03 } from 'a2a-sdk-0.3/client';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from 'a2a-sdk-1/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenedDoor, open } from './client.js';

let opened: OpenedDoor;
let url: string;
let unwatch: () => void;

// Whatever is sent is answered at once with its own text; what begins with "ask" asks first, what begins with "wait" never ends.
beforeAll(async () => {
  opened = await open({ queueDepth: 64 });
  url = `http://localhost:${opened.door.port}`;
  const { tasks } = opened;
  const finish = (taskId: string, response: string) => tasks.finish(taskId, 'completed', { response });
  unwatch = tasks.watch((_task, change) => {
    if (change !== 'submitted') return;
    queueMicrotask(() => {
      const next = tasks.next();
      if (next === undefined || next.text.startsWith('wait')) return;
      tasks.start(next.taskId);
      if (!next.text.startsWith('ask')) finish(next.taskId, next.text);
      else tasks.setInputRequired(next.taskId, 'which one?', (text) => queueMicrotask(() => finish(next.taskId, text)));
    });
  });
});
afterAll(async () => {
  unwatch();
  await opened.door.close();
});

const messageId = 'm1';

it('@a2a-js/sdk 0.2.5 sends, gets and cancels', async () => {
  const client = new A2AClient(url);
  const say = (text: string) =>
    client.sendMessage({ message: { kind: 'message', messageId, role: 'user', parts: [{ kind: 'text', text }] } });
  // biome-ignore lint/suspicious/noExplicitAny: one reply type of many
  const sent = (await say('hello')) as any;
  expect(sent.result).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
  // biome-ignore lint/suspicious/noExplicitAny: one reply type of many
  const got = (await client.getTask({ id: sent.result.id })) as any;
  expect(got.result).toMatchObject({ status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'hello' }] }] });
  // biome-ignore lint/suspicious/noExplicitAny: one reply type of many
  const waiting = (await say('wait')) as any;
  // biome-ignore lint/suspicious/noExplicitAny: one reply type of many
  const canceled = (await client.cancelTask({ id: waiting.result.id })) as any;
  expect(canceled.result.status.state).toBe('canceled');
});

it('@a2a-js/sdk 0.3.14 sends and waits, gets, answers a question, cancels', async () => {
  const client = await new FactoryV03().createFromUrl(url);
  const say = (text: string, extra: object = {}, blocking = true) =>
    client.sendMessage({
      message: { kind: 'message', messageId, role: 'user', parts: [{ kind: 'text', text }], ...extra },
      configuration: { blocking },
    });
  const sent = await say('hello');
  expect(sent).toMatchObject({ kind: 'task', status: { state: 'completed' }, artifacts: [{ name: 'response' }] });
  const asking = (await say('ask me')) as { readonly id: string };
  expect(asking).toMatchObject({ status: { state: 'input-required' }, artifacts: [{ name: 'prompt' }] });
  const replied = await say('the first', { taskId: asking.id });
  expect(replied).toMatchObject({ id: asking.id, artifacts: [{ parts: [{ text: 'the first' }] }] });
  expect(await client.getTask({ id: asking.id })).toMatchObject({ status: { state: 'completed' } });
  const waiting = (await say('wait', {}, false)) as { readonly id: string };
  expect(await client.cancelTask({ id: waiting.id })).toMatchObject({ status: { state: 'canceled' } });
  await expect(client.getTask({ id: 'nobody' })).rejects.toThrow('not found');
});

const legacyCompat = { enabled: true };

it.each([
  ['default', () => new ClientFactory()],
  [
    'compatible with older agents',
    () =>
      new ClientFactory(
        ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
          transports: [new JsonRpcTransportFactory({ legacyCompat })],
          cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
        }),
      ),
  ],
])('@a2a-js/sdk 1.3.0, %s, sends and waits, gets, lists, answers a question, cancels', async (_name, factory) => {
  const client = await factory().createFromUrl(url);
  const contextId = `ctx_${_name.length}`;
  // biome-ignore lint/suspicious/noExplicitAny: the generated request types want every field
  const say = async (text: string, extra: object = {}, configuration: object = {}): Promise<any> =>
    client.sendMessage({
      tenant: '',
      metadata: undefined,
      message: {
        messageId,
        contextId,
        taskId: '',
        role: 1,
        parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
        ...extra,
      },
      configuration,
    } as never);
  const completed = 3;
  const sent = await say('hello');
  expect(sent).toMatchObject({ status: { state: completed }, artifacts: [{ name: 'response' }] });
  const asking = await say('ask me');
  expect(asking).toMatchObject({ status: { state: 6 }, artifacts: [{ name: 'prompt' }] });
  expect(await say('the first', { taskId: asking.id })).toMatchObject({ id: asking.id });
  const done = await client.getTask({ tenant: '', id: asking.id } as never);
  expect(done).toMatchObject({ status: { state: completed } });
  const waiting = await say('wait', {}, { returnImmediately: true });
  expect(await client.cancelTask({ tenant: '', id: waiting.id } as never)).toMatchObject({ id: waiting.id });
  const listed = await client.listTasks({ tenant: '', contextId } as never);
  expect(listed.tasks.map(({ id }) => id)).toEqual([waiting.id, asking.id, sent.id]);
});
