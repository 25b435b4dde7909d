/**
 * What it costs to start a command in a box: `/usr/bin/true` from the start until it has ended and its output was read, beside a plain
 * `child_process.spawn` of the same program. All ways take turns, in both orders, so that drift and load hit them alike.
 *
 * Processor time is that of this process: on a loaded machine it says more than the clock does. A command's own is not in it.
 */

import { setupRows } from './command-setup.js';
import { toolCall } from './command-tool.js';
import { openGround, type Way, waysOf } from './command-ways.js';
import type { Row } from './row.js';

const rounds = 40;
const perRound = 5;
const slowRounds = 6;
const warmUps = 15;
const atOnce = 16;
const parallelRounds = 6;
const parallelCommands = 48;

const bounds: Readonly<Record<string, number>> = { 'box, scoped': 4, 'box, sealed': 5 };

const toolPrefix = 'shell tool call in a session: ';

type Runnable = Way & { readonly run: () => Promise<void> };

export async function run(): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const ground = await openGround();
  const ways = await waysOf(ground);
  const boxOf = (name: string) => ways.find((way) => way.name === name)?.box;
  const tools = ['box, scoped', 'box, sealed'].flatMap((name) => {
    const box = boxOf(name);
    return box === undefined ? [] : [toolCall(`${toolPrefix}${name}`, ground, box)];
  });
  try {
    const all = [...ways, ...tools];
    const runnable = all.filter((way): way is Runnable => way.run !== undefined);
    const samples = await takeTurns(runnable);
    const [plain] = runnable;
    const base = samples.get(plain!)!;
    const ofBox = ({ name }: Way) => {
      const under = runnable.find((way) => name === `${toolPrefix}${way.name}`);
      return under && samples.get(under);
    };
    return [
      ...all.map((way) => rowOf(way, samples.get(way as Runnable), base, ofBox(way))),
      ...(await inParallel(runnable.slice(0, 3))),
      ...(await setupRows(ground)),
    ];
  } finally {
    for (const tool of tools) await tool.close();
    for (const { box } of ways) await box?.close();
    await ground.close();
  }
}

interface Samples {
  readonly ms: number[];
  /** User and system time of this process, for all of them. */
  cpuMs: number;
}

async function takeTurns(ways: readonly Runnable[]): Promise<ReadonlyMap<Way, Samples>> {
  const samples = new Map<Way, Samples>(ways.map((way) => [way, { ms: [], cpuMs: 0 }]));
  for (const way of ways) for (let warm = 0; warm < (way.isSlow ? 1 : warmUps); warm += 1) await way.run();
  for (let round = 0; round < rounds; round += 1) {
    const turn = ways.filter((way) => !way.isSlow || round < slowRounds);
    for (const way of round % 2 === 0 ? turn : turn.toReversed()) await measure(way, samples.get(way)!);
  }
  return samples;
}

async function measure(way: Runnable, samples: Samples): Promise<void> {
  const before = process.cpuUsage();
  for (let index = 0; index < (way.isSlow ? 1 : perRound); index += 1) {
    const startedAt = performance.now();
    await way.run();
    samples.ms.push(performance.now() - startedAt);
  }
  const { user, system } = process.cpuUsage(before);
  samples.cpuMs += (user + system) / 1000;
}

function rowOf({ name, skipped }: Way, samples: Samples | undefined, base: Samples, box: Samples | undefined): Row {
  if (samples === undefined) return { name, value: Number.NaN, unit: 'ms', note: `skipped: ${skipped}` };
  const value = quantile(samples.ms, 0.5);
  const ratio = value / quantile(base.ms, 0.5);
  const least = quantile(samples.ms, 0);
  const notes = [
    ...(box === undefined ? [] : [`${(value / quantile(box.ms, 0.5)).toPrecision(3)} x its box`]),
    ...(bounds[name] === undefined ? [] : [`at most ${bounds[name]} x`]),
    `min ${least.toPrecision(3)} ms, ${(least / quantile(base.ms, 0)).toPrecision(3)} x`,
    `${(samples.cpuMs / samples.ms.length).toPrecision(2)} ms of this process`,
  ];
  return { name, value, unit: 'ms', ratio, note: notes.join('; ') };
}

/** Commands per second when that many are under way, the first being the baseline. */
async function inParallel(ways: readonly Runnable[]): Promise<Row[]> {
  const rates = new Map<Way, number[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < parallelRounds; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const startedAt = performance.now();
      let left = parallelCommands;
      const worker = async (): Promise<void> => {
        for (; left > 0; ) {
          left -= 1;
          await way.run();
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      rates.get(way)!.push((parallelCommands / (performance.now() - startedAt)) * 1000);
    }
  }
  const base = quantile(rates.get(ways[0]!)!, 0.5);
  return ways.map((way) => {
    const value = quantile(rates.get(way)!, 0.5);
    return { name: `${atOnce} in parallel: ${way.name}`, value, unit: 'commands/s', ratio: value / base };
  });
}

function quantile(samples: readonly number[], share: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * share)] ?? Number.NaN;
}
