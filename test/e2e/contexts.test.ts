import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readTrace } from '../../src/trace/index.js';
import { rehearsal, Sandbox } from './cli.js';

// A real session on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 60_000 });

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly artifacts?: readonly { readonly parts: readonly { readonly text: string }[] }[];
  readonly history?: readonly { readonly role: string; readonly parts: readonly { readonly text: string }[] }[];
}

async function call(url: string, method: string, params: object, headers: Record<string, string> = {}): Promise<Task> {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: Task & { task?: Task }; error?: { message: string } };
  if (result === undefined) throw new Error(error?.message);
  return result.task ?? result;
}

let messages = 0;
function message(text: string, contextId: string): object {
  messages += 1;
  return { messageId: `m${messages}`, role: 'ROLE_USER', parts: [{ text }], contextId };
}

const lifecycle = { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 8, conversation: 'threaded' };

test('senders that overlap each go on with their own conversation, and see nothing of another', async () => {
  sandbox.manifest(
    rehearsal([{ say: 'one: {{task}}' }, { say: 'two: {{task}}' }, { say: 'three: {{task}}' }], { lifecycle }),
  );
  const started = sandbox.start(['run']);
  const url = await started.line('murmur: url ');
  const talk = async (context: string): Promise<readonly (string | undefined)[]> => {
    const answers: (string | undefined)[] = [];
    for (const text of ['a', 'b', 'c']) {
      const task = await call(url, 'SendMessage', { message: message(`${context} ${text}`, context) });
      expect(task.contextId).toBe(context);
      answers.push(task.artifacts?.[0]?.parts[0]?.text);
    }
    return answers;
  };
  const talks = await Promise.all(['ctx_x', 'ctx_y', 'ctx_z'].map(talk));
  expect(talks).toEqual(
    ['ctx_x', 'ctx_y', 'ctx_z'].map((context) => [`one: ${context} a`, `two: ${context} b`, `three: ${context} c`]),
  );
  started.child.kill('SIGTERM');
  expect((await started.ended).code).toBe(0);
});

test('of the tasks that wait, those of peers go first, and each lane keeps its order (spec/door.md 8.4)', async () => {
  const slow = { say: 'slow '.repeat(20), delay_ms: 40 };
  sandbox.manifest(rehearsal([slow], { lifecycle, exports: { peer_tasks: { accept: true } } }));
  const started = sandbox.start(['run']);
  const url = await started.line('murmur: url ');
  const names = new Map<string, string>();
  const send = async (name: string, headers: Record<string, string> = {}): Promise<void> => {
    const params = { message: message(name, `ctx_${name}`), configuration: { returnImmediately: true } };
    const { id } = await call(url, 'SendMessage', params, headers);
    names.set(id, name);
  };
  const peer = { 'x-murmur-task-origin': 'peer' };
  await send('first');
  await send('bg1');
  await send('peer1', { ...peer, 'x-murmur-task-trust': 'trusted' });
  await send('bg2', { 'x-murmur-task-origin': 'user' });
  await send('peer2', peer);
  const last = [...names].find(([, name]) => name === 'bg2')![0];
  const ended = () => trace().some((line) => line.event_type === 'task_end' && line.task_id === last);
  await started.seen(ended);
  const begun = trace().filter((line) => line.event_type === 'task_start');
  expect(begun.map((line) => names.get(line.task_id as string))).toEqual(['first', 'peer1', 'peer2', 'bg1', 'bg2']);
  started.child.kill('SIGTERM');
  await started.ended;
});

function trace(): readonly Readonly<Record<string, unknown>>[] {
  const [records] = sandbox.records();
  if (records === undefined) return [];
  return [...readTrace(`${records}/trace.jsonl`)].flatMap((item) =>
    item.kind === 'event' ? [item.event as unknown as Readonly<Record<string, unknown>>] : [],
  );
}
