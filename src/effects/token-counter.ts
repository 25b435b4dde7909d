import { Worker } from 'node:worker_threads';
import { estimateTokens } from '../../workers/occupancy.js';
import { workerFile } from '../wasm/worker-file.js';

const heapMb = 512;

/**
 * Counts tokens beside the session instead of in it: loading the vocabulary takes half a second of one processor, for which a door
 * would answer nobody (spec/door.md 1: it never waits on the agent loop). Counters of one process share one thread, which starts with
 * the first text and ends with the last counter.
 */
export class TokenCounter {
  static #open = 0;
  static #thread: CountingThread | undefined;
  #isClosed = false;

  constructor() {
    TokenCounter.#open += 1;
  }

  /**
   * The number of tokens in `text` (workers/occupancy.ts). Never rejects: where no thread can count, and from `close` on, it is the
   * estimate.
   */
  async count(text: string): Promise<number> {
    if (this.#isClosed) return estimateTokens(text);
    if (TokenCounter.#thread?.isOver !== false) TokenCounter.#thread = new CountingThread();
    return TokenCounter.#thread.count(text);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    TokenCounter.#open -= 1;
    if (TokenCounter.#open > 0) return;
    const thread = TokenCounter.#thread;
    TokenCounter.#thread = undefined;
    await thread?.end();
  }
}

class CountingThread {
  readonly #worker = new Worker(new URL(workerFile('tokens')), {
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  /** Texts not yet counted, in the order they were sent. */
  readonly #waiting: { readonly text: string; tell(count: number): void }[] = [];
  #isOver = false;

  constructor() {
    this.#worker.on('message', (count: number) => this.#waiting.shift()?.tell(count));
    // What the error was changes nothing: the exit follows.
    this.#worker.on('error', () => undefined);
    this.#worker.on('exit', () => this.#give());
    this.#worker.unref();
  }

  /** It ended, or could not start. */
  get isOver(): boolean {
    return this.#isOver;
  }

  count(text: string): Promise<number> {
    return new Promise((tell) => {
      this.#waiting.push({ text, tell });
      this.#worker.postMessage(text);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #give(): void {
    this.#isOver = true;
    for (const { text, tell } of this.#waiting.splice(0)) tell(estimateTokens(text));
  }
}
