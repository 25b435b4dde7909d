/**
 * One guest call from request to outcome: slot, permit, thread, deadline, bridge, classification. Every path ends in exactly
 * one outcome and gives back what it holds. Not the threads (pool.ts) and not the words (failure.ts).
 */
import { setMaxListeners } from 'node:events';
import type { BridgeReply, CallResult } from '../../workers/message.js';
import type { CallFailure, GuestEvent, ToolResult } from '../../workers/protocol.js';
import { reasonOf } from '../errors/index.js';
import { answer } from './answer.js';
import { HostBridge } from './bridge.js';
import type { CompiledComponent, RunnableForm } from './compiled.js';
import { Deadline } from './deadline.js';
import {
  abortedFailure,
  deadlineFailure,
  depthFailure,
  guestFailure,
  initialSizeFailure,
  lostFailure,
} from './failure.js';
import { exportKey, linkError } from './link.js';
import type { WorkerPool } from './pool.js';
import type { CallOutcome, CallReport, CallRequest } from './types.js';

/** A worker that has not begun after this long never will: threads cannot be created, or the machine is beyond use. */
const beginTimeoutMs = 60_000;

const callIsOver = new Error('the call is over');

type End = 'deadline' | 'aborted' | 'not begun' | 'listener threw';

/** A core module that the engine does not compile. */
class UnlinkableError extends Error {}

export class GuestCall {
  readonly #request: CallRequest;
  readonly #component: CompiledComponent;
  readonly #pool: WorkerPool;
  /** Aborts when the call is over for any reason: it ends the thread and everything main does for it. */
  readonly #ending = new AbortController();
  readonly #deadline = new Deadline(() => this.#end('deadline'));
  readonly #bridge: HostBridge;
  #endedBy: End | undefined;
  #listenerError: { readonly error: unknown } | undefined;
  #over = false;
  #holdsPermit = false;
  #startedAt: number | undefined;
  /** Runs until a thread has taken the call; from there the deadline counts. */
  #notBegun: NodeJS.Timeout | undefined;

  constructor(request: CallRequest, component: CompiledComponent, pool: WorkerPool) {
    this.#request = request;
    this.#component = component;
    this.#pool = pool;
    setMaxListeners(0, this.#ending.signal);
    this.#bridge = new HostBridge({
      answer: (op, args) => this.#answer(op, args),
      event: (event) => this.#event(event),
      instantiating: () => {
        if (this.#over) return;
        clearTimeout(this.#notBegun);
        this.#deadline.start(request.limits.deadlineMs);
      },
    });
  }

  /** Stops the call; its outcome is `aborted`. */
  readonly abort = (): void => this.#end('aborted');

  /** The outcome. Rejects only when the caller's own event listener threw: that is a bug, and the call is over. */
  async run(): Promise<CallOutcome> {
    const outcome = await this.#runToEnd();
    if (this.#listenerError !== undefined) throw this.#listenerError.error;
    return outcome;
  }

  async #runToEnd(): Promise<CallOutcome> {
    const { signal } = this.#request;
    if (signal !== undefined) setMaxListeners(0, signal);
    signal?.addEventListener('abort', this.abort, { once: true });
    try {
      if (signal?.aborted) this.abort();
      const refusal = this.#refusal();
      if (refusal !== undefined) return this.#failed(refusal);
      return await this.#runAdmitted();
    } finally {
      signal?.removeEventListener('abort', this.abort);
      this.#finish();
      this.#request.egress.close();
    }
  }

  /** What can be refused without a thread. */
  #refusal(): CallFailure | undefined {
    const { component, kind, name, depth } = this.#request;
    const error = linkError(component, kind, name);
    if (error !== undefined) return { kind: 'link-error', message: error.message };
    if (this.#pool.slots[depth] === undefined) return depthFailure(this.#request, depth, this.#pool.slots.length);
    return initialSizeFailure(this.#request, this.#component.moduleMetas());
  }

  async #runAdmitted(): Promise<CallOutcome> {
    const slot = this.#pool.slots[this.#request.depth]!;
    const signal = this.#ending.signal;
    try {
      await slot.enter(signal);
    } catch {
      return this.#failed(abortedFailure(this.#request));
    }
    try {
      const form = await this.#component.ready().catch((error: unknown) => {
        throw new UnlinkableError(reasonOf(error));
      });
      await this.#pool.permits.enter(signal);
      this.#holdsPermit = true;
      return this.#outcome(await this.#runOnThread(form, signal));
    } catch (error) {
      return this.#failed(this.#lossOf(error));
    } finally {
      this.#finish();
      slot.leave();
    }
  }

  async #runOnThread(form: RunnableForm, signal: AbortSignal): Promise<CallResult> {
    const { component, kind, input, limits, env, preopens } = this.#request;
    this.#notBegun = setTimeout(() => this.#end('not begun'), beginTimeoutMs);
    try {
      return await this.#pool.run(
        {
          key: component.key,
          kind,
          ...form,
          exportKey: exportKey(component, kind),
          input,
          limits,
          env,
          preopens,
          port: this.#bridge.guestPort,
          flags: this.#bridge.flags,
        },
        this.#bridge.guestPort,
        signal,
      );
    } finally {
      clearTimeout(this.#notBegun);
    }
  }

  #outcome(result: CallResult): CallOutcome {
    this.#finish();
    this.#component.keepCodeCache(result);
    const { stdout, stderr, outputTruncated, durationMs } = result;
    const report = { stdout, stderr, outputTruncated, durationMs };
    if (result.failure !== undefined) return this.#failed(guestFailure(this.#request, result.failure), report);
    return { status: 'returned', result: result.result as ToolResult | undefined, ...report };
  }

  #failed(failure: CallFailure, report?: CallReport): CallOutcome {
    const durationMs = this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
    return { status: 'failed', failure, ...(report ?? { stdout: '', stderr: '', outputTruncated: false, durationMs }) };
  }

  /** Why the thread gave no result. Our own decision to end it comes before whatever the pool says about that. */
  #lossOf(error: unknown): CallFailure {
    if (this.#endedBy === 'deadline') return deadlineFailure(this.#request);
    if (this.#endedBy === 'aborted') return abortedFailure(this.#request);
    if (this.#endedBy === 'not begun') {
      return lostFailure(this.#request, `no thread began the call within ${beginTimeoutMs / 1000}s`);
    }
    if (error instanceof UnlinkableError) {
      return guestFailure(this.#request, { kind: 'link-error', reason: error.message });
    }
    return lostFailure(this.#request, reasonOf(error));
  }

  #event(event: GuestEvent): void {
    if (event.type === 'started') {
      // A short call's own start may be among the last messages that are read after its end.
      if (this.#over) return;
      this.#startedAt = performance.now();
      this.#deadline.start(this.#request.limits.deadlineMs);
      return;
    }
    try {
      this.#request.host.event?.(event);
    } catch (error) {
      // Thrown out of a port's listener it would end the process.
      this.#listenerError ??= { error };
      this.#end('listener threw');
    }
  }

  async #answer(op: string, args: unknown): Promise<BridgeReply | undefined> {
    this.#park();
    const waitsForPerson = op === 'task.request-input';
    if (waitsForPerson) this.#deadline.pause();
    const { host, egress, depth } = this.#request;
    const reply = await answer(op, args, { host, egress, nestedDepth: depth + 1, signal: this.#ending.signal });
    if (this.#over) return undefined;
    if (waitsForPerson) this.#deadline.resume();
    return (await this.#unpark()) ? reply : undefined;
  }

  #park(): void {
    if (!this.#holdsPermit) return;
    this.#holdsPermit = false;
    this.#pool.permits.leave();
  }

  /** True when the guest may run on; false when the call ended meanwhile, and then nothing is held. */
  async #unpark(): Promise<boolean> {
    try {
      await this.#pool.permits.enter(this.#ending.signal, 'resumed');
    } catch {
      return false;
    }
    if (this.#over) {
      this.#pool.permits.leave();
      return false;
    }
    this.#holdsPermit = true;
    return true;
  }

  #end(by: End): void {
    if (this.#over || this.#endedBy !== undefined) return;
    this.#endedBy = by;
    this.#ending.abort(new Error(by));
  }

  /** Gives everything back. Idempotent. */
  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#deadline.stop();
    this.#park();
    this.#bridge.close();
    this.#ending.abort(callIsOver);
  }
}
