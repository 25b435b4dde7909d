/** Cut off and back again, at every frame: nothing twice, nothing missing, and who lost something is told so (spec/door.md 15.4). */
import { afterEach, describe, expect, it } from 'vitest';
import { replayLimit } from '../../../src/door/stream/index.js';
import { type Frame, type Reader, StreamStage, taskRequest } from './client.js';

let stage: StreamStage;
afterEach(() => stage.close());

const answer = ['It ', 'is ', 'done.'];

/** Two turns with a call between them, then a question, then the answer: everything a task can tell. */
const script: readonly (() => unknown)[] = [
  () => stage.begin('tsk_a'),
  () => stage.feed.thinking('tsk_a', 'hm'),
  () => stage.feed.text('tsk_a', 'I look'),
  () => stage.feed.text('tsk_a', ' around.'),
  () => stage.feed.callBegan('tsk_a', 'c1', 'files'),
  () => stage.feed.turnEnded('tsk_a'),
  () =>
    stage.feed.callEnded({
      taskId: 'tsk_a',
      toolName: 'files',
      content: 'a\nb',
      fenceSource: null,
      callId: 'c1',
      isError: false,
      durationMs: 1,
      exitCode: null,
      truncated: false,
    }),
  () => stage.feed.turnBegan('tsk_a', 1),
  ...answer.map((text) => () => stage.feed.text('tsk_a', text)),
  () => stage.feed.turnEnded('tsk_a', answer.join('')),
  () => stage.registry.finish('tsk_a', 'completed', { response: answer.join('') }),
];

/** What a client of a standard dialect has when it has put its frames together. */
class Copy {
  text = '';
  readonly states: string[] = [];

  take({ data }: Frame): void {
    const { result } = data;
    const piece = result.artifactUpdate ?? (result.kind === 'artifact-update' ? result : undefined);
    if (piece !== undefined) this.text = (piece.append ? this.text : '') + piece.artifact.parts[0].text;
    const told = result.statusUpdate ?? (result.kind === 'status-update' ? result : undefined);
    if (told !== undefined) this.states.push(told.status.state);
  }
}

const isHead = ({ data }: Frame) => data.result.task !== undefined || data.result.kind === 'task';
const isOver = (states: readonly string[]) => /completed$/i.test(states.at(-1) ?? '');

/** Frames of one connection up to the `count`-th that carries news, or its end. */
async function some(reader: Reader, count: number, isNews: (frame: Frame) => boolean): Promise<readonly Frame[]> {
  for (let size = 1; ; size++) {
    const frames = (await reader.take(size)).filter(({ comment }) => comment === undefined);
    if (frames.filter(isNews).length === count || frames.length < size) {
      reader.leave();
      return frames;
    }
  }
}

async function prepared(): Promise<void> {
  stage = await new StreamStage().listen();
  stage.registry.enqueue(taskRequest('tsk_a'));
}

/** Plays the script beside whatever the client does. */
async function play(): Promise<void> {
  for (const step of script) {
    step();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('cut off behind every frame and resumed', () => {
  it('in the Murmur dialect, a client has each frame exactly once', async () => {
    await prepared();
    const played = play();
    const ids: number[] = [];
    for (let last = 0; last !== script.length; ) {
      const reader = await stage.watch({ 'last-event-id': String(last) });
      const frames = await some(reader, 1, ({ id }) => id !== undefined);
      expect(frames.some(({ event }) => event === 'gap' || event === 'lagged')).toBe(false);
      last = frames.at(-1)!.id!;
      ids.push(last);
    }
    await played;
    expect(ids).toEqual(Array.from({ length: script.length }, (_, at) => at + 1));
  });

  it.each(['v03', 'v1'] as const)('in %s, a client has each frame of its task exactly once', async (dialect) => {
    await prepared();
    const whole = await stage.subscribe(dialect, 'tsk_a');
    const played = play();
    const copy = new Copy();
    const got: Frame[] = [];
    for (let last = 0; !isOver(copy.states); ) {
      const task = stage.registry.get('tsk_a')!;
      const ended = { kind: 'refused', error: { code: -32004, message: 'over' }, ended: task } as const;
      const wish = task.state === 'completed' ? ended : ({ kind: 'subscribe', task } as const);
      const reader = await stage.read({ frames: dialect, id: 7, wish }, { 'last-event-id': String(last) });
      const [head, ...news] = await some(reader, 1, (frame) => !isHead(frame) && frame.id !== undefined);
      expect(isHead(head!)).toBe(true);
      for (const frame of news) copy.take(frame);
      got.push(...news.filter(({ id }) => id !== undefined));
      last = news.at(-1)?.id ?? last;
    }
    await played;
    const all = (await whole.rest()).filter((frame) => !isHead(frame) && frame.id !== undefined);
    expect(got).toEqual(all);
    expect(copy.text).toBe(answer.join(''));
  });
});

describe('gone for longer than the log reaches back', () => {
  const many = Array.from({ length: replayLimit + 90 }, (_, at) => `${at} `);

  it('in the Murmur dialect, a client is told where it goes on, and has each frame from there exactly once', async () => {
    await prepared();
    stage.begin('tsk_a');
    const first = await stage.watch();
    const seen = (await some(first, 1, ({ id }) => id !== undefined)).at(-1)!.id!;
    for (const text of many) stage.feed.text('tsk_a', text);
    const reader = await stage.watch({ 'last-event-id': String(seen) });
    await reader.take(2);
    stage.feed.text('tsk_a', 'live');
    const { lastId } = stage.feed.bus;
    stage.feed.close();
    const [, gap, ...rest] = await reader.rest();
    const from = lastId - replayLimit;
    expect(gap).toEqual({ event: 'gap', data: { first_available_id: from } });
    const ids = rest.flatMap(({ id }) => id ?? []);
    // What ended the session is behind what was live.
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, at) => from + at));
    expect(ids.at(-1)).toBe(stage.feed.bus.lastId);
  });

  it.each(['v03', 'v1'] as const)(
    'in %s, the whole task and all that its turn has said make up for it',
    async (dialect) => {
      await prepared();
      stage.begin('tsk_a');
      stage.feed.text('tsk_a', 'so ');
      for (const text of many) stage.feed.text('tsk_a', text);
      const said = `so ${many.join('')}`;
      const readers = [
        await stage.subscribe(dialect, 'tsk_a', { 'last-event-id': '1' }),
        await stage.subscribe(dialect, 'tsk_a'),
      ];
      stage.feed.text('tsk_a', 'end');
      await Promise.all(readers.map((reader) => reader.take(3)));
      stage.feed.turnEnded('tsk_a', `${said}end`);
      stage.registry.finish('tsk_a', 'completed', { response: `${said}end` });
      for (const reader of readers) {
        const [head, ...rest] = await reader.rest();
        expect(isHead(head!)).toBe(true);
        const copy = new Copy();
        const texts = rest.map((frame) => {
          copy.take(frame);
          return copy.text;
        });
        // Live from where it came in: nothing waits for the end.
        expect(texts.slice(0, 2)).toEqual([said, `${said}end`]);
        expect(rest).toHaveLength(4);
        expect([copy.text, copy.states.length]).toEqual([`${said}end`, 1]);
      }
    },
  );

  it.each(['v03', 'v1'] as const)(
    'in %s, one that missed nothing goes on in a turn longer than the log',
    async (dialect) => {
      await prepared();
      stage.begin('tsk_a');
      for (const text of many) stage.feed.text('tsk_a', text);
      const reader = await stage.subscribe(dialect, 'tsk_a', { 'last-event-id': String(stage.feed.bus.lastId - 2) });
      stage.feed.text('tsk_a', 'end');
      stage.feed.turnEnded('tsk_a', `${many.join('')}end`);
      stage.registry.finish('tsk_a', 'completed', { response: `${many.join('')}end` });
      const [, ...rest] = await reader.rest();
      const copy = new Copy();
      copy.text = many.slice(0, -2).join('');
      for (const frame of rest) copy.take(frame);
      expect(rest.filter(({ id }) => id !== undefined)).toHaveLength(4);
      expect(rest.every(({ data }) => (data.result.artifactUpdate ?? data.result).append !== false)).toBe(true);
      expect([copy.text, copy.states.length]).toEqual([`${many.join('')}end`, 1]);
    },
  );
});
