/** The published A2A 1.3.0 client, unmodified, made to prefer HTTP+JSON: every flow over the binding. */
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from 'a2a-sdk-1/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DoorAuth } from '../../../src/door/index.js';
import { openStage, type RestStage } from './stage.js';

const state = { submitted: 1, working: 2, completed: 3, canceled: 5, asking: 6 };
let stage: RestStage;
let client: Client;
/** Method and path of everything the client asked for. */
const asked: string[] = [];

beforeAll(async () => {
  stage = await openStage();
  client = await clientOf(stage);
});
afterAll(() => stage.close());

async function clientOf({ url }: RestStage, headers: Record<string, string> = {}): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    asked.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`);
    return fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } });
  };
  return new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new RestTransportFactory({ fetchImpl }), new JsonRpcTransportFactory({ fetchImpl })],
      preferredTransports: ['HTTP+JSON'],
    }),
  ).createFromUrl(url);
}

function request(text: string, message: object = {}, configuration: object = {}): never {
  return {
    tenant: '',
    metadata: undefined,
    message: {
      messageId: 'm1',
      contextId: '',
      taskId: '',
      role: 1,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...message,
    },
    configuration,
  } as never;
}

const named = (id: string, extra: object = {}) => ({ tenant: '', id, ...extra }) as never;
// biome-ignore lint/suspicious/noExplicitAny: the generated types want every field narrowed
const say = async (...args: Parameters<typeof request>): Promise<any> => client.sendMessage(request(...args));

// biome-ignore lint/suspicious/noExplicitAny: the generated types want every field narrowed
async function all(stream: AsyncIterable<unknown>): Promise<any[]> {
  // biome-ignore lint/suspicious/noExplicitAny: the generated types want every field narrowed
  const events: any[] = [];
  for await (const event of stream) events.push(event);
  return events.map(({ payload }) => payload);
}

it('sends and waits, at the path of the binding', async () => {
  const sent = await say('hello');
  expect(sent).toMatchObject({ status: { state: state.completed }, artifacts: [{ name: 'response' }] });
  expect(asked).toContain('POST /message:send');
  expect(asked).not.toContain('POST /');
});

it('sends and does not wait', async () => {
  expect(await say('hello', {}, { returnImmediately: true })).toMatchObject({ status: { state: state.submitted } });
});

it('reads a stream to its end', async () => {
  const events = await all(client.sendMessageStream(request('one two three')));
  expect(events[0].$case).toBe('task');
  expect(events.at(-1)).toMatchObject({ $case: 'statusUpdate', value: { status: { state: state.completed } } });
  const pieces = events.filter(({ $case }) => $case === 'artifactUpdate').map(({ value }) => value);
  expect(pieces.map(({ artifact }) => artifact.parts[0].content.value).join('')).toBe('one two three');
  expect(pieces.map(({ append }) => append)).toEqual([false, true, true, true]);
});

it('gets a task, with as much of its history as it wants', async () => {
  const { id } = await say('hello');
  expect(await client.getTask(named(id))).toMatchObject({ id, status: { state: state.completed } });
  expect((await client.getTask(named(id, { historyLength: 0 }))).history).toEqual([]);
  expect((await client.getTask(named(id, { historyLength: 1 }))).history).toHaveLength(1);
  await expect(client.getTask(named('tsk_nobody'))).rejects.toMatchObject({
    name: 'TaskNotFoundError',
    statusCode: 404,
    metadata: { taskId: 'tsk_nobody' },
  });
});

it('lists the tasks of a context, page by page', async () => {
  const contextId = 'ctx with / and ?';
  const ids: string[] = [];
  for (const text of ['a', 'b', 'c']) ids.unshift((await say(text, { contextId })).id);
  const list = (extra: object) => client.listTasks({ tenant: '', contextId, ...extra } as never);
  const first = await list({ pageSize: 2 });
  expect(first).toMatchObject({ totalSize: 3, pageSize: 2 });
  const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
  expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(ids);
  expect((await list({ status: state.working })).tasks).toEqual([]);
  expect((await list({ status: state.completed, includeArtifacts: true })).tasks[0]!.artifacts).toHaveLength(1);
  await expect(list({ pageSize: 101 })).rejects.toMatchObject({ name: 'RequestMalformedError', statusCode: 400 });
});

it('cancels a task once', async () => {
  const { id } = await say('wait', {}, { returnImmediately: true });
  expect(await client.cancelTask(named(id))).toMatchObject({ id, status: { state: state.canceled } });
  await expect(client.cancelTask(named(id))).rejects.toMatchObject({
    name: 'TaskNotCancelableError',
    metadata: { taskId: id, state: 'TASK_STATE_CANCELED' },
  });
});

it('follows a task again after its stream was cut, to the end', async () => {
  const stream = client.sendMessageStream(request('wait for it'));
  // biome-ignore lint/suspicious/noExplicitAny: the generated types want every field narrowed
  const first = (await stream.next()).value as any;
  await stream.return(undefined);
  const { id } = first.payload.value;
  const followed = client.resubscribeTask(named(id));
  // biome-ignore lint/suspicious/noExplicitAny: the generated types want every field narrowed
  const again = (await followed.next()).value as any;
  expect(again.payload).toMatchObject({ $case: 'task', value: { id } });
  stage.tasks.finish(id, 'completed', { response: 'done' });
  const rest = await all(followed);
  expect(rest.at(-1)).toMatchObject({ $case: 'statusUpdate', value: { status: { state: state.completed } } });
  await expect(all(client.resubscribeTask(named(id)))).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
  await expect(all(client.resubscribeTask(named('tsk_nobody')))).rejects.toMatchObject({ name: 'TaskNotFoundError' });
});

it('is asked, and answers', async () => {
  const asking = await say('ask me');
  expect(asking).toMatchObject({ status: { state: state.asking }, artifacts: [{ name: 'prompt' }] });
  const replied = await say('the first', { taskId: asking.id });
  expect(replied).toMatchObject({ id: asking.id, status: { state: state.completed } });
  await expect(say('more', { taskId: asking.id })).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
});

it('is told what it may not send, before or on a stream', async () => {
  const raw = { parts: [{ content: { $case: 'raw', value: Buffer.from('x') }, filename: '', mediaType: 'image/png' }] };
  const refusal = { name: 'ContentTypeNotSupportedError', metadata: { partIndex: '0', mediaType: 'image/png' } };
  await expect(say('', raw)).rejects.toMatchObject(refusal);
  await expect(all(client.sendMessageStream(request('', raw)))).rejects.toMatchObject(refusal);
});

it('is told that there are no push notifications', async () => {
  const config = { tenant: '', taskId: 'tsk_1', id: 'c', url: 'http://localhost/', token: '' };
  const refusal = { name: 'PushNotificationNotSupportedError', statusCode: 400 };
  await expect(transportOf(client).createTaskPushNotificationConfig(config)).rejects.toMatchObject(refusal);
  await expect(transportOf(client).getTaskPushNotificationConfig(config)).rejects.toMatchObject(refusal);
  await expect(transportOf(client).listTaskPushNotificationConfig(config)).rejects.toMatchObject(refusal);
  await expect(transportOf(client).deleteTaskPushNotificationConfig(config)).rejects.toMatchObject(refusal);
});

it('is let in with a token, reads the extended card, and keeps to its scopes', async () => {
  const auth = new DoorAuth({ scheme: 'bearer', credentials: [{ name: 'reader', scopes: ['tasks/get'] }] });
  const locked = await openStage(auth);
  try {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const stranger = await clientOf(locked);
    await expect(stranger.sendMessage(request('hello'))).rejects.toMatchObject({ statusCode: 401 });
    const owner = await clientOf(locked, bearer(auth.operator.reveal()));
    expect(await owner.sendMessage(request('hello'))).toMatchObject({ status: { state: state.completed } });
    const card = await transportOf(owner).getExtendedAgentCard({ tenant: '' });
    expect(JSON.stringify(card)).toContain('murmur-capsule-v1');
    const reader = await clientOf(locked, bearer(auth.credentials.reader!.reveal()));
    expect((await reader.listTasks({ tenant: '' } as never)).tasks).toHaveLength(1);
    await expect(reader.sendMessage(request('hello'))).rejects.toMatchObject({ statusCode: 403 });
    await expect(all(reader.resubscribeTask(named('tsk_1')))).rejects.toMatchObject({ statusCode: 403 });
  } finally {
    await locked.close();
  }
});

// biome-ignore lint/suspicious/noExplicitAny: the client checks the card first and would not ask; its transport does
function transportOf(one: Client): any {
  return (one as unknown as { readonly transport: unknown }).transport;
}
