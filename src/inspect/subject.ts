import type { AnyActorRef } from 'xstate';
import type { FrameBody } from './item.js';
import type { TextRedactor } from './redact.js';

/** A session as the hub sees it: its actors, and what else there is to tell about it. */
export interface Subject {
  /** Session id. */
  readonly sys: string;
  /** The root of its actor system, started. */
  readonly root: AnyActorRef;
  /** The `session` frame as of now. Must not throw. */
  describe(): FrameBody & { readonly type: 'session' };
  /** Replaces every secret this session holds right now. */
  readonly redactText: TextRedactor;
  /** Place in the event log of an event an actor got, once it is written. */
  placeOf?(ref: AnyActorRef, event: object): number | undefined;
  /** Called while somebody watches: reports trace lines, messages and notices from now on. Returns its end. */
  follow?(report: (body: FrameBody) => void): Following;
}

export interface Following {
  /**
   * What was there up to now; each with `past`. Reads lazily. `isAgain`: for a client that has heard it and lost some since: only what
   * has a key by which it knows a repeat.
   */
  past(isAgain: boolean): AsyncIterable<FrameBody>;
  /** Reports what is there already, at once: the last chance before the session ends. */
  flush(): void;
  stop(): void;
}
