import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BusySession, busySession } from '../inspect/busy.js';
import { type OpenHub, openHub } from '../inspect/open-hub.js';
import type { Row } from './row.js';

const sessions = 200;
const watchers = 5;
const windowMs = 1_000;
const settleMs = 300;
const rounds = 7;

/** Who watches: nobody and no hub there is, nobody, or five of whom one reads nothing. */
type Watching = 'no hub' | 'nobody' | 'five';
const order: readonly Watching[] = ['no hub', 'nobody', 'five', 'five', 'nobody', 'no hub'];

interface Measured {
  readonly tasksPerSecond: number;
  /** Of processor time of this process: comparable also when other processes want the processor. */
  readonly tasksPerCpuSecond: number;
  readonly lagP99Ms: number;
  readonly rssMiB: number;
}

async function measure(busy: readonly BusySession[]): Promise<Measured> {
  const count = () => busy.reduce((sum, { tasks }) => sum + tasks, 0);
  await sleep(settleMs);
  const before = count();
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await sleep(windowMs);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  lag.disable();
  const tasks = count() - before;
  return {
    tasksPerSecond: tasks / seconds,
    tasksPerCpuSecond: tasks / ((user + system) / 1e6),
    lagP99Ms: lag.percentile(99) / 1e6,
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
  };
}

async function tell(child: ChildProcess, word: 'join' | 'leave'): Promise<void> {
  child.send(word);
  await once(child, 'message');
}

/** All windows of one load: the same sessions at work throughout, the watchers coming and going. */
async function windows(everyMs: number): Promise<Map<Watching, Measured[]>> {
  const opened: OpenHub = await openHub();
  const child = fork(fileURLToPath(new URL('./inspect-watchers.js', import.meta.url)), [
    String(opened.port),
    opened.token,
    String(watchers),
  ]);
  const busy = Array.from({ length: sessions }, (_, at) => busySession(`ses_${at}`));
  await sleep(200);
  const pauses = busy.map((session) => session.keepBusy(everyMs));
  const measured = new Map<Watching, Measured[]>(order.map((watching) => [watching, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const watching of order) {
        const removals = watching === 'no hub' ? [] : busy.map(({ subject }) => opened.hub.add(subject));
        if (watching === 'five') await tell(child, 'join');
        measured.get(watching)?.push(await measure(busy));
        if (watching === 'five') await tell(child, 'leave');
        for (const remove of removals) remove();
      }
    }
  } finally {
    for (const pause of pauses) pause();
    for (const session of busy) session.stop();
    child.kill();
    await opened.close();
  }
  return measured;
}

const loads = [
  { name: '400 tasks a second', everyMs: 500, key: 'tasksPerSecond' },
  { name: 'flat out', everyMs: 0, key: 'tasksPerCpuSecond' },
] as const;

/**
 * Throughput and loop lag of 200 busy sessions with nobody watching and with five watchers, one of them stalled. Every round holds
 * each of them twice, in both orders, and a ratio is the median of those within a round, so that it stands on a noisy machine. Sessions
 * that are paced show what watching costs in throughput; sessions that run flat out, in processor time.
 */
export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, everyMs, key } of loads) {
    const measured = await windows(everyMs);
    for (const [watching, base] of [...bases]) {
      const values = measured.get(watching) ?? [];
      const of = (field: keyof Measured) => median(values.map((value) => value[field]));
      rows.push({
        name: `200 sessions, ${name}, ${watching === 'no hub' ? 'no hub' : `${watching} watching`}`,
        value: of(key),
        unit: key === 'tasksPerSecond' ? 'tasks/s' : 'tasks/CPU s',
        ratio: median(
          perRound(values, key).map((value, round) => value / perRound(measured.get(base) ?? [], key)[round]!),
        ),
        note: `loop lag p99 ${of('lagP99Ms').toFixed(1)} ms, ${of('rssMiB').toFixed(0)} MiB`,
      });
    }
  }
  return rows;
}

const bases = new Map<Watching, Watching>([
  ['no hub', 'no hub'],
  ['nobody', 'no hub'],
  ['five', 'nobody'],
]);

/** The two windows of each round together. */
function perRound(values: readonly Measured[], key: keyof Measured): number[] {
  return Array.from({ length: rounds }, (_, round) => values[2 * round]![key] + values[2 * round + 1]![key]);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
