/**
 * What recording costs a session, and how fast its log is replayed. The session has the real charts and effects that answer at once,
 * so the share of the recorder is the largest it can be: a real session waits for a model most of its time. Milliseconds of processor
 * time, because everything here runs on one thread and none of it waits.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdDirectory } from '../../src/home/held.js';
import { openReplay } from '../../src/replay/index.js';
import { rehearse } from '../replay/rehearsal.js';
import { type Row, verdict } from './row.js';

const rounds = 5;
const shortTasks = 200;
/** A little over 100,000 events. */
const longTasks = 4_800;
const seeks = 200;

interface Recording {
  readonly ms: number;
  readonly folder: string | undefined;
}

async function record(tasks: number, isRecorded: boolean): Promise<Recording> {
  const folder = isRecorded ? mkdtempSync(join(tmpdir(), 'mur-bench-replay-')) : undefined;
  const records = folder === undefined ? undefined : holdDirectory(folder);
  const startedAt = cpuMs();
  await rehearse(records, { tasks });
  const ms = cpuMs() - startedAt;
  records?.close();
  return { ms, folder };
}

/** Milliseconds of the same session without and with a recorder, in alternating order; the median of each. */
async function recording(): Promise<{ readonly off: number; readonly on: number; readonly events: number }> {
  const off: number[] = [];
  const on: number[] = [];
  let events = 0;
  for (let round = 0; round <= rounds; round += 1) {
    for (const isRecorded of round % 2 === 0 ? [false, true] : [true, false]) {
      const { ms, folder } = await record(shortTasks, isRecorded);
      if (folder !== undefined) {
        events = openReplay(folder).length;
        rmSync(folder, { recursive: true });
      }
      // The first round warms up.
      if (round > 0) (isRecorded ? on : off).push(ms);
    }
  }
  return { off: median(off), on: median(on), events };
}

export async function run(): Promise<Row[]> {
  const { off, on, events } = await recording();
  const { folder = '' } = await record(longTasks, true);
  try {
    const opening = timed(() => openReplay(folder));
    const replay = opening.result;
    const folding = timed(() => {
      for (const _ of replay.steps()) void _;
    });
    const verifying = timed(() => replay.verify());
    if (verifying.result.divergence !== undefined) throw new Error(JSON.stringify(verifying.result.divergence));
    const fresh = openReplay(folder);
    const times = Array.from({ length: seeks }, (_, index) => {
      const q = (index * 7_919) % replay.length;
      return timed(() => fresh.stateAt(q));
    });
    const seekMs = times.map(({ ms }) => ms);
    const slowest = Math.max(...seekMs);
    const whole = opening.ms + folding.ms;
    const count = `${replay.length.toLocaleString('en-US')} events`;
    const bytes = statSync(join(folder, 'events.jsonl')).size;
    return [
      { name: 'session with instant effects, not recorded', value: off, unit: 'ms CPU', note: `${events} events` },
      {
        name: 'the same, recorded',
        value: on,
        unit: 'ms CPU',
        ratio: on / off,
        note: `${(((on - off) * 1_000) / events).toFixed(1)} us per event`,
      },
      {
        ...{ name: 'open a log', value: opening.ms, unit: 'ms CPU' },
        note: `${count}, ${(bytes / replay.length).toFixed(0)} bytes each with their share of the keyframes`,
      },
      { name: 'replay every event, with its state', value: folding.ms, unit: 'ms CPU', note: count },
      { name: 'verify every event', value: verifying.ms, unit: 'ms CPU', note: count },
      {
        name: 'seek, the slowest',
        value: slowest,
        unit: 'ms CPU',
        note: `of ${seeks}; median ${quantile(seekMs, 0.5).toFixed(2)} ms, by the clock of this machine ${Math.max(...times.map(({ wallMs }) => wallMs)).toFixed(1)} ms`,
      },
      verdict('a replay of 100,000 events takes less than 10 s', {
        ...{ value: whole / 1_000, unit: 's CPU', holds: whole < 10_000, note: 'opened and folded, every state shown' },
      }),
      verdict('any seek takes less than 50 ms', {
        ...{ value: slowest, unit: 'ms CPU', holds: slowest < 50, note: `the slowest of ${seeks} across ${count}` },
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function timed<T>(act: () => T): { readonly result: T; readonly ms: number; readonly wallMs: number } {
  const [startedAt, wallStartedAt] = [cpuMs(), performance.now()];
  const result = act();
  return { result, ms: cpuMs() - startedAt, wallMs: performance.now() - wallStartedAt };
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}
