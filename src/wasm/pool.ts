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

export interface PoolOptions {
  readonly permits: number;
  readonly maxThreads: number;
  /** JavaScript heap of one thread. A backstop: it covers neither guest memory nor long strings (workers/lift.ts). Default 256. */
  readonly heapMb?: number;
  /** How long a thread above the minimum of `permits` threads may be idle. Default 10 s. */
  readonly idleTimeoutMs?: number;
}

export class WorkerPool {
  readonly permits: Gate;
  /** One gate per nesting depth. */
  readonly slots: readonly Gate[];
  readonly #options: PoolOptions;
  #piscina: Promise<Piscina> | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = { ...options, maxThreads: Math.max(options.maxThreads, fewestThreads) };
    this.permits = new Gate(options.permits);
    this.slots = slotsPerDepth(this.#options.maxThreads).map((count) => new Gate(count));
  }

  /** The worker's result. Rejects when the worker is lost or `signal` aborts; then the thread is ended. */
  async run(task: CallTask, port: MessagePort, signal: AbortSignal): Promise<CallResult> {
    if (this.#closed) throw new Error('the worker pool is closed');
    this.#piscina ??= this.#open();
    const piscina = await this.#piscina;
    return (await piscina.run(task, { transferList: [port], signal })) as CallResult;
  }

  /** Threads alive now; 0 before the first call. */
  async threads(): Promise<number> {
    return this.#piscina === undefined ? 0 : (await this.#piscina).threads.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#piscina === undefined) return;
    const piscina = await this.#piscina;
    // The exit of a thread that an abort ended may come after destroy() and would refill the pool to this minimum.
    piscina.options.minThreads = 0;
    await piscina.destroy();
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
