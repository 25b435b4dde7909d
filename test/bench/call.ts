/**
 * One tool call on a fresh instance in the pool, against what a program gets without this project: jco's output with its own
 * WASI shim on the main thread, fresh each time, and one instance used again and again (no isolation at all). The guest has
 * the shape of a compiled Rust tool and answers with its input. The three take turns in one process, so the machine's mood hits them alike.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transpileBytes } from '@bytecodealliance/jco-transpile';
import { createWasmHost, type WasmHost } from '../../src/wasm/index.js';
import type { ToolInput } from '../../workers/protocol.js';
import { buildAdapted } from '../fixtures/component/guests.js';
import type { Row } from './row.js';

const rounds = 8;
const callsPerRound = 50;
const throughputMs = 2_000;
const callersAtOnce = 16;

type Run = () => unknown;

export async function run(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), 'mur-bench-'));
  const host = createWasmHost({ cacheDir: join(dir, 'cache'), permits: 2 });
  try {
    const bytes = await buildAdapted();
    const pooled = await pooledCall(host, bytes);
    const { fresh, reused } = await plainCalls(dir, bytes);
    for (let warm = 0; warm < 100; warm += 1) {
      await pooled();
      fresh();
      reused();
    }
    const times = { pooled: [] as number[], fresh: [] as number[], reused: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      await measure(pooled, times.pooled);
      await measure(fresh, times.fresh);
      await measure(reused, times.reused);
    }
    const base = quantile(times.fresh, 0.5);
    const row = (name: string, samples: number[]): Row => ({
      name,
      value: quantile(samples, 0.5),
      unit: 'ms',
      ratio: quantile(samples, 0.5) / base,
      note: `p95 ${quantile(samples, 0.95).toPrecision(3)} ms`,
    });
    return [
      row('plain jco + preview2-shim, main thread, fresh instance', times.fresh),
      row('mur: pooled, fresh instance', times.pooled),
      row('plain jco, one instance reused (no isolation)', times.reused),
      {
        name: `mur: throughput, 2 permits, ${callersAtOnce} callers`,
        value: await throughput(pooled),
        unit: 'calls/s',
      },
    ];
  } finally {
    await host.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function pooledCall(host: WasmHost, bytes: Uint8Array): Promise<() => Promise<void>> {
  const component = await host.load('bench', bytes);
  return async () => {
    const outcome = await host.call({
      component,
      kind: 'tool',
      name: 'bench',
      input: { data: 'hello' },
      depth: 0,
      limits: { memoryBytes: 2 ** 29, tableElements: 100_000, instances: 1000, deadlineMs: 600_000 },
      env: [],
      preopens: [],
      egress: { handle: async () => undefined, close: () => {} },
      host: {},
    });
    if (outcome.status !== 'returned' || outcome.result?.data !== 'hello') throw new Error(JSON.stringify(outcome));
  };
}

/** jco's output as its documentation has it: compiled modules kept, instance and shim made per call. */
async function plainCalls(dir: string, bytes: Uint8Array): Promise<{ fresh: Run; reused: Run }> {
  const { files } = await transpileBytes(bytes, {
    name: 'c',
    instantiation: 'sync',
    emitTypescriptDeclarations: false,
  });
  const modules = new Map<string, WebAssembly.Module>();
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith('.wasm')) modules.set(name, new WebAssembly.Module(content));
    else await writeFile(join(dir, 'c.mjs'), content);
  }
  const { instantiate } = await import(pathToFileURL(join(dir, 'c.mjs')).href);
  const { WASIShim } = await import(shimUrl());
  const instance = (): ((input: ToolInput) => { data?: string }) =>
    instantiate((name: string) => modules.get(name), new WASIShim().getImportObject()).run.run;
  const check = (call: (input: ToolInput) => { data?: string }) => {
    if (call({ data: 'hello' }).data !== 'hello') throw new Error('wrong answer');
  };
  const one = instance();
  return { fresh: () => check(instance()), reused: () => check(one) };
}

/** The shim that belongs to the transpiler, wherever the package manager put it. */
function shimUrl(): string {
  const transpiler = createRequire(import.meta.url).resolve('@bytecodealliance/jco-transpile');
  const shim = createRequire(transpiler).resolve('@bytecodealliance/preview2-shim/instantiation');
  return pathToFileURL(shim).href;
}

async function measure(call: Run, into: number[]): Promise<void> {
  for (let index = 0; index < callsPerRound; index += 1) {
    const startedAt = performance.now();
    await call();
    into.push(performance.now() - startedAt);
  }
}

async function throughput(call: () => Promise<void>): Promise<number> {
  const until = performance.now() + throughputMs;
  let calls = 0;
  const caller = async () => {
    while (performance.now() < until) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
  return (calls / throughputMs) * 1_000;
}

function quantile(samples: readonly number[], share: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * share)] ?? Number.NaN;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await run());
