/**
 * Ten thousand sessions that wait for work, under one supervisor: what each costs, and how fast all of them end. Their effects touch
 * nothing, so this is the price of the charts and of supervision; a door and its folders come on top.
 */
import { type Actor, type AnyActorRef, createActor } from 'xstate';
import { createSupervisor, observe } from '../../src/supervise/index.js';
import { heapInUse } from './heap.js';
import { isIdle, lightSession, lightSpec } from './light-session.js';
import type { Row } from './row.js';

const count = 10_000;
const budgetBytes = 20 * 1024;
const measuredRounds = 3;

interface Measured {
  readonly bytesEach: number;
  readonly drainMs: number;
  /** Left of each once it had ended. */
  readonly residueBytes: number;
}

/** What the supervisor is measured against: the same sessions as roots that nobody supervises. */
async function bare(): Promise<Measured> {
  const before = await heapInUse();
  const { input, drainEvent } = lightSpec('');
  let roots: Actor<typeof lightSession>[] = [];
  let ended = 0;
  for (let index = 0; index < count; index += 1) {
    const root = createActor(lightSession, { id: `s${index}`, input: input as never });
    observe(root, { error: fail, complete: () => (ended += 1) });
    roots.push(root.start());
  }
  await until(() => roots.every((root) => isIdle(root.getSnapshot())));
  const idle = await heapInUse();
  const started = performance.now();
  for (const root of roots) root.send(drainEvent as never);
  await until(() => ended === count);
  const drainMs = performance.now() - started;
  roots = [];
  return { bytesEach: (idle - before) / count, drainMs, residueBytes: ((await heapInUse()) - before) / count };
}

async function supervised(): Promise<Measured> {
  const before = await heapInUse();
  const sup = createActor(createSupervisor({ report: ({ reason }) => fail(reason), stopOrder: 'together' })).start();
  for (let index = 0; index < count; index += 1) sup.send({ type: 'sup.spawn', child: lightSpec(`s${index}`) });
  const { children } = sup.getSnapshot().context;
  await until(() => [...children.values()].every(({ ref }) => isIdle((ref as AnyActorRef).getSnapshot())));
  const idle = await heapInUse();
  const started = performance.now();
  sup.send({ type: 'sup.drain' });
  await until(() => sup.getSnapshot().status === 'done');
  const drainMs = performance.now() - started;
  return { bytesEach: (idle - before) / count, drainMs, residueBytes: ((await heapInUse()) - before) / count };
}

/** Heap and drain of 10 000 idle sessions, supervised and not, in alternating rounds after a warm-up; the median of each. */
export async function run(): Promise<Row[]> {
  const rounds: { base: Measured; ours: Measured }[] = [];
  for (let round = 0; round <= measuredRounds; round += 1)
    rounds.push({ base: await bare(), ours: await supervised() });
  const measured = rounds.slice(1);
  const base = medians(measured.map((round) => round.base));
  const ours = medians(measured.map((round) => round.ours));
  if (ours.bytesEach >= budgetBytes) throw new Error(`${ours.bytesEach} bytes each; expected less than ${budgetBytes}`);
  const note = `${count} sessions of the real chart`;
  return [
    { name: 'heap of an idle session, bare root', value: base.bytesEach / 1024, unit: 'KiB', note },
    {
      name: 'heap of an idle session, supervised',
      value: ours.bytesEach / 1024,
      unit: 'KiB',
      ratio: ours.bytesEach / base.bytesEach,
      note: `budget ${budgetBytes / 1024} KiB`,
    },
    { name: 'left of an ended session, supervised', value: ours.residueBytes, unit: 'B' },
    { name: 'drain of all, bare roots', value: base.drainMs, unit: 'ms' },
    { name: 'drain of all, supervised', value: ours.drainMs, unit: 'ms', ratio: ours.drainMs / base.drainMs },
  ];
}

function medians(rounds: readonly Measured[]): Measured {
  const median = (key: keyof Measured) => rounds.map((round) => round[key]).sort((a, b) => a - b)[rounds.length >> 1]!;
  return { bytesEach: median('bytesEach'), drainMs: median('drainMs'), residueBytes: median('residueBytes') };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function fail(reason: unknown): never {
  throw reason;
}
