/** A host in a temp folder for tests, and calls with everything filled in. Not a test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallOutcome, CallRequest, Component, WasmHost, WasmHostOptions } from '../../src/wasm/index.js';
import { createWasmHost } from '../../src/wasm/index.js';
import type { ExecutionLimits } from '../../workers/protocol.js';
import { build, type Guest, type GuestName, guests } from '../fixtures/component/guests.js';
import { sharedCache } from './shared-cache.js';

export const limits: ExecutionLimits = {
  memoryBytes: 64 * 1024 * 1024,
  tableElements: 10_000,
  instances: 100,
  deadlineMs: 10_000,
};

export interface TestHost extends AsyncDisposable {
  readonly wasm: WasmHost;
  /** A folder of its own. */
  readonly dir: string;
  readonly cacheDir: string;
  load(guest: GuestName | Guest): Promise<Component>;
  /** Calls `guest` as what it is (tool or capsule), with `data` as its input. */
  call(guest: GuestName | Guest | Component, options?: CallOptions): Promise<CallOutcome>;
}

export type CallOptions = Partial<Omit<CallRequest, 'component' | 'limits' | 'input'>> & {
  readonly data?: string;
  readonly limits?: Partial<ExecutionLimits>;
};

export async function openHost(options: Partial<WasmHostOptions> = {}): Promise<TestHost> {
  const dir = await mkdtemp(join(tmpdir(), 'mur-wasm-'));
  const cacheDir = options.cacheDir ?? sharedCache;
  const wasm = createWasmHost({ permits: 2, maxThreads: 16, ...options, cacheDir });
  const load = async (guest: GuestName | Guest): Promise<Component> =>
    typeof guest === 'string' ? wasm.load(guest, await build(guests[guest])) : wasm.load('guest', await build(guest));
  return {
    wasm,
    dir,
    cacheDir,
    load,
    async call(guest, { data, limits: someLimits, ...rest } = {}) {
      const component = typeof guest === 'object' && 'key' in guest ? guest : await load(guest);
      const isCapsule = component.exports.some((ref) => ref.package === 'murmur:capsule');
      return wasm.call({
        component,
        kind: isCapsule ? 'capsule' : 'tool',
        name: typeof guest === 'string' ? guest : 'guest',
        depth: 0,
        env: [],
        preopens: [],
        egress: { handle: async () => ({}), close: () => {} },
        host: {},
        ...rest,
        limits: { ...limits, ...someLimits },
        ...(data === undefined ? {} : { input: { data } }),
      });
    },
    async [Symbol.asyncDispose]() {
      await wasm.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The failure of an outcome that must have failed. */
export function failureOf(outcome: CallOutcome) {
  if (outcome.status !== 'failed') throw new Error(`expected a failure, got ${JSON.stringify(outcome.result)}`);
  return outcome.failure;
}

/** The result of an outcome that must have returned. */
export function resultOf(outcome: CallOutcome) {
  if (outcome.status !== 'returned') throw new Error(`expected a result, got ${JSON.stringify(outcome.failure)}`);
  return outcome.result;
}
