import { createActor, setup } from 'xstate';
import { childSpec, createSupervisor } from '../../src/supervise/index.js';
import type { Row } from './row.js';

const count = 10_000;
const rounds = 5;

const worker = setup({}).createMachine({
  initial: 'working',
  states: { working: { on: { drain: 'ended', ping: 'working' } }, ended: { type: 'final' } },
});

interface Times {
  readonly spawnMs: number;
  readonly drainMs: number;
}

/** What the supervisor is measured against: the same machines as roots that nobody supervises. */
function bare(): Times {
  const started = performance.now();
  const roots = Array.from({ length: count }, (_, index) => createActor(worker, { id: `w${index}` }).start());
  const spawned = performance.now();
  for (const root of roots.reverse()) root.send({ type: 'drain' });
  return { spawnMs: spawned - started, drainMs: performance.now() - spawned };
}

function supervised(): Times {
  const sup = createActor(createSupervisor({ report: () => undefined, stopOrder: 'together' })).start();
  const started = performance.now();
  for (let index = 0; index < count; index += 1) {
    const child = childSpec({ id: `w${index}`, src: worker, restart: 'temporary', drainEvent: { type: 'drain' } });
    sup.send({ type: 'sup.spawn', child });
  }
  const spawned = performance.now();
  sup.send({ type: 'sup.drain' });
  if (sup.getSnapshot().status !== 'done') throw new Error('the supervisor is not drained');
  return { spawnMs: spawned - started, drainMs: performance.now() - spawned };
}

/** Spawn and drain of 10 000 children against bare roots, in alternating rounds; the median of each. */
export async function run(): Promise<Row[]> {
  bare();
  supervised();
  const base: Times[] = [];
  const ours: Times[] = [];
  for (let round = 0; round < rounds; round += 1) {
    base.push(bare());
    ours.push(supervised());
  }
  const row = (what: string, times: Times[], key: keyof Times): Row => {
    const ms = median(times.map((time) => time[key]));
    return {
      name: what,
      value: (count / ms) * 1_000,
      unit: 'children/s',
      ratio: median(base.map((time) => time[key])) / ms,
    };
  };
  return [
    row('spawn, bare roots', base, 'spawnMs'),
    row('spawn, supervised', ours, 'spawnMs'),
    row('drain, bare roots', base, 'drainMs'),
    row('drain, supervised', ours, 'drainMs'),
  ];
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
