/** Data of the stop chart. Plain JSON: the record, with its tokens, stays with the effects. */
import type { Fault } from '../effect.js';
import type { Reading } from '../liveness/types.js';

export interface StopInput {
  readonly sessionId: string;
  readonly pid: number;
  /** What the process gets between SIGTERM and SIGKILL. 0 looks once and goes on. */
  readonly graceMs: number;
  /** Longest the whole may take: asking, the trace, the grace, the wait after SIGKILL, and some slack. */
  readonly limitMs: number;
}

/** Which means delivered a signal: one that cannot hit another process, or the plain call right after a reading. */
export type SignalVia = 'pidfd' | 'kill';

/** Something that still ran when the session was asked to stop (spec/door.md section 14), as the door said it. */
export type ResidueItem = Readonly<Record<string, unknown>>;

/** What the door answered to `session/stop`, or why it could not be asked. */
export type Asked =
  | { readonly ok: true; readonly canceled: readonly string[]; readonly residue: readonly ResidueItem[] }
  | { readonly ok: false; readonly reason: string };

export interface Settled {
  /** Canceled tasks whose ending the trace does not record. */
  readonly unended: readonly string[];
}

/** What became of one signal (spec/liveness.md 6.1). */
export type SignalOutcome =
  | { readonly outcome: 'Sent'; readonly via: SignalVia }
  | { readonly outcome: 'AlreadyGone' }
  | { readonly outcome: 'Refused'; readonly reason: string };

export type StopSignal = 'SIGTERM' | 'SIGKILL';

export interface StopContext extends StopInput {
  readonly asked: Asked | null;
  readonly unended: readonly string[];
  /** The last signal that reached the process; `null` when none did. */
  readonly signal: StopSignal | null;
  readonly via: SignalVia | null;
  readonly fault: Fault | null;
}

export interface StopOutput {
  readonly sessionId: string;
  readonly asked: Asked | null;
  readonly unended: readonly string[];
  /** The signal that ended it; `null` when it ended by itself first. */
  readonly signal: StopSignal | null;
  readonly via: SignalVia | null;
  /** Why it could not be ended. `null` when it is gone. */
  readonly fault: Fault | null;
}

/** The process is gone, and read to be: not merely said to be. */
export type StopEvent = { readonly type: 'exit.noticed' };

export type StopReading = Pick<Reading, 'verdict' | 'reason'>;
