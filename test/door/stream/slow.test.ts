import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { liveLimit } from '../../../src/door/stream/index.js';
import { type Reader, StreamStage, taskRequest } from './client.js';

let stage: StreamStage;
afterEach(() => stage.close());

async function working(heartbeatMs = 15_000, stallMs = 90_000): Promise<void> {
  stage = await new StreamStage({}, { heartbeatMs }, { stallMs }).listen();
  stage.registry.enqueue(taskRequest('tsk_a'));
  stage.begin('tsk_a');
}

const filler = 'x'.repeat(8 * 1024);

/**
 * Says things until this client has lost some of them: how much the kernel takes for one that does not read is its own affair, and on
 * a busy machine it has been more than any number that was ever written here.
 */
async function drown(reader: Reader, also: () => Promise<unknown> = async () => undefined): Promise<void> {
  const { socket } = stage.responseTo(reader);
  // Twice the queue, told in portions that are fewer than a queue holds: who reads loses none.
  for (let left = 2 * liveLimit; left > 0; ) {
    for (let at = 0; at < liveLimit / 2; at++) stage.feed.text('tsk_a', filler);
    await also();
    await new Promise((resolve) => setImmediate(resolve));
    if (socket!.writableNeedDrain) left -= liveLimit / 2;
  }
}

describe('a client that does not read (spec/door.md 15.4, cases/reports row 34)', () => {
  it('loses the oldest frames, is told how many, keeps its stream, and slows nobody', async () => {
    await working();
    const [slow, quick] = [await stage.watch(), await stage.watch()];
    await slow.take(2);
    await slow.pause();
    await drown(slow, () => quick.take(stage.feed.bus.lastId + 1));
    await slow.resume();
    stage.registry.finish('tsk_a', 'completed', { response: 'done' });
    stage.feed.close();
    const [lost, all] = [await slow.rest(), await quick.rest()];
    const count = stage.feed.bus.lastId;
    expect(all.flatMap(({ id }) => id ?? [])).toEqual(Array.from({ length: count }, (_, at) => at + 1));
    const ids = lost.flatMap(({ id }) => id ?? []);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const told = lost.filter(({ event }) => event === 'lagged').map(({ data }) => data.missed as number);
    expect(told.length).toBeGreaterThan(0);
    expect(stage.lags).toEqual(told);
    expect(ids.length + told.reduce((sum, missed) => sum + missed, 0)).toBe(count);
    expect(lost.at(-1)).toEqual({ event: 'capsule-closed', data: {} });
  });

  it.each(['v03', 'v1'] as const)(
    'on a %s stream still ends with the whole answer and the final status',
    async (dialect) => {
      await working();
      const reader = await stage.subscribe(dialect, 'tsk_a');
      await reader.take(1);
      await reader.pause();
      await drown(reader);
      await reader.resume();
      stage.registry.finish('tsk_a', 'completed', { response: 'the answer' });
      const frames = (await reader.rest()).filter(({ comment }) => comment !== 'heartbeat');
      expect(frames.some(({ comment }) => comment?.startsWith('lagged '))).toBe(true);
      expect(frames.every(({ comment, data }) => comment !== undefined || data.id === 7)).toBe(true);
      const [answer, end] = frames
        .slice(-2)
        .map(({ data }) => data.result.artifactUpdate ?? data.result.statusUpdate ?? data.result);
      expect(answer).toMatchObject({ artifact: { parts: [{ text: 'the answer' }] }, append: false, lastChunk: true });
      expect(end.status.state).toBe(dialect === 'v1' ? 'TASK_STATE_COMPLETED' : 'completed');
    },
  );
});

describe('cases/reports row 36: a client whose connection takes nothing', () => {
  it('is cut off after a while, whatever the dialect, and sees it; who reads, or has nothing to read, is not', async () => {
    await working(100, 1_000);
    const stalled = [await stage.watch(), await stage.subscribe('v03', 'tsk_a'), await stage.subscribe('v1', 'tsk_a')];
    const quick = await stage.watch();
    await Promise.all(stalled.map((reader) => reader.take(1)));
    await Promise.all(stalled.map((reader) => reader.pause()));
    const gone = stalled.map((reader) => once(stage.responseTo(reader), 'close'));
    for (const reader of stalled) await drown(reader, () => quick.take(1));
    await Promise.all(gone);
    for (const reader of stalled) {
      await reader.resume();
      const frames = await reader.rest();
      expect(frames.some(({ data }) => data?.final === true || data?.result?.final === true)).toBe(false);
      expect(reader.isBroken).toBe(true);
    }
    stage.feed.close();
    expect((await quick.rest()).at(-1)).toEqual({ event: 'capsule-closed', data: {} });
    expect(quick.isBroken).toBe(false);
  });

  it('says nothing for longer than that and keeps its client: heartbeats count', async () => {
    await working(100, 400);
    const reader = await stage.watch();
    // Ten heartbeats behind what it was told at first.
    await reader.take(12);
    stage.feed.close();
    expect((await reader.rest()).at(-1)).toEqual({ event: 'capsule-closed', data: {} });
  });
});
