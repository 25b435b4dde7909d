/**
 * The threads guests run on, and who may run when. A **slot** of the call's depth guarantees a thread, a **permit** a core:
 * a running guest holds both; one that is parked in a host import gives its permit back. Nested calls draw from slots of
 * their own depth, so however many callers are parked, the calls they wait for find a thread. Not one call's life (call.ts).
 */
import type { MessagePort } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { CallResult, CallTask } from '../../workers/message.js';
import { Gate } from './gate.js';
import { workerFile } from './worker-file.js';

const defaultIdleTimeoutMs = 10_000;
const fewestThreads = 4;
const defaultHeapMb = 256;
/**
 * After so many calls the threads are replaced. The engine keeps about 3 KB outside its heaps for every instance a thread ever made,
 * and gives it back only with the thread (measured over 180,000 calls; cases/reports row 9).
 */
const defaultCallsPerGeneration = 10_000;

export interface PoolOptions {
  readonly permits: number;
  readonly maxThreads: number;
  /** JavaScript heap of one thread. A backstop: it covers neither guest memory nor long strings (workers/lift.ts). Default 256. */
  readonly heapMb?: number;
  /** How long a thread above the minimum of `permits` threads may be idle. Default 10 s. */
  readonly idleTimeoutMs?: number;
  /** Calls after which the threads are replaced by new ones. Default 10,000. */
  readonly callsPerGeneration?: number;
}

/** One set of threads, from its first call until the last call it took has ended. */
interface Generation {
  readonly piscina: Promise<Piscina>;
  started: number;
  running: number;
  ended?: Promise<void>;
}

export class WorkerPool {
  readonly permits: Gate;
  /** One gate per nesting depth. */
  readonly slots: readonly Gate[];
  readonly #options: PoolOptions;
  #current: Generation | undefined;
  /** The current one, and older ones whose last calls still run. */
  readonly #generations = new Set<Generation>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = { ...options, maxThreads: Math.max(options.maxThreads, fewestThreads) };
    this.permits = new Gate(options.permits);
    this.slots = slotsPerDepth(this.#options.maxThreads).map((count) => new Gate(count));
  }

  /** The worker's result. Rejects when the worker is lost or `signal` aborts; then the thread is ended. */
  async run(task: CallTask, port: MessagePort, signal: AbortSignal): Promise<CallResult> {
    if (this.#closed) throw new Error('the worker pool is closed');
    const generation = this.#generation();
    generation.started += 1;
    generation.running += 1;
    try {
      const piscina = await generation.piscina;
      return (await piscina.run(task, { transferList: [port], signal })) as CallResult;
    } finally {
      generation.running -= 1;
      if (generation !== this.#current && generation.running === 0) void this.#end(generation);
    }
  }

  /** Threads alive now; 0 before the first call. */
  async threads(): Promise<number> {
    const pools = await Promise.all([...this.#generations].map(({ piscina }) => piscina));
    return pools.reduce((sum, { threads }) => sum + threads.length, 0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#generations].map((generation) => this.#end(generation)));
  }

  /** The threads a new call runs on. */
  #generation(): Generation {
    const current = this.#current;
    if (current !== undefined && current.started < (this.#options.callsPerGeneration ?? defaultCallsPerGeneration)) {
      return current;
    }
    const next: Generation = { piscina: this.#open(), started: 0, running: 0 };
    this.#current = next;
    this.#generations.add(next);
    if (current !== undefined && current.running === 0) void this.#end(current);
    return next;
  }

  #end(generation: Generation): Promise<void> {
    generation.ended ??= this.#destroy(generation);
    return generation.ended;
  }

  async #destroy(generation: Generation): Promise<void> {
    const piscina = await generation.piscina;
    // The exit of a thread that an abort ended may come after destroy() and would refill the pool to this minimum.
    piscina.options.minThreads = 0;
    await piscina.destroy();
    this.#generations.delete(generation);
  }

  async #open(): Promise<Piscina> {
    // Imported at the first call: it costs more than the rest of a warm start.
    const { Piscina } = await import('piscina');
    const piscina = new Piscina({
      filename: workerFile('call'),
      minThreads: Math.min(this.#options.permits, this.#options.maxThreads),
      maxThreads: this.#options.maxThreads,
      concurrentTasksPerWorker: 1,
      idleTimeout: this.#options.idleTimeoutMs ?? defaultIdleTimeoutMs,
      recordTiming: false,
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb ?? defaultHeapMb },
    });
    // A thread that dies while idle belongs to no call; the pool replaces it. Without a listener the process would end.
    piscina.on('error', () => {});
    return piscina;
  }
}

/**
 * Half of the threads for first calls, a quarter for the calls they make, an eighth for the calls those make. The sum never
 * exceeds `maxThreads`, so a slot is a thread.
 */
export function slotsPerDepth(maxThreads: number): number[] {
  return [2, 4, 8].map((share) => Math.max(1, Math.floor(maxThreads / share)));
}
