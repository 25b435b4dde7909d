/**
 * The door under load, beside the reference server of @a2a-js/sdk 1.3.0, both over A2A 1.0: a message and a look at its task, and
 * streams of a thousand events. Server and client are processes of their own; the servers take turns in both orders, new in each
 * round, and do the same work (door-load/server.ts). Their processor time is measured too: on a busy machine it says more than the
 * clock does.
 */
import { loadavg } from 'node:os';
import { Child } from './door-load/child.js';
import type { Load, Loaded } from './door-load/client.js';
import type { Spent } from './door-load/server.js';
import { type Row, verdict } from './row.js';

const rounds = Number(process.env.MUR_BENCH_ROUNDS ?? 5);
/** Until a server is compiled as well as it ever will be: a session lives for hours. */
const warmUpMs = { ask: 2_500, stream: 1_000 } as const;
const measuredMs = 1_000;
const connectionSteps = [1, 8, 32] as const;
/** The servers must serve more than so many times the baseline, at a 99th percentile under the baseline's with so many connections. */
const target = { times: 3, connections: 8 } as const;

const servers = [
  { name: 'mur', file: './mur.js', args: [] },
  { name: 'reference', file: './reference.js', args: ['express'] },
  { name: 'reference without express', file: './reference.js', args: ['bare'] },
] as const;
type Name = (typeof servers)[number]['name'];

const kinds = ['ask', 'stream'] as const;
type Kind = (typeof kinds)[number];
const units: Readonly<Record<Kind, string>> = { ask: 'answers/s', stream: 'streams/s' };

interface Sample {
  readonly server: Name;
  readonly kind: Kind;
  readonly connections: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server, for one answer. */
  readonly cpuMs: number;
}

export async function run(): Promise<Row[]> {
  const { child: client } = await Child.start<Load, Loaded>('./client.js');
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      samples.push(...(await measure(server, client)));
    }
  }
  await client.stop();
  return kinds.flatMap((kind) => rowsOf(kind, samples));
}

async function measure({ name, file, args }: (typeof servers)[number], client: Child<Load, Loaded>): Promise<Sample[]> {
  const { child: server, first } = await Child.start<object, Spent>(file, args);
  const { port } = first as { readonly port: number };
  const samples: Sample[] = [];
  for (const kind of kinds) {
    await client.ask({ port, kind, connections: 8, ms: warmUpMs[kind] });
    for (const connections of connectionSteps) {
      const before = await server.ask({});
      const { answers, ms, p50Ms, p99Ms } = await client.ask({ port, kind, connections, ms: measuredMs });
      const cpuMs = ((await server.ask({})).cpuMs - before.cpuMs) / answers;
      samples.push({ server: name, kind, connections, perSecond: (answers / ms) * 1_000, p50Ms, p99Ms, cpuMs });
    }
  }
  await server.stop();
  return samples;
}

function rowsOf(kind: Kind, samples: readonly Sample[]): Row[] {
  const of = (server: Name, connections: number) =>
    medians(samples.filter((one) => one.kind === kind && one.server === server && one.connections === connections));
  const rows = connectionSteps.flatMap((connections) =>
    servers.map(({ name }): Row => {
      const { perSecond, p50Ms, p99Ms, cpuMs } = of(name, connections);
      const note = `p50 ${short(p50Ms)} ms, p99 ${short(p99Ms)} ms; ${short(cpuMs)} ms of processor time each`;
      const ratio = perSecond / of('reference', connections).perSecond;
      return { name: `${kind}, ${connections} at once: ${name}`, value: perSecond, unit: units[kind], ratio, note };
    }),
  );
  const bound = of('reference', target.connections).p99Ms;
  const best = (server: Name): number => {
    const within = connectionSteps.map((step) => of(server, step)).filter(({ p99Ms }) => p99Ms <= bound);
    return Math.max(0, ...within.map(({ perSecond }) => perSecond));
  };
  const times = best('mur') / best('reference');
  const load = loadavg()[0]!.toFixed(1);
  const claim = `${kind}: ${target.times} times the reference at an equal p99`;
  const note = `the most within a p99 of ${short(bound)} ms; load average ${load}`;
  return [...rows, verdict(claim, { value: times, unit: 'x', holds: times >= target.times, note })];
}

function medians(samples: readonly Sample[]): Omit<Sample, 'server' | 'kind' | 'connections'> {
  const median = (key: 'perSecond' | 'p50Ms' | 'p99Ms' | 'cpuMs') =>
    samples.map((sample) => sample[key]).toSorted((a, b) => a - b)[samples.length >> 1]!;
  return { perSecond: median('perSecond'), p50Ms: median('p50Ms'), p99Ms: median('p99Ms'), cpuMs: median('cpuMs') };
}

function short(value: number): string {
  return Number(value.toPrecision(3)).toString();
}
