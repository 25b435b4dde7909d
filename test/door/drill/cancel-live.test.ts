/**
 * A cancel at every step of a task in a live session: while it waits, in the driver, in a tool, while it asks, when it ends
 * (issue 7, "cancel racing completion"; cases/reports row 40). Whatever wins, each task ends once, in every dialect and in the trace,
 * and the next one is not touched.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Library } from '../../effects/run.js';
import { build, guests } from '../../fixtures/component/guests.js';
import type { Frame } from '../stream/client.js';
import { asked, Follower, reply, type Speech, said, speeches, stateIn, stateOf } from './follow.js';

const manifest = JSON.stringify({
  name: 'sample',
  version: '0.1.0',
  artifacts: [
    { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
    { name: 'mur-tool-files', version: '0.1.0' },
    { name: 'ask', source: './ask', local_source: true },
  ],
  lifecycle: { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 8 },
  inference: {
    model: 'rehearsal',
    driver: {
      artifact: 'mur-driver-rehearsal',
      config: {
        delay_ms: 2,
        turns: [
          { say: 'I look around.', call: { tool: 'mur-tool-files', input: { action: 'list' } } },
          { say: 'I ask.', call: { tool: 'ask', input: { which: 'colour' } } },
          { say: 'All of it: {{result}}' },
        ],
      },
    },
  },
});

/** The steps of a task that a watcher sees, in order; each is a moment to cancel it. */
const steps: readonly { readonly name: string; readonly is: (frame: Frame) => boolean }[] = [
  { name: 'its first turn', is: ({ data }) => data.status?.message === 'inference turn 1' },
  { name: 'a word of the driver', is: ({ event, data }) => event === 'text' && data.text !== '' },
  { name: 'a call it begins to write', is: ({ event }) => event === 'tool-call-started' },
  {
    name: 'the result of a tool',
    is: ({ event, data }) => event === 'artifact' && data.artifact.tool_name === 'mur-tool-files',
  },
  { name: 'its second turn', is: ({ data }) => data.status?.message === 'inference turn 2' },
  { name: 'its question', is: ({ data }) => data.status?.state === 'input-required' },
  { name: 'the reply', is: ({ data }) => data.status?.message === 'resumed' },
  {
    name: 'the result of the tool that asked',
    is: ({ event, data }) => event === 'artifact' && data.artifact.tool_name === 'ask',
  },
  { name: 'its last turn', is: ({ data }) => data.status?.message === 'inference turn 3' },
  { name: 'a word of its answer', is: ({ event, data }) => event === 'text' && data.text.startsWith('All') },
  { name: 'its end', is: ({ data }) => data.final === true && data.status !== undefined },
];

let library: Library;
beforeAll(async () => {
  library = new Library();
  library.sandbox.write('project/ask/murmur.yaml', 'name: ask\nversion: "1.0.0"\nruntime: tool\n');
  library.sandbox.write('project/ask/ask.wasm', await build(guests.ask));
});
afterAll(() => library.close());

/** Who looks at everything the session says, and acts on it. */
class Watcher {
  readonly follower: Follower;
  readonly #waits = new Set<(frame: Frame) => void>();

  constructor(port: number) {
    const watch = { jsonrpc: '2.0', id: 1, method: 'stream/watch', params: {} };
    this.follower = new Follower(port, watch, {}, (frame) => {
      for (const wait of [...this.#waits]) wait(frame);
    });
  }

  of(taskId: string): Frame[] {
    return this.follower.frames.filter(({ data }) => data.id === taskId);
  }

  /** Resolves in the very moment such a frame of that task is read; at once when it was. */
  async frame(taskId: string, is: (frame: Frame) => boolean): Promise<void> {
    if (this.of(taskId).some(is)) return;
    await new Promise<void>((resolve) => {
      const wait = (frame: Frame) => {
        if (frame.data.id !== taskId || !is(frame)) return;
        this.#waits.delete(wait);
        resolve();
      };
      this.#waits.add(wait);
    });
  }
}

const isEnd = (frame: Frame) => stateIn(frame)?.final === true;
const isQuestion = ({ data }: Frame) => data.status?.state === 'input-required';

async function send(port: number, speech: Speech, text: string): Promise<string> {
  const { result } = await reply(port, asked(speech, 'send', said(speech, text)));
  return (result.task ?? result).id;
}

interface Case {
  readonly id: string;
  readonly speech: Speech;
  readonly streams: Follower[];
  /** What the cancel answered. */
  readonly told: { readonly result?: { status: { state: string } }; readonly error?: { code: number } };
}

it('every task ends once, for everybody who looks, and the next one is not touched', async () => {
  const stop = new AbortController();
  const cases: Case[] = [];
  let watcher: Watcher;

  /** Answers its question if it comes to that, and follows it to its end. */
  const toItsEnd = async (port: number, id: string) => {
    void watcher.frame(id, isQuestion).then(() => reply(port, asked('v1', 'send', said('v1', 'blue', { taskId: id }))));
    await watcher.frame(id, isEnd);
  };

  const drill = async (port: number) => {
    watcher = new Watcher(port);
    await watcher.follower.begun;
    const cancelWhen = async (speech: Speech, text: string, when: (id: string) => Promise<unknown>) => {
      const id = await send(port, speech, text);
      const follow = (as: 'v03' | 'v1') => new Follower(port, asked(as, 'subscribe', { id }, `${as}-${text}`));
      const streams = [follow('v03'), follow('v1')];
      void watcher
        .frame(id, ({ data }) => data.status?.message === 'resumed')
        .then(() => streams.push(follow('v03'), follow('v1')));
      const ended = toItsEnd(port, id);
      await when(id);
      const canceled = reply(port, asked(speech, 'cancel', { id }));
      // Row 40: the next task is sent before the cancel is answered.
      const next = await send(port, speech, `after ${text}`);
      cases.push({ id, speech, streams, told: await canceled });
      await ended;
      await toItsEnd(port, next);
      expect(watcher.of(next).at(-1)!.data.status).toMatchObject({ state: 'completed', response: 'All of it: blue' });
    };
    for (const [at, { name, is }] of steps.entries()) {
      await cancelWhen(speeches[at % 3]!, name, (id) => watcher.frame(id, is));
    }
    // Two cancels, and one of a task that still waits for its turn.
    await cancelWhen('mur', 'twice', async (id) => {
      await watcher.frame(id, steps[1]!.is);
      await reply(port, asked('v03', 'cancel', { id }));
    });
    const running = await send(port, 'mur', 'runs');
    const queued = await send(port, 'mur', 'waits');
    cases.push({
      id: queued,
      speech: 'v1',
      streams: [],
      told: await reply(port, asked('v1', 'cancel', { id: queued })),
    });
    await toItsEnd(port, running);
    // The last moments, by the clock: the end of a task is some milliseconds wide.
    for (let delay = 0; delay < 12; delay++) {
      await cancelWhen(speeches[delay % 3]!, `late ${delay}`, async (id) => {
        await watcher.frame(id, steps[9]!.is);
        await new Promise((resolve) => setTimeout(resolve, delay));
      });
    }
    for (const { id, told } of cases) {
      const { result } = await reply(port, asked('v1', 'get', { id }));
      expect([stateIn(watcher.of(id).at(-1)!)!.state, id]).toEqual([stateOf(result), id]);
      // The answer is a snapshot (row 37): what it said holds, unless it was refused because the task was over.
      if (told.result !== undefined) expect(stateOf(told.result)).toBe(stateOf(result));
      else expect(told.error!.code).toBe(-32002);
    }
  };

  let drilled: Promise<void> | undefined;
  const { lines } = await library.run(
    manifest,
    { task: undefined as never },
    {
      signal: stop.signal,
      onNotice: (notice) => {
        if (notice.type !== 'door.listening') return;
        drilled = drill(Number(notice.url.split(':')[1])).finally(() => stop.abort());
      },
    },
  );
  await drilled;
  await watcher!.follower.over;

  for (const { id, streams } of cases) {
    const told = watcher!.of(id);
    const ends = told.filter(isEnd);
    expect(ends).toHaveLength(1);
    expect(told.at(-1)).toBe(ends[0]);
    const { state } = stateIn(ends[0]!)!;
    for (const { frames } of streams) {
      const said = frames.flatMap((frame) => stateIn(frame)?.state ?? []);
      const over = said.filter((one) => ['completed', 'failed', 'canceled', 'rejected'].includes(one));
      // A stream that ended with the question has no other end.
      if (said.at(-1) !== 'input-required' && frames.some(({ data }) => data.result !== undefined))
        expect(over).toEqual([state]);
      expect(new Set(frames.map(({ data }) => data.id)).size).toBeLessThanOrEqual(1);
    }
    const of = (type: string) => lines.filter((line) => line.event_type === type && line.task_id === id);
    expect(of('task_canceled')).toHaveLength(state === 'canceled' ? 1 : 0);
    const [end, ...others] = of('task_end');
    expect(others).toEqual([]);
    expect(of('task_start')).toHaveLength(end === undefined ? 0 : 1);
    if (end !== undefined) expect(end.exit_status).toBe(state === 'completed' ? 'ok' : 'canceled');
    else expect(of('task_canceled')).toMatchObject([{ phase: 'queued' }]);
  }
  // Before its question is answered a task cannot end by itself; at its end it has.
  const states = cases.map(({ id }) => stateIn(watcher!.of(id).at(-1)!)!.state);
  expect(states.slice(0, 5)).toEqual(Array(5).fill('canceled'));
  expect(states[steps.length - 1]).toBe('completed');
});
