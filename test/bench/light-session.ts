/**
 * The real session chart with effects that answer at once and touch nothing: what a session costs by itself. Not a benchmark.
 */
import { fromPromise } from 'xstate';
import {
  type CloseInput,
  type MintOutcome,
  type OpenOutcome,
  type SessionEvent,
  type SessionInput,
  type StepOutcome,
  type StopCause,
  sessionMachine,
  type TaskRef,
} from '../../machines/session/machine.js';
import { type ChildSpec, childSpec } from '../../src/supervise/index.js';

const done = fromPromise<StepOutcome, null>(async () => ({ ok: true }));
const stop: SessionEvent = { type: 'stop.requested', cause: 'session_stopped' };

/** Stages, opens and waits for messages, for as long as nobody stops it. */
export const lightSession = sessionMachine.provide({
  actors: {
    validate: done,
    probe: done,
    contain: done,
    resolve: done,
    check: done,
    compile: done,
    write: done,
    mint: fromPromise<MintOutcome, null>(async () => ({ ok: true, sessionId: 'ses_light' })),
    open: fromPromise<OpenOutcome, null>(async () => ({ ok: true, url: 'localhost:1', launchTask: null })),
    refuse: fromPromise<null, { pending: readonly TaskRef[]; stopCause: StopCause | null }>(async () => null),
    close: fromPromise<null, CloseInput>(async () => null),
    retire: fromPromise<null, null>(async () => null),
  },
});

const input: SessionInput = {
  capsuleName: 'light',
  capsuleVersion: '0.1.0',
  kind: 'agent',
  hasTask: false,
  acceptance: 'queue',
  afterTask: 'sleep',
  maxTurns: 10,
  idleTimeoutMs: 30_000,
  drainLimitMs: 14_000,
};

export function lightSpec(id: string): ChildSpec {
  return childSpec({
    id,
    src: lightSession,
    input,
    restart: 'temporary',
    shutdown: 20_000,
    drainEvent: stop,
  });
}

/** True once the session waits for its first message. */
export function isIdle(snapshot: unknown): boolean {
  return JSON.stringify((snapshot as { value?: unknown }).value) === '{"running":{"serving":"waiting"}}';
}
