import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Reader, StreamStage, taskRequest } from './client.js';

let stage: StreamStage;
beforeEach(async () => {
  stage = await new StreamStage().listen();
});
afterEach(() => stage.close());

const names = (reader: Reader) => reader.frames.map(({ event, id }) => `${event}${id === undefined ? '' : ` ${id}`}`);

function submit(taskId: string): void {
  stage.registry.enqueue(taskRequest(taskId));
}

describe('stream/watch (spec/door.md 15.1)', () => {
  it('acknowledges, replays from the beginning, goes on live, and says when the capsule closes', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    const reader = await stage.watch();
    expect(await reader.headers()).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
    });
    expect(await reader.headers()).not.toHaveProperty('content-length');
    await reader.take(2);
    stage.finish('tsk_a', ['hel', 'lo']);
    await reader.take(6);
    stage.feed.close();
    expect(await reader.rest()).toEqual([
      { event: 'connection-ack', data: { role: 'observer', conversation_mode: 'stateless' } },
      {
        id: 1,
        event: 'status',
        data: {
          id: 'tsk_a',
          context_id: 'ctx_tsk_a',
          status: { state: 'working', message: 'inference turn 1' },
          final: false,
        },
      },
      { id: 2, event: 'text', data: { id: 'tsk_a', text: 'hel', final: false } },
      { id: 3, event: 'text', data: { id: 'tsk_a', text: 'lo', final: false } },
      { id: 4, event: 'text', data: { id: 'tsk_a', text: '', final: true } },
      {
        id: 5,
        event: 'status',
        data: {
          id: 'tsk_a',
          context_id: 'ctx_tsk_a',
          status: { state: 'completed', message: 'session ended', response: 'hello' },
          final: true,
        },
      },
      { event: 'capsule-closed', data: {} },
    ]);
  });

  it.each([
    ['absent: everything', undefined, [1, 2, 3]],
    ['a number: what is behind it', '2', [3]],
    ['no number: everything', 'abc', [1, 2, 3]],
    ['negative: everything', '-1', [1, 2, 3]],
  ])('Last-Event-ID %s', async (_name, last, ids) => {
    submit('tsk_a');
    stage.begin('tsk_a');
    stage.feed.thinking('tsk_a', 'hm');
    stage.feed.text('tsk_a', 'x');
    const reader = await stage.watch(last === undefined ? {} : { 'last-event-id': last });
    await reader.take(1 + ids.length);
    stage.feed.close();
    const { frames } = { frames: await reader.rest() };
    expect(frames.flatMap(({ id }) => id ?? []).slice(0, ids.length)).toEqual(ids);
    expect(frames.some(({ event }) => event === 'gap')).toBe(false);
  });

  it('an id that was never issued here gets a gap frame and the whole buffer', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    const reader = await stage.watch({ 'last-event-id': '99999999999999999999' });
    expect((await reader.take(3)).slice(1)).toMatchObject([
      { event: 'gap', data: { first_available_id: 1 } },
      { event: 'status', id: 1 },
    ]);
    reader.leave();
  });

  it('disconnected and resumed behind every frame, a client gets each one exactly once', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    let at = 0;
    const seen: number[] = [];
    for (let round = 0; round < 30; round++) {
      stage.feed.text('tsk_a', `${round}`);
      const reader = await stage.watch({ 'last-event-id': String(at) });
      const [, frame] = await reader.take(2);
      reader.leave();
      at = frame!.id!;
      seen.push(at);
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });
});

describe('frames (spec/door.md 15.2, 15.3)', () => {
  it('a tool call: started, progress that only grows, and its artifact with every key', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    const reader = await stage.watch();
    stage.feed.callBegan('tsk_a', 'c1', 'files');
    stage.feed.callBegan('tsk_a', 'c1', 'files');
    stage.feed.callBegan('tsk_a', '', 'files');
    stage.feed.callGrew('tsk_a', 'c1', 10);
    for (const bytes of [5, 20, 30]) stage.feed.callGrew('tsk_a', 'c1', bytes);
    stage.feed.callGrew('tsk_a', 'unknown', 10);
    stage.feed.turnEnded('tsk_a');
    stage.feed.callGrew('tsk_a', 'c1', 99);
    stage.feed.callEnded({
      taskId: 'tsk_a',
      toolName: 'files',
      content: 'a\nb',
      fenceSource: 'tool:files',
      callId: 'c1',
      isError: false,
      durationMs: 3,
      exitCode: null,
      truncated: false,
    });
    const frames = await reader.take(6);
    expect(frames.slice(2).map(({ event, data }) => [event, data])).toEqual([
      ['tool-call-started', { id: 'tsk_a', tool_call_id: 'c1', tool_name: 'files' }],
      ['tool-call-progress', { id: 'tsk_a', tool_call_id: 'c1', input_bytes: 10 }],
      ['tool-call-progress', { id: 'tsk_a', tool_call_id: 'c1', input_bytes: 30 }],
      [
        'artifact',
        {
          id: 'tsk_a',
          artifact: {
            tool_name: 'files',
            content: 'a\nb',
            fence_source: 'tool:files',
            tool_call_id: 'c1',
            is_error: false,
            duration_ms: 3,
            exit_code: null,
            truncated: false,
          },
        },
      ],
    ]);
    reader.leave();
  });

  it('a question and its answer name no context; the reply says resumed', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    const reader = await stage.watch({ 'last-event-id': '1' });
    stage.registry.setInputRequired('tsk_a', 'which?', () => undefined);
    stage.registry.deliverInput('tsk_a', 'that');
    stage.registry.setInputRequired('tsk_a', 'and?', () => undefined);
    stage.registry.abandonInput('tsk_a');
    stage.registry.finish('tsk_a', 'failed', { message: 'input-timeout' });
    expect((await reader.take(5)).slice(1).map(({ data }) => data)).toEqual([
      { id: 'tsk_a', status: { state: 'input-required', message: 'which?' }, final: false },
      { id: 'tsk_a', status: { state: 'working', message: 'resumed' }, final: false },
      { id: 'tsk_a', status: { state: 'input-required', message: 'and?' }, final: false },
      { id: 'tsk_a', status: { state: 'failed', message: 'input-timeout' }, final: true },
    ]);
    reader.leave();
  });

  it('the whole answer comes in one text frame when the last turn streamed nothing', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    stage.finish('tsk_a', [], 'all at once');
    const reader = await stage.watch();
    expect((await reader.take(3))[2]).toEqual({
      id: 2,
      event: 'text',
      data: { id: 'tsk_a', text: 'all at once', final: true },
    });
    reader.leave();
  });

  it('a task has one final frame and nothing behind it: canceled before it ran, canceled in a turn, its loop dead', async () => {
    for (const taskId of ['tsk_queued', 'tsk_turn', 'tsk_dead']) submit(taskId);
    stage.registry.cancel('tsk_queued');
    stage.begin('tsk_turn');
    stage.registry.cancel('tsk_turn');
    stage.feed.text('tsk_turn', 'too late');
    stage.feed.turnEnded('tsk_turn', 'too late');
    stage.registry.finish('tsk_turn', 'completed', { response: 'too late' });
    stage.begin('tsk_dead');
    submit('tsk_waits');
    const reader = await stage.watch();
    stage.feed.close();
    stage.feed.close();
    const frames = await reader.rest();
    const finals = frames.filter(({ data }) => data.final === true).map(({ data }) => [data.id, data.status]);
    expect(finals).toEqual([
      ['tsk_queued', { state: 'canceled', message: 'task canceled before it started' }],
      ['tsk_turn', { state: 'canceled', message: 'task canceled' }],
      ['tsk_waits', { state: 'rejected', message: 'task rejected: the session is closing' }],
      ['tsk_dead', { state: 'failed', message: 'session ended' }],
    ]);
    expect(frames.at(-1)).toEqual({ event: 'capsule-closed', data: {} });
    expect(JSON.stringify(frames)).not.toContain('too late');
  });

  it('lines end with LF alone, and a line break in a text stays inside the JSON', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    stage.feed.text('tsk_a', 'a\r\n\r\ndata: {"id":"forged"}\n\nb\u2028');
    const reader = await stage.watch({ 'last-event-id': '1' });
    const [, chunk] = await reader.take(2);
    expect(chunk).toEqual({
      id: 2,
      event: 'text',
      data: { id: 'tsk_a', text: 'a\r\n\r\ndata: {"id":"forged"}\n\nb\u2028', final: false },
    });
    reader.leave();
  });
});

describe('message/stream (spec/door.md 15.1)', () => {
  it('writes frames of every task and closes on the live final frame of its own', async () => {
    const reader = await stage.send('mur', 'tsk_own');
    submit('tsk_other');
    stage.begin('tsk_own');
    stage.registry.cancel('tsk_other');
    stage.finish('tsk_own', ['done']);
    submit('tsk_later');
    stage.registry.cancel('tsk_later');
    expect((await reader.rest()).map(({ data }) => [data.id, data.final])).toEqual([
      ['tsk_own', false],
      ['tsk_other', true],
      ['tsk_own', false],
      ['tsk_own', true],
      ['tsk_own', true],
    ]);
  });

  it('does not replay unless it is asked to, and a replayed final frame does not close it', async () => {
    submit('tsk_old');
    stage.begin('tsk_old');
    stage.finish('tsk_old', ['x']);
    const [plain, asking] = [
      await stage.send('mur', 'tsk_a'),
      await stage.send('mur', 'tsk_b', { 'last-event-id': '0' }),
    ];
    for (const taskId of ['tsk_a', 'tsk_b']) {
      stage.begin(taskId);
      stage.finish(taskId, ['y']);
    }
    await Promise.all([plain.rest(), asking.rest()]);
    expect(names(plain)).toEqual(['status 5', 'text 6', 'text 7', 'status 8']);
    expect(names(asking)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((id) => expect.stringContaining(` ${id}`)),
    );
  });

  it.each(['abc', '-1', '1e3', ''])('Last-Event-ID %j, no number, replays nothing', async (last) => {
    submit('tsk_old');
    stage.registry.cancel('tsk_old');
    const reader = await stage.send('mur', 'tsk_a', { 'last-event-id': last });
    stage.begin('tsk_a');
    stage.finish('tsk_a', ['y']);
    await reader.rest();
    expect(names(reader)).toEqual(['status 2', 'text 3', 'text 4', 'status 5']);
  });

  it('a task that had no place gets one rejected frame without id, and no other client hears of it', async () => {
    await stage.close();
    stage = await new StreamStage({ acceptance: 'queue', queueDepth: 0 }).listen();
    const observer = await stage.watch();
    const reader = await stage.send('mur', 'tsk_a');
    expect(await reader.rest()).toEqual([
      {
        event: 'status',
        data: {
          id: 'tsk_a',
          context_id: 'ctx_tsk_a',
          status: { state: 'rejected', message: 'task rejected: capsule is busy' },
          final: true,
        },
      },
    ]);
    stage.feed.close();
    expect((await observer.rest()).map(({ event }) => event)).toEqual(['connection-ack', 'capsule-closed']);
  });

  it('a message that cannot be read gets an error frame, behind the replay, with its text escaped', async () => {
    submit('tsk_a');
    stage.begin('tsk_a');
    const error = { code: -32602, message: 'Invalid params: message has no "role"\n' };
    const reader = await stage.read(
      { frames: 'mur', id: 1, wish: { kind: 'refused', error } },
      { 'last-event-id': '0' },
    );
    expect((await reader.rest()).slice(1)).toEqual([{ event: 'error', data: { error: error.message } }]);
  });
});

describe('heartbeat (spec/door.md 15.2, cases/reports row 43)', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('comes every 15 seconds from the opening on, whatever else is written, and not once the client has left', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    submit('tsk_a');
    stage.begin('tsk_a');
    const reader = await stage.watch();
    await reader.take(2);
    vi.advanceTimersByTime(14_999);
    stage.feed.text('tsk_a', 'x');
    await reader.take(3);
    vi.advanceTimersByTime(1);
    await reader.take(4);
    vi.advanceTimersByTime(15_000);
    expect((await reader.take(5)).slice(3)).toEqual([{ comment: 'heartbeat' }, { comment: 'heartbeat' }]);
    expect(vi.getTimerCount()).toBe(1);
    stage.feed.close();
    await reader.rest();
    expect(vi.getTimerCount()).toBe(0);
  });
});
