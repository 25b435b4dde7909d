/** Rows of cases/reports.md section C that are about several things happening at once, each under its number. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionStreams, type TaskPort } from '../../../src/door/index.js';
import { StreamFeed } from '../../../src/effects/stream-feed.js';
import { systemClock } from '../../../src/supervise/clock.js';
import { TaskRegistry, type TaskState } from '../../../src/task/index.js';
import { type OpenedDoor, open, portOf, raw } from '../client.js';
import type { Frame } from '../stream/client.js';
import { asked, Follower, reply, type Speech, said, speeches, stateIn, stateOf } from './follow.js';

let opened: OpenedDoor;
let tasks: TaskRegistry;
let feed: StreamFeed;
let port: number;
let replaced: Partial<TaskPort>;

beforeEach(async () => {
  tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 4, now: Date.now });
  feed = new StreamFeed(tasks, systemClock);
  replaced = {};
  const streams = new SessionStreams({ bus: feed.bus, conversation: 'stateless' });
  const all = portOf(tasks);
  const tasksPort = {
    ...all,
    send: (request: Parameters<TaskPort['send']>[0]) => (replaced.send ?? all.send)(request),
  };
  opened = await open({}, { tasks: tasksPort, streams });
  port = opened.door.port;
});
afterEach(() => opened.door.close());

/** A task in that state, and what its replies were. */
async function taskIn(state: TaskState): Promise<{ id: string; delivered: string[] }> {
  const { result } = await reply(port, asked('mur', 'send', said('mur', 'first')));
  const delivered: string[] = [];
  tasks.start(result.id);
  feed.turnBegan(result.id, 0);
  if (state === 'input-required') tasks.setInputRequired(result.id, 'which?', (text) => delivered.push(text));
  if (state === 'completed') tasks.finish(result.id, 'completed', { response: 'done' });
  return { id: result.id, delivered };
}

const afterMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('row 38: two messages to one task, 1 ms apart', () => {
  const matrix = speeches.flatMap((speech) =>
    (['completed', 'working', 'input-required'] as const).map((state) => [speech, state] as const),
  );

  it.each(matrix)(
    'in the %s dialect, when it is %s: one reply at most is delivered, and no message gets to two places',
    async (speech, state) => {
      const { id, delivered } = await taskIn(state);
      const send = (text: string) => reply(port, asked(speech, 'send', said(speech, text, { taskId: id })));
      const first = send('one');
      await afterMs(1);
      const answers = await Promise.all([first, send('two')]);
      const told = answers.map(({ result, error }) => error?.code ?? stateOf(result.task ?? result));
      const others = tasks.list().filter(({ taskId }) => taskId !== id);
      const isAsked = state === 'input-required';
      expect(delivered).toHaveLength(isAsked ? 1 : 0);
      // Each dialect has its own place for a message that replies to nothing: a task of its own, the task under way, or nowhere.
      const kept = tasks.takeFollowUps(id).length;
      const places = { mur: 'submitted', v03: 'working', v1: -32004 } as const;
      const more: (string | number)[] = [places[speech], places[speech]];
      if (isAsked) more[0] = 'working';
      if (state === 'completed' && speech === 'v03') more.fill(-32004);
      expect(told.toSorted()).toEqual(more.toSorted());
      expect(others).toHaveLength(told.filter((one) => one === 'submitted').length);
      expect(kept + delivered.length).toBe(told.filter((one) => one === 'working').length);
      expect(tasks.get(id)?.state).toBe(state === 'input-required' ? 'working' : state);
      expect(tasks.list().filter((task) => task.state === 'working').length).toBeLessThanOrEqual(1);
    },
  );

  it.each(['v03', 'v1'] as const)(
    'as %s streams: one reply is delivered, and who followed sees the end',
    async (speech) => {
      const { id, delivered } = await taskIn('input-required');
      const stream = (text: string) =>
        new Follower(port, asked(speech, 'stream', said(speech, text, { taskId: id }), text));
      const first = stream('one');
      await afterMs(1);
      const both = [first, stream('two')];
      await Promise.all(both.map(({ begun }) => begun));
      expect(delivered).toHaveLength(1);
      expect(tasks.takeFollowUps(id)).toHaveLength(speech === 'v03' ? 1 : 0);
      tasks.finish(id, 'completed', { response: 'done' });
      const frames = await Promise.all(both.map(({ over }) => over));
      const refused = frames.filter(([frame]) => frame!.data.error !== undefined);
      expect(refused.map((all) => all.map(({ data }) => data.error.code))).toEqual(speech === 'v03' ? [] : [[-32004]]);
      const followed = frames.filter(([frame]) => frame!.data.error === undefined);
      for (const all of followed) expect(all.flatMap((frame) => stateIn(frame)?.state ?? []).at(-1)).toBe('completed');
    },
  );
});

describe('row 37: the answer to a send is a snapshot', () => {
  it.each(speeches)('in the %s dialect, also when the task ends in the same tick', async (speech) => {
    replaced.send = (request) => {
      const task = portOf(tasks).send(request);
      tasks.start(request.taskId);
      tasks.finish(request.taskId, 'completed', { response: 'at once' });
      return task;
    };
    const { result } = await reply(port, asked(speech, 'send', said(speech, 'quick')));
    const task = result.task ?? result;
    expect([stateOf(task), task.artifacts]).toEqual(['submitted', undefined]);
    const now = (await reply(port, asked(speech, 'get', { id: task.id }))).result;
    expect(stateOf(now)).toBe('completed');
  });
});

describe('row 40: a cancel that is late', () => {
  it.each(speeches)('in the %s dialect touches no task but the one it names', async (speech) => {
    const { id } = await taskIn('working');
    const text = (body: object) => {
      const json = JSON.stringify(body);
      return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`;
    };
    // On one connection and in one packet: the second is asked before the first is answered.
    const both = text(asked(speech, 'cancel', { id }, 1)) + text(asked(speech, 'send', said(speech, 'next'), 2));
    const answers = [...(await raw(port, both)).matchAll(/^\{.*\}/gm)].map(([json]) => JSON.parse(json));
    expect(answers.map((answer) => answer.id)).toEqual([1, 2]);
    const next = answers[1].result.task ?? answers[1].result;
    expect([stateOf(answers[0].result), stateOf(next)]).toEqual(['canceled', 'submitted']);
    // What ran stops later and says it was done: neither its own end nor the next task changes.
    expect(tasks.next()).toBeUndefined();
    tasks.finish(id, 'completed', { response: 'too late' });
    expect(tasks.get(id)).not.toHaveProperty('response');
    expect([tasks.get(id)?.state, tasks.get(next.id)?.state, tasks.next()?.taskId]).toEqual([
      'canceled',
      'submitted',
      next.id,
    ]);
    tasks.start(next.id);
    await reply(port, asked(speech, 'cancel', { id }));
    expect(tasks.get(next.id)?.state).toBe('working');
  });
});

describe('row 41: a standard stream repeats the id of its request and ends behind the final event', () => {
  const matrix = (['v03', 'v1'] as const).flatMap((speech) =>
    ['a"b', '7', 7, 0, -1].map((id) => [speech, id] as const),
  );

  it.each(matrix)('%s, id %j', async (speech, id) => {
    const stream = new Follower(port, asked(speech, 'stream', said(speech, 'go'), id));
    await stream.begun;
    const { taskId } = tasks.list()[0]!;
    tasks.start(taskId);
    feed.turnBegan(taskId, 0);
    feed.text(taskId, 'hello');
    feed.turnEnded(taskId, 'hello');
    tasks.finish(taskId, 'completed', { response: 'hello' });
    const frames = await stream.over;
    expect(new Set(frames.map(({ data }) => data.id))).toEqual(new Set([id]));
    expect(frames.filter((frame) => stateIn(frame)?.state === 'completed')).toEqual([frames.at(-1)]);
  });
});

describe('row 42: what goes wrong on a stream looks like an error', () => {
  const told = async (speech: Speech, params: object): Promise<readonly Frame[]> =>
    new Follower(port, asked(speech, 'stream', params, 'rpc')).over;

  it('a task that could not be handed over', async () => {
    replaced.send = () => {
      throw new Error('no');
    };
    const text = 'internal error: queue send failed';
    expect(await told('mur', said('mur', 'go'))).toEqual([{ event: 'error', data: { error: text } }]);
    for (const speech of ['v03', 'v1'] as const) {
      expect((await told(speech, said(speech, 'go'))).map(({ data }) => data)).toMatchObject([
        { jsonrpc: '2.0', id: 'rpc', error: { code: -32603, message: text } },
      ]);
    }
  });

  it('a message that is none, whatever characters it holds', async () => {
    const [frame] = await told('mur', {
      message: { messageId: 'm', role: 'user', parts: [{ text: { 'a\n\n"b': 1 } }] },
    });
    expect(frame).toEqual({
      event: 'error',
      data: { error: 'Invalid params: message.parts[0].text must be a string' },
    });
    for (const speech of ['v03', 'v1'] as const) {
      expect((await told(speech, { message: 'x', configuration: {} })).map(({ data }) => data.error.code)).toEqual([
        -32602,
      ]);
    }
  });

  it('no place: the rejected task and its text, and nothing behind it', async () => {
    for (let at = 0; at < 4; at++) await reply(port, asked('mur', 'send', said('mur', `${at}`)));
    for (const speech of speeches) {
      const frames = await told(speech, said(speech, 'one more'));
      expect(frames).toHaveLength(1);
      expect(frames[0]!.id).toBeUndefined();
      expect(JSON.stringify(frames)).toContain('task rejected: capsule is busy');
    }
  });
});

describe('row 44: a stream that broke and one that ended are told apart', () => {
  it.each(['v03', 'v1'] as const)('%s: who comes back is given the whole task first, live or over', async (speech) => {
    const { id } = await taskIn('working');
    const subscribe = (headers: Record<string, string> = {}) =>
      new Follower(port, asked(speech, 'subscribe', { id }), headers);
    const first = subscribe();
    await first.begun;
    first.leave();
    const lastSeen = { 'last-event-id': String(feed.bus.lastId) };
    const [again, resumed] = [subscribe(), subscribe(lastSeen)];
    await Promise.all([again.begun, resumed.begun]);
    tasks.finish(id, 'completed', { response: 'done' });
    for (const { over } of [again, resumed]) {
      const [whole, ...rest] = (await over).map(({ data }) => data.result);
      expect(stateOf(whole.task ?? whole)).toBe('working');
      expect(stateOf(rest.at(-1).statusUpdate ?? rest.at(-1))).toBe('completed');
    }
    const late = (await subscribe(lastSeen).over).map(({ data }) => data.result);
    expect(stateOf(late[0].task ?? late[0])).toBe('completed');
    expect(stateOf(late.at(-1).statusUpdate ?? late.at(-1))).toBe('completed');
  });
});
