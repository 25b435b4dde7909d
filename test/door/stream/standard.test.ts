import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Frame, StreamStage, taskRequest } from './client.js';

let stage: StreamStage;
beforeEach(async () => {
  stage = await new StreamStage().listen();
});
afterEach(() => stage.close());

function submit(taskId: string): void {
  stage.registry.enqueue(taskRequest(taskId));
}

/** What each frame of A2A 0.3 says, in short. */
function short({ id, data, comment }: Frame): string {
  if (comment !== undefined) return `:${comment}`;
  const { kind, status, artifact, append, lastChunk, final } = data.result;
  const at = id === undefined ? '' : ` @${id}`;
  if (kind === 'artifact-update') {
    return `${append ? '+' : '='}${artifact.parts[0].text}${lastChunk ? ' last' : ''}${at}`;
  }
  return `${kind} ${status.state}${final ? ' final' : ''}${at}`;
}

describe('spec/door.md 15.5, A2A 0.3', () => {
  it('the whole task, its status changes and its answer in pieces, each a response to the request; then it closes', async () => {
    const reader = await stage.send('v03', 'tsk_a');
    submit('tsk_b');
    stage.begin('tsk_a');
    stage.feed.thinking('tsk_a', 'hm');
    stage.finish('tsk_a', ['hel', 'lo']);
    const frames = await reader.rest();
    expect(
      frames.every(({ data, event }) => event === undefined && data.jsonrpc === '2.0' && data.id === 'rpc-1'),
    ).toBe(true);
    expect(frames.map(({ data }) => data.result)).toEqual([
      {
        kind: 'task',
        id: 'tsk_a',
        contextId: 'ctx_tsk_a',
        status: { state: 'submitted', timestamp: '1970-01-01T00:00:01.000Z' },
      },
      {
        kind: 'status-update',
        taskId: 'tsk_a',
        contextId: 'ctx_tsk_a',
        status: { state: 'working', timestamp: '1970-01-01T00:00:01.000Z' },
        final: false,
      },
      {
        kind: 'artifact-update',
        taskId: 'tsk_a',
        contextId: 'ctx_tsk_a',
        artifact: { artifactId: 'response', name: 'response', parts: [{ kind: 'text', text: 'hel' }] },
        append: false,
        lastChunk: false,
      },
      {
        kind: 'artifact-update',
        taskId: 'tsk_a',
        contextId: 'ctx_tsk_a',
        artifact: { artifactId: 'response', name: 'response', parts: [{ kind: 'text', text: 'lo' }] },
        append: true,
        lastChunk: false,
      },
      {
        kind: 'artifact-update',
        taskId: 'tsk_a',
        contextId: 'ctx_tsk_a',
        artifact: { artifactId: 'response', name: 'response', parts: [{ kind: 'text', text: '' }] },
        append: true,
        lastChunk: true,
      },
      {
        kind: 'status-update',
        taskId: 'tsk_a',
        contextId: 'ctx_tsk_a',
        status: {
          state: 'completed',
          timestamp: '1970-01-01T00:00:01.000Z',
          message: {
            kind: 'message',
            messageId: 'msg_tsk_a_status',
            role: 'agent',
            parts: [{ kind: 'text', text: 'session ended' }],
            contextId: 'ctx_tsk_a',
            taskId: 'tsk_a',
          },
        },
        final: true,
      },
    ]);
    expect(frames.map(({ id }) => id)).toEqual([0, 1, 3, 4, undefined, 6]);
  });

  it('what an earlier turn said is replaced, and an answer that was not streamed comes whole', async () => {
    const reader = await stage.send('v03', 'tsk_a');
    stage.begin('tsk_a');
    stage.feed.text('tsk_a', 'I look');
    stage.feed.turnEnded('tsk_a');
    stage.feed.turnBegan('tsk_a', 1);
    stage.finish('tsk_a', ['fou', 'nd'], 'found [redacted]');
    expect((await reader.rest()).map(short)).toEqual([
      'task submitted @0',
      'status-update working @1',
      '=I look @2',
      '=fou @5',
      '+nd @6',
      '=found [redacted] last',
      'status-update completed final @8',
    ]);
  });

  it('a question is in the status and closes the stream; so does a cancel', async () => {
    const reader = await stage.send('v03', 'tsk_a');
    stage.begin('tsk_a');
    stage.registry.setInputRequired('tsk_a', 'which?', () => undefined);
    const frames = await reader.rest();
    expect(frames.map(short)).toEqual([
      'task submitted @0',
      'status-update working @1',
      'status-update input-required final @2',
    ]);
    expect(frames[2]!.data.result.status.message).toMatchObject({
      kind: 'message',
      role: 'agent',
      parts: [{ kind: 'text', text: 'which?' }],
    });
    const follower = await stage.subscribe('v03', 'tsk_a');
    stage.registry.deliverInput('tsk_a', 'that');
    stage.registry.cancel('tsk_a');
    expect((await follower.rest()).map(short)).toEqual([
      'task input-required @2',
      'status-update working @3',
      'status-update canceled final @4',
    ]);
  });

  it('a send that had no place is one frame with the rejected task', async () => {
    await stage.close();
    stage = await new StreamStage({ acceptance: 'queue', queueDepth: 0 }).listen();
    const reader = await stage.send('v03', 'tsk_a');
    expect((await reader.rest()).map(short)).toEqual(['task rejected']);
  });

  it('a follower who comes in the middle of a turn is given what was said of it so far', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    stage.feed.text('tsk_a', 'on');
    stage.feed.text('tsk_a', 'ce ');
    const reader = await stage.subscribe('v03', 'tsk_a');
    stage.finish('tsk_a', ['more'], 'once more');
    expect((await reader.rest()).map(short)).toEqual([
      'task working',
      '=once  @3',
      '+more @4',
      '+ last',
      'status-update completed final @6',
    ]);
  });

  it('cut off and resumed behind any frame, a client gets each of the rest exactly once', async () => {
    const whole = await stage.send('v03', 'tsk_a');
    submit('tsk_b');
    stage.begin('tsk_a');
    const words = ['a', 'b', 'c', 'd'];
    for (const word of words) stage.feed.text('tsk_a', word);
    await whole.take(6);
    const readers = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((id) => stage.subscribe('v03', 'tsk_a', { 'last-event-id': String(id) })),
    );
    stage.feed.turnEnded('tsk_a', 'abcd');
    stage.registry.finish('tsk_a', 'completed', { response: 'abcd' });
    const all = (await whole.rest()).map(short);
    for (const [at, reader] of readers.entries()) {
      expect((await reader.rest()).map(short)).toEqual([`task working @${at}`, ...all.slice(at + 1)]);
    }
  });

  it('who comes back to a task that ended meanwhile is given the end, once; anybody else is refused', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    stage.finish('tsk_a', ['yes']);
    const ended = stage.registry.get('tsk_a')!;
    const error = { code: -32004, message: 'the task already ended as completed' };
    const ask = async (headers: Record<string, string>) => {
      const reader = await stage.read({ frames: 'v03', id: 1, wish: { kind: 'refused', error, ended } }, headers);
      return (await reader.rest()).map((frame) => frame.data.error?.code ?? short(frame));
    };
    expect(await ask({ 'last-event-id': '1' })).toEqual([
      'task completed @1',
      '=yes @2',
      '+ last',
      'status-update completed final @4',
    ]);
    expect(await ask({ 'last-event-id': '3' })).toEqual([
      'task completed @3',
      '+ last',
      'status-update completed final @4',
    ]);
    expect(await ask({ 'last-event-id': '4' })).toEqual([-32004]);
    expect(await ask({ 'last-event-id': 'abc' })).toEqual([-32004]);
    expect(await ask({})).toEqual([-32004]);
  });

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['application/json, text/event-stream;q=0.5', 'text/event-stream'],
    ['application/json', 'application/json'],
  ])('a refused request that accepts %s is answered as %s', async (accept, type) => {
    const error = { code: -32001, message: 'Task not found' };
    const reader = await stage.read({ frames: 'v03', id: 'x', wish: { kind: 'refused', error } }, { accept });
    expect((await reader.headers())['content-type']).toBe(type);
    const answer = { jsonrpc: '2.0', id: 'x', error };
    if (type === 'application/json') expect(JSON.parse(await reader.raw())).toEqual(answer);
    else expect(await reader.rest()).toEqual([{ data: answer }]);
  });
});

describe('spec/door.md 15.5, A2A 1.0', () => {
  it('each result is exactly one of task, statusUpdate, artifactUpdate, in the words of 1.0 and without final', async () => {
    const reader = await stage.send('v1', 'tsk_a');
    stage.begin('tsk_a');
    stage.finish('tsk_a', ['hi']);
    const frames = await reader.rest();
    expect(frames.map(({ data }) => Object.keys(data.result))).toEqual([
      ['task'],
      ['statusUpdate'],
      ['artifactUpdate'],
      ['artifactUpdate'],
      ['statusUpdate'],
    ]);
    const [task, working, piece, , completed] = frames.map(({ data }) => Object.values(data.result)[0]) as object[];
    expect(task).toMatchObject({ id: 'tsk_a', contextId: 'ctx_tsk_a', status: { state: 'TASK_STATE_SUBMITTED' } });
    expect(working).toMatchObject({ taskId: 'tsk_a', status: { state: 'TASK_STATE_WORKING' } });
    expect(piece).toMatchObject({ artifact: { artifactId: 'response', parts: [{ text: 'hi' }] }, append: false });
    expect(completed).toMatchObject({ contextId: 'ctx_tsk_a', status: { state: 'TASK_STATE_COMPLETED' } });
    expect(JSON.stringify(frames)).not.toContain('final');
  });

  it('a question stands in the status as a message of the agent', async () => {
    const reader = await stage.send('v1', 'tsk_a');
    stage.begin('tsk_a');
    stage.registry.setInputRequired('tsk_a', 'which?', () => undefined);
    expect((await reader.rest()).at(-1)!.data.result.statusUpdate.status).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'which?' }] },
    });
  });
});
