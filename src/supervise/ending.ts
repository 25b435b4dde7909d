/**
 * How a launch is brought to its end in time: what asks it to stop, how the time is shared out, and what is still done for a
 * session that was given up. Not who decides: machines/murmur and machines/session.
 */
import { countdown, type SessionWorld } from '../effects/index.js';

/** Longest a launch may take to end once it was asked to, given up or not (spec/session.md 12). */
const defaultEndWithinMs = 20_000;

/** How the time to end is shared out. Each step leaves the next one enough, so that limits never add up past the whole. */
export interface EndLimits {
  /** Of `draining`, which ends by itself then. */
  readonly drainMs: number;
  /** Of a release after the chart has ended. */
  readonly disposeMs: number;
  /** When the root gives the sessions up. */
  readonly forceAfterMs: number;
  /** Of what a launch still does once it was given up. */
  readonly giveUpMs: number;
}

/** The shares of `endWithinMs`. */
export function limitsOf(endWithinMs: number = defaultEndWithinMs): EndLimits {
  const giveUpMs = endWithinMs / 20;
  const forceAfterMs = endWithinMs - giveUpMs;
  return { giveUpMs, forceAfterMs, drainMs: endWithinMs * 0.7, disposeMs: endWithinMs * 0.2 };
}

/**
 * For a session that was given up: its lines reach the disk, and what it still holds is asked to let go. Nothing is left to do
 * after any other end.
 */
export async function releaseRest({ draft, trace, recorder }: SessionWorld, withinMs: number): Promise<void> {
  const enough = new AbortController();
  const flushed = Promise.allSettled([trace?.flush(), recorder.flush()]);
  const late = draft.clock.sleep(withinMs / 2, enough.signal).catch(() => undefined);
  await Promise.race([flushed, late]);
  enough.abort();
  await draft.scope.close('given up', { deadlineMs: withinMs / 2 });
}

/** Calls `reached` once the deadline of the launch is, unless the session ended before. */
export function armDeadline({ draft }: SessionWorld, reached: () => void): void {
  const { request, clock, scope } = draft;
  if (request.deadlineMs !== undefined) scope.use('deadline', countdown(clock, request.deadlineMs, reached));
}

/** Calls `aborted` when the signal of an embedding program aborts, or did so before. */
export function armAbort({ draft }: SessionWorld, signal: AbortSignal | undefined, aborted: () => void): void {
  if (signal?.aborted) aborted();
  signal?.addEventListener('abort', aborted, { once: true });
  // The signal may outlive many launches.
  draft.scope.use('abort listener', () => signal?.removeEventListener('abort', aborted));
}
