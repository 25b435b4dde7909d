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
  /** Called while somebody watches: reports trace lines, messages and notices from now on. Returns its end. */
  follow?(report: (body: FrameBody) => void): Following;
}

export interface Following {
  /** What was there before it began, or, for a later client, up to now; each with `past`. Reads lazily. */
  past(): AsyncIterable<FrameBody>;
  /** Reports what is there already, at once: the last chance before the session ends. */
  flush(): void;
  stop(): void;
}
