/**
 * Five hundred sessions in about two minutes, each with a fate of its own: they complete, fail, trap, serve others, reach a deadline,
 * are stopped or killed at a random moment. Most run in this process and share its workers; every tenth is a `mur run` of its own.
 * Afterwards nothing of them may be left: no process, descriptor, thread, timer, listener, record, folder or half-made file.
 *
 * `MUR_SOAK_SECONDS` scales the number of sessions; `MUR_SOAK_SEED` repeats a run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { murmurHome } from '../../src/home/index.js';
import { prepareRun, type RunRequest } from '../../src/index.js';
import { type LaunchResult, launch } from '../../src/supervise/launch.js';
import { readTrace } from '../../src/trace/index.js';
import { createWasmHost, type WasmHost } from '../../src/wasm/index.js';
import { rehearsal, Sandbox } from '../e2e/cli.js';
import { type Census, census } from '../supervise/census.js';
import { Random } from './random.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 120);
const seed = Number(process.env.MUR_SOAK_SEED ?? Math.floor(Math.random() * 2 ** 32));
const count = Math.max(20, Math.round((500 * seconds) / 120));
const lanes = { inside: 6, outside: 2 };
/** A session may take this long to end once it was asked to (spec/session.md 12), plus what a busy machine adds. */
const endWithinMs = 30_000;

const random = new Random(seed);
const outcomes = new Map<string, number>();
const note = (what: string): void => void outcomes.set(what, (outcomes.get(what) ?? 0) + 1);

const list = { call: { tool: 'mur-tool-files', input: { action: 'list' } } };
const serves = { lifecycle: { task_acceptance: 'queue', after_task: 'sleep', queue_depth: 4 } };
const manifests = {
  quick: rehearsal([list, { say: 'Done.' }]),
  slow: rehearsal([list, { say: 'a slow answer '.repeat(100), delay_ms: 20 }]),
  failing: rehearsal([{ error: 'the model is asleep' }]),
  trapping: rehearsal([{ crash: true }]),
  serving: rehearsal([{ say: 'Served.' }], serves),
};
type Kind = keyof typeof manifests;

let sandbox: Sandbox;
let wasm: WasmHost;
const paths = {} as Record<Kind, string>;

beforeAll(() => {
  sandbox = new Sandbox();
  for (const kind of Object.keys(manifests) as Kind[])
    paths[kind] = sandbox.write(`${kind}/murmur.yaml`, manifests[kind]);
});
afterAll(() => sandbox.remove());

const environment = () => ({ HOME: sandbox.home, MURMUR_A2A_TIMEOUT_SECS: '30' });

interface Inside {
  readonly kind: Kind;
  readonly request?: RunRequest;
  /** Stop it so long after it began. */
  readonly stopAfterMs?: number;
  /** Send it so many tasks through its door, and stop it when the last was answered. */
  readonly tasks?: number;
}

async function inside({ kind, request = { task: 'go' }, stopAfterMs, tasks }: Inside): Promise<LaunchResult> {
  const stop = new AbortController();
  const { request: stage } = prepareRun({ manifestPath: paths[kind], ...request }, environment());
  const timer = stopAfterMs === undefined ? undefined : setTimeout(() => stop.abort(), stopAfterMs);
  const result = await launch(stage, {
    home: murmurHome(environment()),
    wasm,
    signal: stop.signal,
    endWithinMs,
    onNotice: (notice) => {
      if (notice.type === 'door.listening' && tasks !== undefined)
        void serve(notice.url, tasks).finally(() => stop.abort());
    },
  });
  clearTimeout(timer);
  return result;
}

async function serve(url: string, tasks: number): Promise<void> {
  for (let index = 0; index < tasks; index += 1) {
    const message = { messageId: `m${index}`, role: 'user', parts: [{ text: 'go' }] };
    const body = JSON.stringify({ jsonrpc: '2.0', id: index, method: 'message/send', params: { message } });
    const response = await fetch(`http://${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body,
    });
    expect(response.status).toBe(200);
    await response.text();
  }
}

/** In this process: a fate, and the endings it may have. */
const insideFates: readonly (() => { fate: Inside; may: readonly string[] })[] = [
  () => ({ fate: { kind: 'quick' }, may: ['ok'] }),
  () => ({ fate: { kind: 'failing' }, may: ['failed'] }),
  () => ({ fate: { kind: 'trapping' }, may: ['failed'] }),
  () => ({ fate: { kind: 'slow', stopAfterMs: random.between(0, 1_500) }, may: ['canceled', 'ok'] }),
  () => ({ fate: { kind: 'quick', stopAfterMs: random.between(0, 500) }, may: ['canceled', 'ok'] }),
  () => ({
    fate: { kind: 'slow', request: { task: 'go', deadlineMs: random.between(1, 1_500) } },
    may: ['deadline_reached', 'ok'],
  }),
  () => ({ fate: { kind: 'serving', request: {}, stopAfterMs: random.between(0, 800) }, may: ['ok'] }),
  () => ({ fate: { kind: 'serving', request: {}, tasks: random.between(1, 3) }, may: ['ok', 'canceled'] }),
];

type Blow = readonly [afterMs: number, signal: NodeJS.Signals];

/** In a process of its own: a fate, and the exit statuses or signals it may end by. */
const outsideFates: readonly (() => { kind: Kind; blows: readonly Blow[]; may: readonly (number | string)[] })[] = [
  () => ({ kind: 'quick', blows: [], may: [0] }),
  () => ({ kind: 'failing', blows: [], may: [1] }),
  () => ({ kind: 'slow', blows: [[random.between(0, 2_500), 'SIGKILL']], may: ['SIGKILL'] }),
  () => ({ kind: 'slow', blows: [[random.between(0, 2_500), 'SIGKILL']], may: ['SIGKILL'] }),
  // Before it takes signals, the default of each ends it.
  () => ({ kind: 'slow', blows: [[random.between(0, 2_500), 'SIGTERM']], may: [0, 1, 'SIGTERM'] }),
  () => ({ kind: 'slow', blows: [[random.between(0, 2_500), 'SIGINT']], may: [0, 1, 'SIGINT'] }),
  () => ({
    kind: 'slow',
    blows: [
      [random.between(0, 2_500), 'SIGTERM'],
      [random.between(0, 20), 'SIGTERM'],
    ],
    may: [0, 1, 143, 'SIGTERM'],
  }),
];

async function outside(kind: Kind, blows: readonly Blow[]): Promise<number | string | null> {
  const { child, ended } = sandbox.start(['run', '--manifest', paths[kind], '--task', 'go']);
  for (const [afterMs, signal] of blows) {
    await Promise.race([sleep(afterMs), ended]);
    child.kill(signal);
  }
  const ran = await ended;
  return ran.code ?? ran.signal;
}

/** So many fates, drawn before anything runs: a seed brings them back, whatever ends first. */
function drawn<Fate>(fates: readonly (() => Fate)[], total: number): Fate[] {
  return Array.from({ length: total }, () => random.pick(fates)());
}

/** Runs `work` for each of `items`, so many at a time. */
async function inLanes<Item>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

it('sessions come and go by every road, and nothing of them is left', async () => {
  process.stdout.write(`soak: ${count} sessions, seed ${seed} (MUR_SOAK_SEED=${seed} repeats it)\n`);
  // What a first session loads stays loaded: that, and no more, may stay.
  wasm = createWasmHost({ cacheDir: murmurHome(environment()).compiled });
  for (const kind of ['quick', 'serving'] as const) await inside({ kind, request: {}, stopAfterMs: 2_000 });
  await outside('quick', []);
  await wasm.close();
  const before = await settled();
  const heapBefore = process.memoryUsage().heapUsed;

  wasm = createWasmHost({ cacheDir: murmurHome(environment()).compiled });
  const own = Math.round(count / 10);
  const fates = { inside: drawn(insideFates, count - own), outside: drawn(outsideFates, own) };
  const from = performance.now();
  const minted = new Set<string>();
  const late: string[] = [];
  const wrong: string[] = [];
  await Promise.all([
    inLanes(lanes.inside, fates.inside, async ({ fate, may }) => {
      const started = performance.now();
      const result = await inside(fate);
      if (performance.now() - started > 2 * endWithinMs) late.push(JSON.stringify(fate));
      if (!may.includes(result.status) || result.forced) wrong.push(`${JSON.stringify(fate)}: ${result.status}`);
      if (result.sessionId !== undefined) minted.add(result.sessionId);
      note(`inside ${fate.kind}: ${result.status}`);
    }),
    inLanes(lanes.outside, fates.outside, async ({ kind, blows, may }) => {
      const end = await outside(kind, blows);
      if (end === null || !may.includes(end)) wrong.push(`${kind} ${JSON.stringify(blows)}: ${end}`);
      note(`process ${kind}${blows.map(([, signal]) => ` ${signal}`).join('')}: ${end}`);
    }),
  ]);
  const tookSeconds = (performance.now() - from) / 1000;
  await wasm.close();
  const after = await settled();
  report(tookSeconds, before, after, heapBefore);

  expect({ wrong, late }).toEqual({ wrong: [], late: [] });
  expect(after).toEqual(before);
  expect(processesOf(sandbox.home)).toEqual([]);
  // The next run takes away what the killed ones left, and nothing else is left.
  expect(await outside('quick', [])).toBe(0);
  for (const folder of ['sessions', 'running']) {
    expect(readdirSync(join(sandbox.home, '.murmur', folder)), folder).toEqual([]);
  }
  const files = readdirSync(join(sandbox.home, '.murmur'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => path.endsWith('.tmp'))).toEqual([]);
  const records = sandbox.records();
  for (const id of minted) expect(records.filter((path) => path.endsWith(id))).toHaveLength(1);
  for (const path of records) checkTrace(path, minted);
});

/** A session that was not killed has a whole trace with an end; of a killed one, every whole line can be read. */
function checkTrace(recordsDir: string, minted: ReadonlySet<string>): void {
  const path = join(recordsDir, 'trace.jsonl');
  if (!existsSync(path)) return; // killed between its folder and its trace
  const items = [...readTrace(path)];
  if (!minted.has(recordsDir.slice(-36))) return;
  expect(items.filter(({ kind }) => kind === 'warning')).toEqual([]);
  const lines = items.flatMap((item) =>
    item.kind === 'event' ? [(item.event as { event_type: string }).event_type] : [],
  );
  if (lines.length > 0) expect([lines[0], lines.at(-1)]).toEqual(['session_start', 'session_end']);
}

/** Pids of processes whose home is this one. */
function processesOf(home: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOME=${home}`);
    } catch {
      return false; // it ended meanwhile, or belongs to somebody else
    }
  });
}

/** The census once it has stopped changing: threads and sockets that were told to end need a moment. */
async function settled(): Promise<Census> {
  let last = census();
  for (let still = 0; still < 25; ) {
    await sleep(20);
    const now = census();
    still = JSON.stringify(now) === JSON.stringify(last) ? still + 1 : 0;
    last = now;
  }
  return last;
}

function report(tookSeconds: number, before: Census, after: Census, heapBefore: number): void {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  const lines = [...outcomes].sort().map(([what, times]) => `  ${String(times).padStart(4)}  ${what}`);
  process.stdout.write(
    [
      `soak: ${count} sessions in ${tookSeconds.toFixed(1)} s`,
      ...lines,
      `  descriptors ${before.descriptors.length} -> ${after.descriptors.length}, threads ${before.threads} -> ${after.threads}`,
      `  heap ${megabytes(heapBefore)} -> ${megabytes(process.memoryUsage().heapUsed)} MiB, not collected`,
      '',
    ].join('\n'),
  );
}
