import { afterEach, describe, expect, it } from 'vitest';
import { StreamStage, taskRequest } from './client.js';

let stage: StreamStage;
afterEach(() => stage.close());

async function working(): Promise<void> {
  stage = await new StreamStage().listen();
  stage.registry.enqueue(taskRequest('tsk_a'));
  stage.begin('tsk_a');
}

/** Together more than the buffers of two sockets take. */
const filler = 'x'.repeat(8 * 1024);

describe('a client that does not read (spec/door.md 15.4)', () => {
  it('loses the oldest frames, is told how many, keeps its stream, and slows nobody', {
    timeout: 14_000,
  }, async () => {
    await working();
    const [slow, quick] = [await stage.watch(), await stage.watch()];
    await slow.take(2);
    await slow.pause();
    const count = 4_000;
    for (let at = 0; at < count; at++) {
      stage.feed.text('tsk_a', filler);
      // Fewer than a queue holds, so who reads loses none.
      if (at % 64 === 63) await quick.take(at + 3);
    }
    await slow.resume();
    stage.registry.finish('tsk_a', 'completed', { response: 'done' });
    stage.feed.close();
    const [lost, all] = [await slow.rest(), await quick.rest()];
    expect(all.flatMap(({ id }) => id ?? [])).toEqual(Array.from({ length: count + 2 }, (_, at) => at + 1));
    const ids = lost.flatMap(({ id }) => id ?? []);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const told = lost.filter(({ event }) => event === 'lagged').map(({ data }) => data.missed as number);
    expect(told.length).toBeGreaterThan(0);
    expect(stage.lags).toEqual(told);
    expect(ids.length + told.reduce((sum, missed) => sum + missed, 0)).toBe(count + 2);
    expect(lost.at(-1)).toEqual({ event: 'capsule-closed', data: {} });
  });

  it('on a standard stream still ends with the whole answer and the final status', { timeout: 14_000 }, async () => {
    await working();
    const reader = await stage.subscribe('v1', 'tsk_a');
    await reader.take(1);
    await reader.pause();
    for (let at = 0; at < 4_000; at++) {
      stage.feed.text('tsk_a', filler);
      if (at % 64 === 63) await new Promise((resolve) => setImmediate(resolve));
    }
    await reader.resume();
    stage.registry.finish('tsk_a', 'completed', { response: 'the answer' });
    const frames = await reader.rest();
    expect(frames.some(({ comment }) => comment?.startsWith('lagged '))).toBe(true);
    expect(frames.at(-2)!.data.result.artifactUpdate).toMatchObject({
      artifact: { parts: [{ text: 'the answer' }] },
      append: false,
      lastChunk: true,
    });
    expect(frames.at(-1)!.data.result.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
