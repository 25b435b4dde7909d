/**
 * What clients that wait cost the door: connections between two requests and streams on which nothing happens, beside those of the
 * plainest node server. Then a task of a thousand events in front of all of them. Memory of a server is read after a collection.
 */
import { Child } from './door-load/child.js';
import type { Load, Loaded } from './door-load/client.js';
import type { Held, Hold } from './door-load/holder.js';
import { chunkCount, type Spent } from './door-load/server.js';
import type { Row } from './row.js';

/** One below the bound of a door: the task is sent over a connection too. */
const count = 255;
const rounds = 3;
const kinds = ['connections', 'streams'] as const;
type Kind = (typeof kinds)[number];
type Server = Child<{ readonly weigh?: boolean }, Spent>;
type Holder = Child<Hold, Held>;

interface Weight {
  readonly heapBytes: number;
  readonly residentBytes: number;
}

export async function run(): Promise<Row[]> {
  const { child: holder } = await Child.start<Hold, Held>('./holder.js');
  const weights: Record<'mur' | 'plain', Record<Kind, Weight[]>> = {
    mur: { connections: [], streams: [] },
    plain: { connections: [], streams: [] },
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? (['plain', 'mur'] as const) : (['mur', 'plain'] as const)) {
      for (const kind of kinds) weights[name][kind].push(await weigh(name, kind, holder));
    }
  }
  const told = await tellAll(holder);
  await holder.stop();
  return [...kinds.flatMap((kind) => rowsOf(kind, weights.plain[kind], weights.mur[kind])), ...told];
}

/** What each of them adds to a server that has served as many before. */
async function weigh(name: 'mur' | 'plain', kind: Kind, holder: Holder): Promise<Weight> {
  const { child: server, first } = await Child.start(`./${name}.js`);
  const { port } = first as { readonly port: number };
  const asked = server as Server;
  await holder.ask({ kind, port, count });
  await holder.ask({ kind: 'release' });
  const before = await asked.ask({ weigh: true });
  await holder.ask({ kind, port, count });
  const after = await asked.ask({ weigh: true });
  await holder.ask({ kind: 'release' });
  await server.stop();
  return {
    heapBytes: (after.heapBytes - before.heapBytes) / count,
    residentBytes: (after.residentBytes - before.residentBytes) / count,
  };
}

function rowsOf(kind: Kind, plain: readonly Weight[], mur: readonly Weight[]): Row[] {
  const of = (weights: readonly Weight[], key: keyof Weight) => median(weights.map((weight) => weight[key])) / 1024;
  const row = (name: string, weights: readonly Weight[]): Row => ({
    name: `idle ${kind}, ${count} of them: ${name}`,
    value: of(weights, 'heapBytes'),
    unit: 'KiB of heap each',
    ratio: of(weights, 'heapBytes') / of(plain, 'heapBytes'),
    note: `resident ${of(weights, 'residentBytes').toFixed(1)} KiB each`,
  });
  return [row('plain node server', plain), row('mur', mur)];
}

/** One task of a thousand events, told to every stream. */
async function tellAll(holder: Holder): Promise<Row[]> {
  const { child, first } = await Child.start('./mur.js');
  const server = child as Server;
  const { port } = first as { readonly port: number };
  const { child: client } = await Child.start<Load, Loaded>('./client.js');
  const opened = await holder.ask({ kind: 'streams', port, count });
  const before = await server.ask({});
  const startedMs = performance.now();
  // One stream: asked for again only while this has not passed.
  await client.ask({ port, kind: 'stream', connections: 1, ms: 1 });
  const { frames, lags } = await holder.ask({ kind: 'ends' });
  const tookMs = performance.now() - startedMs;
  const { cpuMs, residentBytes } = await server.ask({});
  await holder.ask({ kind: 'release' });
  await Promise.all([client.stop(), server.stop()]);
  const told = frames - opened.frames;
  const note = `${Math.round(((cpuMs - before.cpuMs) / told) * 1e6)} ns of processor time each; lost some and said so ${lags} times; resident ${Math.round(residentBytes / 1024 / 1024)} MiB`;
  return [{ name: `${chunkCount} events to ${count} streams`, value: (told / tookMs) * 1_000, unit: 'frames/s', note }];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
