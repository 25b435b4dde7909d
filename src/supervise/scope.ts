/**
 * A resource scope: everything a session, task or call opened, released in one place, last in first out. Outside xstate, because
 * stopping an actor waits for nothing and loses the errors of its clean-up. Not a supervisor: it restarts nothing.
 *
 * `close` never hangs: each disposer has a deadline, and one budget can cap them all. Read next: supervisor.ts (`onDispose`).
 *
 * Does not stop: a disposer that blocks the thread, or one that goes on working after its deadline.
 */
import { MurError, reasonOf } from '../errors/index.js';
import { type Clock, systemClock } from './clock.js';

/** Releases one resource. `reason` is what the scope was closed with. */
export type Dispose = (reason: unknown) => unknown;

/** Releases one resource ahead of its scope. Rejects with what its disposer threw. Later calls return the same promise. */
export type Release = (reason?: unknown) => Promise<void>;

export interface ScopeReport {
  readonly scope: string;
  readonly reason: unknown;
  /** In order of release. Resources of a child scope are named `child/resource`. */
  readonly released: readonly string[];
  /** Did not finish by their deadline. They may still be at work. */
  readonly late: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
}

const defaultDeadlineMs = 5_000;
/** Node fires a timer with a longer delay at once. */
const longestTimerMs = 2 ** 31 - 1;
/** Why a wait ends before its disposer's own deadline. */
const givenUp = Symbol('given up');

interface Entry {
  readonly name: string;
  readonly deadlineMs: number;
  readonly dispose: Dispose;
  /** Set for a child scope, whose report becomes part of ours. */
  readonly scope?: ResourceScope;
  outcome?: Promise<Outcome>;
}

type Outcome = { readonly is: 'released' | 'late' } | { readonly is: 'failed'; readonly error: unknown };

interface ScopeOptions {
  readonly clock?: Clock;
}

export class ResourceScope {
  readonly name: string;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  /** The youngest last. */
  readonly #entries: Entry[] = [];
  readonly #released: string[] = [];
  readonly #late: string[] = [];
  readonly #failed: { name: string; error: unknown }[] = [];
  /** The waits for a disposer that run now; aborting one gives its disposer up. */
  readonly #waits = new Set<AbortController>();
  #closing: Promise<ScopeReport> | undefined;
  /** Monotonic moment after which a close waits for nothing more. */
  #endsAt = Number.POSITIVE_INFINITY;
  /** The countdown to `#endsAt`, once a second `close` moved it. */
  #countdown = new AbortController();
  #closed = false;
  #parent: ResourceScope | undefined;

  constructor(name: string, options: ScopeOptions = {}) {
    this.name = name;
    this.#clock = options.clock ?? systemClock;
  }

  /** Aborts, with the reason of `close`, before the first resource is released. Child scopes abort with their parent. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** How many resources and open child scopes are held. */
  get size(): number {
    return this.#entries.length;
  }

  /**
   * Holds a resource until `close` or the returned release.
   *
   * On a scope that is closing or closed the resource is released all the same and E-SUP-904 is thrown, so what was opened
   * meanwhile neither leaks nor is used. `deadlineMs` must be finite: an endless release is how programs hang on exit.
   */
  use(name: string, dispose: Dispose, options: { readonly deadlineMs?: number } = {}): Release {
    const deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
    if (!Number.isFinite(deadlineMs) || deadlineMs < 0) {
      throw new RangeError(`deadlineMs of ${name} is ${deadlineMs}; expected a finite number from 0`);
    }
    const entry: Entry = { name, dispose, deadlineMs };
    this.#hold(entry);
    return async (reason) => {
      this.#drop(entry);
      const outcome = await this.#release(entry, reason, deadlineMs);
      if (outcome.is === 'failed') throw outcome.error;
    };
  }

  /** A scope that closes with this one, at its place in the order. Once closed alone, it is no longer part of this one. */
  child(name: string): ResourceScope {
    const scope = new ResourceScope(name, { clock: this.#clock });
    scope.#parent = this;
    this.#hold({ name, scope, deadlineMs: Number.POSITIVE_INFINITY, dispose: () => undefined });
    return scope;
  }

  /**
   * Releases everything and reports it. Never rejects. Every call returns the promise of the first.
   *
   * `deadlineMs` caps the whole: when it is used up, the rest is still asked to release, but not waited for. A later call can
   * only shorten it.
   */
  close(reason?: unknown, options: { readonly deadlineMs?: number } = {}): Promise<ScopeReport> {
    const deadlineMs = options.deadlineMs ?? Number.POSITIVE_INFINITY;
    if (this.#closing !== undefined) this.#shorten(deadlineMs);
    else {
      // Set first: an abort listener may call back into this method.
      let settle: (report: ScopeReport) => void = () => undefined;
      this.#closing = new Promise((resolve) => {
        settle = resolve;
      });
      this.#endsAt = this.#clock.monotonic() + deadlineMs;
      this.#abortTree(reason);
      void this.#releaseAll(reason).then(settle);
    }
    return this.#closing;
  }

  /** Moves the end of a close that runs. What is waited for then is given up, here and in child scopes that close. */
  #shorten(deadlineMs: number): void {
    const endsAt = this.#clock.monotonic() + deadlineMs;
    if (endsAt >= this.#endsAt || this.#closed) return;
    this.#endsAt = endsAt;
    for (const { scope } of this.#entries)
      if (scope !== undefined && scope.#closing !== undefined) scope.#shorten(deadlineMs);
    this.#countdown.abort();
    this.#countdown = new AbortController();
    this.#clock.sleep(deadlineMs, this.#countdown.signal).then(
      () => {
        for (const wait of this.#waits) wait.abort(givenUp);
      },
      () => undefined, // the close was done sooner, or its end moved again
    );
  }

  async #releaseAll(reason: unknown): Promise<ScopeReport> {
    for (let entry = this.#entries.at(-1); entry !== undefined; entry = this.#entries.at(-1)) {
      const leftMs = Math.max(0, this.#endsAt - this.#clock.monotonic());
      if (entry.scope === undefined) await this.#release(entry, reason, leftMs);
      else await this.#closeChild(entry.name, entry.scope, reason, leftMs);
      this.#drop(entry);
    }
    this.#closed = true;
    this.#countdown.abort();
    if (this.#parent !== undefined) this.#parent.#dropChild(this);
    return { scope: this.name, reason, released: this.#released, late: this.#late, failed: this.#failed };
  }

  #hold(entry: Entry): void {
    const open = !this.signal.aborted;
    if (open || !this.#closed)
      this.#entries.push(entry); // while closing, the loop above comes to it
    else void this.#release(entry, this.signal.reason, entry.deadlineMs);
    if (open) return;
    throw new MurError('E-SUP-904', `scope ${this.name} is closed; ${entry.name} is released at once`, {
      hint: 'check scope.signal before opening something',
    });
  }

  #drop(entry: Entry): void {
    const index = this.#entries.lastIndexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
  }

  #dropChild(scope: ResourceScope): void {
    const entry = this.#entries.findLast((candidate) => candidate.scope === scope);
    // While this scope closes, its loop still has to adopt the report.
    if (entry !== undefined && !this.signal.aborted) this.#drop(entry);
  }

  /** Runs a disposer once, up to its deadline, and files the outcome. Never rejects. */
  #release(entry: Entry, reason: unknown, leftMs: number): Promise<Outcome> {
    entry.outcome ??= this.#run(entry, reason, Math.min(entry.deadlineMs, leftMs)).then((outcome) => {
      if (outcome.is === 'released') this.#released.push(entry.name);
      else if (outcome.is === 'failed') this.#failed.push({ name: entry.name, error: outcome.error });
      else this.#late.push(entry.name);
      return outcome;
    });
    return entry.outcome;
  }

  async #run(entry: Entry, reason: unknown, deadlineMs: number): Promise<Outcome> {
    const timer = new AbortController();
    // A failure after the deadline settles a race that is over: the resource is already listed as late.
    const work = (async () => entry.dispose(reason))().then(
      (): Outcome => ({ is: 'released' }),
      (error: unknown): Outcome => ({ is: 'failed', error }),
    );
    const isLate: Outcome = { is: 'late' };
    const late = this.#clock.sleep(Math.min(deadlineMs, longestTimerMs), timer.signal).then(
      (): Outcome => isLate,
      (): Outcome | Promise<Outcome> => (timer.signal.reason === givenUp ? isLate : work),
    );
    // A child scope has an end of its own, which moved with ours.
    if (entry.scope === undefined) this.#waits.add(timer);
    const outcome = await Promise.race([work, late]);
    this.#waits.delete(timer);
    timer.abort();
    return outcome;
  }

  async #closeChild(name: string, scope: ResourceScope, reason: unknown, leftMs: number): Promise<void> {
    // One that already closes by itself does so within a budget of its own, which ours caps.
    const capMs = scope.#closing === undefined ? Number.POSITIVE_INFINITY : leftMs;
    const closing = scope.close(reason, { deadlineMs: leftMs });
    const outcome = await this.#run({ name, scope, dispose: () => closing, deadlineMs: capMs }, reason, capMs);
    if (outcome.is === 'late') this.#late.push(name);
    else this.#adopt(name, await closing);
  }

  #adopt(name: string, report: ScopeReport): void {
    this.#released.push(...report.released.map((resource) => `${name}/${resource}`));
    this.#late.push(...report.late.map((resource) => `${name}/${resource}`));
    this.#failed.push(...report.failed.map(({ name: resource, error }) => ({ name: `${name}/${resource}`, error })));
  }

  #abortTree(reason: unknown): void {
    this.#abort.abort(reason);
    for (const { scope } of this.#entries) if (scope !== undefined) scope.#abortTree(reason);
  }
}

/** One line per thing a close did not release cleanly; empty when all went well. */
export function scopeFaults(report: ScopeReport): string[] {
  return [
    ...report.late.map((name) => `${report.scope}: ${name} did not release in time`),
    ...report.failed.map(({ name, error }) => `${report.scope}: ${name} failed to release: ${reasonOf(error)}`),
  ];
}
