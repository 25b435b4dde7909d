/**
 * Promises and their turns, for a guest whose host calls all block: QuickJS runs its own promise jobs only after the export has
 * returned, which is too late to answer. `mur build` turns `async` functions into generators over the global `Promise`, which is this
 * one here. Not timers (timers.ts adds them). Source: ECMA-262 27.2, Promises/A+.
 */
type Job = () => void;
const jobs: Job[] = [];

/** Told when nothing is left to do: waits for what comes next, or returns false. */
export const idle: { wait: () => boolean } = { wait: () => false };

/** Set by the first call. Before it the component is being built, and its host has nothing to give. */
export const phase = { isCalled: false };

export function queueMicrotask(job: Job): void {
  jobs.push(job);
}

type State = { kind: 'pending'; waiting: Job[] } | { kind: 'fulfilled' | 'rejected'; value: unknown };
type Settle = (value?: unknown) => void;

function thenOf(value: unknown): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? (value as { then?: unknown }).then : undefined;
}

export class GuestPromise {
  #state: State = { kind: 'pending', waiting: [] };

  constructor(start: (resolve: Settle, reject: Settle) => void) {
    if (typeof start !== 'function') throw new TypeError('a promise needs a function to start with');
    const { resolve, reject } = this.#once();
    try {
      start(resolve, reject);
    } catch (error) {
      reject(error);
    }
  }

  /** The two ends of this promise, of which the first call counts. */
  #once(): { resolve: Settle; reject: Settle } {
    let isCalled = false;
    const first =
      (then: (value: unknown) => void): Settle =>
      (value) => {
        if (isCalled) return;
        isCalled = true;
        then(value);
      };
    return {
      resolve: first((value) => this.#resolve(value)),
      reject: first((reason) => this.#settle('rejected', reason)),
    };
  }

  #resolve(value: unknown): void {
    if (value === this) {
      this.#settle('rejected', new TypeError('a promise cannot wait for itself'));
      return;
    }
    let then: unknown;
    try {
      then = thenOf(value);
    } catch (error) {
      this.#settle('rejected', error);
      return;
    }
    if (typeof then !== 'function') {
      this.#settle('fulfilled', value);
      return;
    }
    jobs.push(() => {
      const { resolve, reject } = this.#once();
      try {
        (then as (a: Settle, b: Settle) => void).call(value, resolve, reject);
      } catch (error) {
        reject(error);
      }
    });
  }

  #settle(kind: 'fulfilled' | 'rejected', value: unknown): void {
    if (this.#state.kind !== 'pending') return;
    const { waiting } = this.#state;
    this.#state = { kind, value };
    jobs.push(...waiting);
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise
  then(fulfilled?: unknown, rejected?: unknown): GuestPromise {
    return new GuestPromise((resolve, reject) => {
      const react = () => {
        const state = this.#state as Exclude<State, { kind: 'pending' }>;
        const handler = state.kind === 'fulfilled' ? fulfilled : rejected;
        if (typeof handler !== 'function')
          return state.kind === 'fulfilled' ? resolve(state.value) : reject(state.value);
        try {
          resolve(handler(state.value));
        } catch (error) {
          reject(error);
        }
      };
      if (this.#state.kind === 'pending') this.#state.waiting.push(react);
      else jobs.push(react);
    });
  }

  catch(rejected?: unknown): GuestPromise {
    return this.then(undefined, rejected);
  }

  finally(done?: unknown): GuestPromise {
    if (typeof done !== 'function') return this.then();
    const after = () => GuestPromise.resolve(done());
    return this.then(
      (value: unknown) => after().then(() => value),
      (reason: unknown) =>
        after().then(() => {
          throw reason;
        }),
    );
  }

  get [Symbol.toStringTag](): string {
    return 'Promise';
  }

  static resolve(value?: unknown): GuestPromise {
    return value instanceof GuestPromise ? value : new GuestPromise((resolve) => resolve(value));
  }

  static reject(reason?: unknown): GuestPromise {
    return new GuestPromise((_resolve, reject) => reject(reason));
  }

  static withResolvers(): { promise: GuestPromise; resolve: Settle; reject: Settle } {
    let ends: { resolve: Settle; reject: Settle } | undefined;
    const promise = new GuestPromise((resolve, reject) => {
      ends = { resolve, reject };
    });
    return { promise, ...(ends as unknown as { resolve: Settle; reject: Settle }) };
  }

  static race(values: Iterable<unknown>): GuestPromise {
    return new GuestPromise((resolve, reject) => {
      for (const value of values) GuestPromise.resolve(value).then(resolve, reject);
    });
  }

  static all(values: Iterable<unknown>): GuestPromise {
    return gather(values, (promise, keep, _settle, reject) => promise.then(keep, reject));
  }

  static allSettled(values: Iterable<unknown>): GuestPromise {
    return gather(values, (promise, keep) =>
      promise.then(
        (value: unknown) => keep({ status: 'fulfilled', value }),
        (reason: unknown) => keep({ status: 'rejected', reason }),
      ),
    );
  }

  static any(values: Iterable<unknown>): GuestPromise {
    return gather(values, (promise, keep, settle) => promise.then(settle, keep)).then((all: unknown) => {
      if (all instanceof First) return all.value;
      throw new AggregateError(all as unknown[], 'all promises were rejected');
    });
  }
}

class First {
  constructor(readonly value: unknown) {}
}

type Watch = (promise: GuestPromise, keep: Settle, settle: Settle, reject: Settle) => void;

/** A promise of what `watch` keeps for each value, in their order; `settle` ends it with the first. */
function gather(values: Iterable<unknown>, watch: Watch): GuestPromise {
  return new GuestPromise((resolve, reject) => {
    const kept: unknown[] = [];
    let missing = 1;
    const finish = () => {
      missing--;
      if (missing === 0) resolve(kept);
    };
    let index = 0;
    for (const value of values) {
      const place = index++;
      missing++;
      const keep: Settle = (result) => {
        kept[place] = result;
        finish();
      };
      watch(GuestPromise.resolve(value), keep, (first) => resolve(new First(first)), reject);
    }
    finish();
  });
}

/** What `start` returns or its promise settles with. Runs everything that is due meanwhile. */
export function settle<T>(start: () => T | PromiseLike<T>): T {
  phase.isCalled = true;
  const ended: { value?: T; error?: unknown; isDone?: true; isFailed?: true } = {};
  new GuestPromise((resolve) => resolve(start())).then(
    (value: T) => Object.assign(ended, { value, isDone: true }),
    (error: unknown) => Object.assign(ended, { error, isDone: true, isFailed: true }),
  );
  while (ended.isDone !== true) {
    const job = jobs.shift();
    if (job !== undefined) job();
    else if (!idle.wait()) throw new Error('it awaits a promise that nothing will ever settle');
  }
  if (ended.isFailed === true) throw ended.error;
  return ended.value as T;
}

Object.assign(globalThis, { Promise: GuestPromise, queueMicrotask });
