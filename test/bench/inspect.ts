import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BusySession, busySession } from '../inspect/busy.js';
import { type OpenHub, openHub } from '../inspect/open-hub.js';
import { type Row, verdict } from './row.js';

const sessions = 200;
const watchers = 5;
/** Of processor time, which a busy machine gives in more than this much of the clock's. */
const windowMs = 1_000;
const longestWindowMs = 5_000;
const settleMs = 300;
const rounds = 7;
/** Share of what this machine can do at most, by the same run, that the paced sessions are asked for. */
const pace = 0.7;

/** A machine on which the same thing differs from itself by more than this can not tell small differences. */
const mostNoise = 0.05;

/** Who watches: nobody and no hub there is, nobody, or five of whom one reads nothing. */
type Watching = 'no hub' | 'nobody' | 'five';
const order: readonly Watching[] = ['no hub', 'nobody', 'five', 'five', 'nobody', 'no hub'];

interface Measured {
  readonly tasksPerSecond: number;
  /** Of processor time of this process: comparable also when other processes want the processor. */
  readonly tasksPerCpuSecond: number;
  readonly lagP99Ms: number;
  /** The same in processor time: how long this process kept its loop from turning, whoever else wanted the processor. */
  readonly heldP99Ms: number;
  readonly rssMiB: number;
}
type Windows = ReadonlyMap<Watching, readonly Measured[]>;

function isOver(clockMs: number, usedMs: number, isFull: boolean): boolean {
  return clockMs >= (isFull ? longestWindowMs : windowMs) || (isFull && usedMs >= windowMs);
}

async function measure(busy: readonly BusySession[], isFull: boolean): Promise<Measured> {
  const count = () => busy.reduce((sum, { tasks }) => sum + tasks, 0);
  await sleep(settleMs);
  const before = count();
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const startedAt = performance.now();
  const startedCpu = cpuMs();
  const held: number[] = [];
  let turnedAt = startedCpu;
  const turns = setInterval(() => {
    const now = cpuMs();
    held.push(now - turnedAt);
    turnedAt = now;
  }, 1);
  do await sleep(50);
  while (!isOver(performance.now() - startedAt, cpuMs() - startedCpu, isFull));
  clearInterval(turns);
  const usedMs = cpuMs() - startedCpu;
  const seconds = (performance.now() - startedAt) / 1_000;
  lag.disable();
  const tasks = count() - before;
  return {
    tasksPerSecond: tasks / seconds,
    tasksPerCpuSecond: tasks / (usedMs / 1_000),
    lagP99Ms: lag.percentile(99) / 1e6,
    heldP99Ms: held.sort((a, b) => a - b)[Math.floor(held.length * 0.99)] ?? 0,
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
  };
}

async function tell(child: ChildProcess, word: 'join' | 'leave'): Promise<void> {
  child.send(word);
  await once(child, 'message');
}

/** All windows of one load: the same sessions at work throughout, the watchers coming and going. */
async function windows(everyMs: number): Promise<Windows> {
  const opened: OpenHub = await openHub();
  const child = fork(fileURLToPath(new URL('./inspect-watchers.js', import.meta.url)), [
    String(opened.port),
    opened.token,
    String(watchers),
  ]);
  const busy = Array.from({ length: sessions }, (_, at) => busySession(`ses_${at}`));
  await sleep(200);
  // Sessions have nothing to do with each other: those that pause do not begin in step.
  const pauses: (() => void)[] = [];
  for (const session of busy) {
    pauses.push(session.keepBusy(everyMs));
    if (everyMs > 0) await sleep(everyMs / sessions);
  }
  const measured = new Map<Watching, Measured[]>(order.map((watching) => [watching, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const watching of order) {
        const removals = watching === 'no hub' ? [] : busy.map(({ subject }) => opened.hub.add(subject));
        if (watching === 'five') await tell(child, 'join');
        measured.get(watching)?.push(await measure(busy, everyMs === 0));
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

/**
 * Throughput and loop lag of 200 busy sessions with nobody watching and with five watchers, one of them stalled. Every round holds
 * each of them twice, in both orders, and a ratio is the median of those within a round, so that it stands on a noisy machine.
 *
 * Flat out, the thread has no time left: whatever watching takes is throughput lost, and a turn of the loop is one step of each of the
 * 200 sessions, whoever watches. So the loss is judged flat out, and the lag at 70 % of what the sessions reached there.
 */
export async function run(): Promise<Row[]> {
  const full = await windows(0);
  const most = median((full.get('no hub') ?? []).map(({ tasksPerSecond }) => tasksPerSecond));
  const paced = await windows((sessions / (most * pace)) * 1_000);
  const held = pairOf(paced, 'heldP99Ms', 'five', 'no hub');
  const lag = pairOf(paced, 'lagP99Ms', 'five', 'no hub');
  const noise = noiseOf(full);
  const nobody = pairOf(full, 'tasksPerCpuSecond', 'nobody', 'no hub');
  const five = pairOf(full, 'tasksPerCpuSecond', 'five', 'no hub');
  return [
    ...rowsOf('flat out', full, 'tasksPerCpuSecond'),
    ...rowsOf(`at ${pace * 100} % of that`, paced, 'tasksPerSecond'),
    verdict('five watchers, one stalled, cost less than 15 % of the tasks, flat out', {
      ...{ value: (1 - five.ratio) * 100, unit: '%', holds: five.ratio > 0.85 },
      note: `watchers first ${percent(five.orders[1])}, last ${percent(five.orders[0])}`,
    }),
    verdict('nobody watching costs nothing that can be measured', {
      ...{
        value: (1 - nobody.ratio) * 100,
        unit: '%',
        holds: noise > mostNoise ? 'unclear' : 1 - nobody.ratio <= noise,
      },
      note: `hub first ${percent(nobody.orders[1])}, last ${percent(nobody.orders[0])}; the same beside itself differs by ${percent(noise)}`,
    }),
    verdict(`loop lag p99 with five watchers is under 50 ms at ${pace * 100} %`, {
      ...{ value: held.value, unit: 'ms CPU', holds: held.value < 50 },
      note: `${held.base.toFixed(1)} ms without a hub; by the clock ${lag.value.toFixed(1)} and ${lag.base.toFixed(1)} ms`,
    }),
  ];
}

function rowsOf(load: string, measured: Windows, key: 'tasksPerSecond' | 'tasksPerCpuSecond'): Row[] {
  return [...measured].map(([watching, values]) => ({
    name: `200 sessions, ${load}, ${watching === 'no hub' ? 'no hub' : `${watching} watching`}`,
    value: median(values.map((value) => value[key])),
    unit: key === 'tasksPerSecond' ? 'tasks/s' : 'tasks/CPU s',
    ratio: pairOf(measured, key, watching, 'no hub').ratio,
    note: `loop held p99 ${median(values.map(({ heldP99Ms }) => heldP99Ms)).toFixed(1)} ms CPU, lag by the clock ${median(values.map(({ lagP99Ms }) => lagP99Ms)).toFixed(1)} ms, ${Math.max(...values.map(({ rssMiB }) => rssMiB)).toFixed(0)} MiB`,
  }));
}

/** One against another: the medians of both, the median of the ratios within a round, and that of each order by itself. */
function pairOf(measured: Windows, key: keyof Measured, watching: Watching, base: Watching) {
  const of = (who: Watching, half: 0 | 1) => (measured.get(who) ?? []).filter((_, at) => at % 2 === half);
  const ratios = ([0, 1] as const).map((half) =>
    of(watching, half).map((value, round) => value[key] / of(base, half)[round]![key]),
  );
  const whole = ratios[0]!.map((first, round) => (first + ratios[1]![round]!) / 2);
  const medianOf = (who: Watching) => median((measured.get(who) ?? []).map((value) => value[key]));
  return {
    value: medianOf(watching),
    base: medianOf(base),
    ratio: median(whole),
    orders: ratios.map((each) => 1 - median(each)) as [number, number],
  };
}

/** How far two windows of one round differ although nothing is different: half of them by less than this. */
function noiseOf(measured: Windows): number {
  const values = (measured.get('no hub') ?? []).map(({ tasksPerCpuSecond }) => tasksPerCpuSecond);
  return median(values.flatMap((value, at) => (at % 2 === 0 ? [Math.abs(1 - values[at + 1]! / value)] : [])));
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
