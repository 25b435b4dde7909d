/**
 * Runs the transpile task on threads of its own that end soon after. Not the cache. Main never imports the transpiler: it
 * costs half a second and tens of megabytes, and a warm start needs none of it.
 */
import type { Piscina } from 'piscina';
import type { TranspileResult, TranspileTask } from '../../workers/message.js';
import { MurError, reasonOf } from '../errors/index.js';
import type { CompiledForm } from './cache.js';
import { workerFile } from './worker-file.js';

/** A component of a few megabytes takes one second; this bounds a hostile one. */
const budgetMs = 120_000;
const idleTimeoutMs = 1_000;
const heapMb = 2048;

export class Compiler {
  #piscina: Promise<Piscina> | undefined;
  readonly #closing = new AbortController();

  /** The compiled form of `bytes`. Rejects with `E-RUN-001` naming the artifact and the reason. */
  async compile(name: string, bytes: Uint8Array): Promise<CompiledForm> {
    this.#piscina ??= this.#open();
    const piscina = await this.#piscina;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(budgetMs)]);
    let result: TranspileResult;
    try {
      result = (await piscina.run({ bytes } satisfies TranspileTask, { signal })) as TranspileResult;
    } catch (error) {
      const reason =
        signal.aborted && !this.#closing.signal.aborted ? `not done after ${budgetMs / 1000}s` : reasonOf(error);
      throw new MurError('E-RUN-001', `artifact "${name}" could not be compiled: ${reason}`, { cause: error });
    }
    if (result.status === 'built') return result;
    throw new MurError('E-RUN-001', `artifact "${name}" could not be compiled: ${result.reason}`);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the host is closing'));
    if (this.#piscina === undefined) return;
    const piscina = await this.#piscina;
    await piscina.destroy();
  }

  async #open(): Promise<Piscina> {
    const { Piscina } = await import('piscina');
    const piscina = new Piscina({
      filename: workerFile('transpile'),
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: idleTimeoutMs,
      recordTiming: false,
      // The task is asynchronous, which the other modes do not allow.
      atomics: 'disabled',
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    piscina.on('error', () => {});
    return piscina;
  }
}
