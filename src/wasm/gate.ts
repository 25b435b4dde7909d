/**
 * A counted gate: at most `capacity` holders. Waiters pass in order, resumed ones before new ones, because a parked guest
 * holds memory and a thread while a new one holds nothing. Not a lock with an owner: whoever passed must `leave` once.
 */
export class Gate {
  readonly #fresh: Waiter[] = [];
  readonly #resumed: Waiter[] = [];
  readonly capacity: number;
  #free: number;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#free = capacity;
  }

  get free(): number {
    return this.#free;
  }

  /** Resolves when the caller holds a place. Rejects with the abort reason, holding none, when `signal` aborts first. */
  enter(signal: AbortSignal, order: 'fresh' | 'resumed' = 'fresh'): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    const line = order === 'fresh' ? this.#fresh : this.#resumed;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        line.splice(line.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const waiter: Waiter = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      line.push(waiter);
    });
  }

  leave(): void {
    const next = this.#resumed.shift() ?? this.#fresh.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

type Waiter = () => void;
