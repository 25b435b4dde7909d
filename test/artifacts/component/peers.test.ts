import type { RequestListener } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { cardInput, open } from '../../door/client.js';
import { listen } from '../../wasm/egress/server.js';
import { openArtifacts } from './host.js';

vi.setConfig({ testTimeout: 60_000 });

const host = openArtifacts();
afterAll(() => host[Symbol.asyncDispose]());

async function call(input: unknown, allow = ['localhost', '127.0.0.1']) {
  const outcome = await host.call('mur-tool-peers', input, { allow });
  if (outcome.status !== 'returned' || outcome.result === undefined) throw new Error(JSON.stringify(outcome));
  return outcome.result;
}
const told = async (input: unknown) => JSON.parse((await call(input)).data ?? 'null') as Record<string, unknown>;

test('asks a capsule and waits for its answer; tells it something; looks at what it took', async () => {
  const { door, tasks } = await open({}, { card: { ...cardInput, acceptsPeerTasks: true } });
  const unwatch = tasks.watch(({ taskId, state }) => {
    if (state !== 'submitted') return;
    setImmediate(() => {
      tasks.start(taskId);
      tasks.finish(taskId, 'completed', { response: 'The float switch.' });
    });
  });
  try {
    const asked = await call({ action: 'ask', url: door.url, text: 'Why?' });
    expect(asked).toMatchObject({ status: 'passed', summary: `${door.url}: completed` });
    const { task_id, context_id, ...answer } = JSON.parse(asked.data!);
    expect(answer).toEqual({ state: 'completed', answer: 'The float switch.' });
    expect(asked.metadata).toEqual([
      ['state_effect', 'mutate'],
      ['resource_id', `${door.url} ${task_id}`],
    ]);
    unwatch();
    const next = await told({ action: 'tell', url: `http://${door.url}`, text: 'Thanks.', context_id });
    expect(next).toEqual({ task_id: expect.stringMatching(/^tsk_/), context_id, state: 'submitted' });
    const looked = await call({ action: 'look', url: door.url, task_id });
    expect(looked).toMatchObject({ data: asked.data, metadata: expect.arrayContaining([['state_effect', 'read']]) });
    expect(await call({ action: 'look', url: door.url, task_id: 'tsk_none' })).toMatchObject({
      status: 'failed',
      summary: `${door.url} does not tell of task tsk_none: Task not found`,
    });
  } finally {
    await door.close();
  }
});

/** An agent of A2A 0.3 whose task is `state` whenever it is looked at. */
const older =
  (state: string, parts: unknown[] = []): RequestListener =>
  (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.once('end', () => {
      if (request.method === 'GET') return response.writeHead(404).end();
      const { id, method } = JSON.parse(body);
      const answers: Record<string, unknown> = {
        'message/send': { id: 't1', contextId: 'c1', status: { state: 'submitted' } },
        'tasks/get': { id: 't1', contextId: 'c1', status: { state, message: { parts } } },
      };
      const result = answers[method];
      const told = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...told }));
    });
  };

test('an agent of the generation before is asked in its words; one that asks back is not waited for', async () => {
  await using server = await listen(older('input-required', [{ kind: 'text', text: 'Which pump?' }, { kind: 'data' }]));
  expect(await told({ action: 'ask', url: server.url, text: 'Why?' })).toEqual({
    ...{ task_id: 't1', context_id: 'c1' },
    ...{ state: 'input-required', answer: 'Which pump?' },
  });
});

test('one that is not done in time is told as it stands', async () => {
  await using server = await listen(older('working'));
  expect(await told({ action: 'ask', url: server.url, text: 'Why?', wait_seconds: 1 })).toEqual({
    ...{ task_id: 't1', context_id: 'c1', state: 'working' },
  });
});

test('what is not right is said in words for a model', async () => {
  await using server = await listen((_, response) => response.end('<html>'));
  const { url } = server;
  const said = async (input: unknown, allow?: string[]) => (await call(input, allow)).summary;
  expect(await said({ action: 'shout', url })).toBe('action must be ask, tell or look, got "shout"');
  expect(await said({ action: 'ask' })).toBe('url must be a text');
  expect(await said({ action: 'ask', url })).toBe('text must be a text');
  expect(await said({ action: 'ask', url, text: 'x', wait_seconds: 0 })).toBe(
    'wait_seconds must be a whole number from 1 to 3600, got 0',
  );
  expect(await said({ action: 'look', url })).toBe('task_id must be a text');
  expect(await said({ action: 'look', url, task_id: 't' })).toBe(`${url} answered with HTTP 200 and no JSON`);
  expect(await said({ action: 'tell', url, text: 'x' })).toContain('it answered with something that is no JSON-RPC');
  expect(await said({ action: 'tell', url, text: 'x' }, [])).toBe(
    `network policy: '${url}' not in capabilities.network.allow`,
  );
  expect(server.arrived.filter(({ method }) => method === 'POST')).toHaveLength(2);
});
