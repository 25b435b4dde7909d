import { expect, test } from 'vitest';
import { openReplay } from '../../src/replay/index.js';
import { cpuMs } from '../cpu.js';
import { heldFolder } from '../home/temporary.js';
import { rehearse } from '../replay/rehearsal.js';

/** Two thousand a second of `MUR_SOAK_SECONDS`, when it is set. */
const events = Math.min(100_000, 2_000 * Number(process.env.MUR_SOAK_SECONDS ?? 50));
const eventsPerTask = 21;

function timed<T>(act: () => T): { readonly result: T; readonly ms: number } {
  const startedAt = cpuMs();
  const result = act();
  return { result, ms: cpuMs() - startedAt };
}

test(`a session of ${events} events replays and verifies in under 10 s, and any moment of it is under 50 ms away`, async () => {
  const records = heldFolder();
  await rehearse(records, { tasks: Math.ceil(events / eventsPerTask) });
  const opened = timed(() => openReplay(records.path));
  const replay = opened.result;
  expect(replay.length).toBeGreaterThanOrEqual(events);
  expect(opened.ms).toBeLessThan(5_000);

  const folded = timed(() => {
    let last: unknown;
    for (const step of replay.steps()) last = step.machine.value;
    return last;
  });
  expect(folded.result).toBe('ended');
  expect(opened.ms + folded.ms).toBeLessThan(10_000);

  const verified = timed(() => replay.verify());
  expect(verified.result).toMatchObject({ divergence: undefined, unchecked: 0, checked: replay.length });
  expect(verified.ms).toBeLessThan(10_000);

  const fresh = openReplay(records.path);
  const seeks = Array.from({ length: 300 }, (_, index) => {
    const q = (index * 7_919) % fresh.length;
    return timed(() => fresh.stateAt(q)).ms;
  }).toSorted((a, b) => a - b);
  expect(seeks[Math.floor(seeks.length / 2)]).toBeLessThan(20);
  // Three of three hundred may meet the collector of garbage.
  expect(seeks.at(-4)).toBeLessThan(50);
});

test('a recorder costs an event well under a tenth of a millisecond', async () => {
  const run = async (isRecorded: boolean) => {
    const records = isRecorded ? heldFolder() : undefined;
    const startedAt = cpuMs();
    await rehearse(records, { tasks: 300 });
    return cpuMs() - startedAt;
  };
  await run(true);
  const times = { off: [] as number[], on: [] as number[] };
  for (let round = 0; round < 7; round += 1) {
    times.off.push(await run(false));
    times.on.push(await run(true));
  }
  const least = (values: readonly number[]) => Math.min(...values);
  expect((least(times.on) - least(times.off)) / (300 * eventsPerTask)).toBeLessThan(0.1);
});
