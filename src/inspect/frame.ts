/**
 * The frames of `mur.inspect.v1`: everything a watcher of a session can receive. Types only, so that the page (src/inspect/page)
 * compiles against the same file as the hub. A websocket message is a JSON array of frames, in order.
 *
 * The protocol is read-only: a client sends nothing. Sources are a live session (hub.ts), the records of one (records.ts), or
 * `mur inspect`, which merges many into one stream. All of them speak exactly this.
 *
 * Order on a new connection: `hello`, alone in its message; then per session its `session`, every `def` before the first `actor`
 * that names it, the live `actor`s, parents first; then its past (`past: true` on `note`, `trace`, `message`, `ev`, `snap`, `actor`, `gone`); then
 * `synced`. The past ends where the present began for this client, so a late one misses nothing: what every machine did is told from
 * the event log, in `actor`, `ev`, `snap` and `gone` of the past; of effects, which the log does not have, only those that still run. Of
 * a session whose event log is over 16 MiB the past of its machines begins at a keyframe, with the actors that were there, and a `note`
 * says so.
 *
 * Frames of the present may come in between, so a timeline sorts by `at`, then `q`, and drops repeats of a key: `trace` by
 * `line.event_id`, `message` by `message.id`. A `synced` can come again with `again: true` (see there): then what has such a key was
 * told again, and what has none was lost.
 *
 * Everything that came from a session is redacted and capped before it is in a frame (redact.ts) and is still untrusted: names,
 * texts and values may hold markup and control characters. Show them as text.
 *
 * Read next: redact.ts (what never gets in), hub.ts (when frames are sent and when they are dropped).
 */
import type { Chart } from '../diagram/chart.js';
import type { ChartLayout } from '../diagram/geometry.js';
import type { SessionNotice } from '../supervise/notice.js';

/** The websocket subprotocol. A client may offer `bearer.<token>` beside it. */
export const PROTOCOL = 'mur.inspect.v1';

/** On every frame. */
interface Numbered {
  /** Rises within one connection and `sys`. Not dense: what was coalesced or dropped leaves gaps. */
  readonly q: number;
}

/** On every frame that belongs to one session. */
interface OfSession extends Numbered {
  /** The session id (`ses_…`), or `staging` for a session that has none yet. */
  readonly sys: string;
}

/** On every frame that tells of a moment. */
interface Dated extends OfSession {
  /** Unix milliseconds, by the session's clock. */
  readonly at: number;
  /** It happened before this client came: history, read from the records. Never counts as "just now". */
  readonly past?: true;
  /** Characters the size caps left out of this frame; absent when it is whole. */
  readonly cut?: number;
}

/** First on every connection. */
export interface HelloFrame extends Numbered {
  readonly type: 'hello';
  readonly v: 1;
  /** A session id, or `*` for a stream that merges sessions. */
  readonly scope: string;
  /** Unix milliseconds of the sender. */
  readonly now: number;
  /** Version of mur that sends. */
  readonly mur: string;
}

/** The verdict on a session, with what it rests on. Words verbatim from spec/liveness.md. */
export interface LivenessView {
  /** `Live`: its door answered as itself. `Unreachable`: process there, door not. `Unverified`: could not be read. `Gone`: ended. */
  readonly verdict: 'Live' | 'Alive' | 'Unreachable' | 'Unverified' | 'Gone';
  /** Why it is not `Live`. */
  readonly reason: string | null;
  /** One line per thing that was read, such as `pid 4242 is there`, `start token matches`. */
  readonly evidence: readonly string[];
  /** When it was read. */
  readonly at: number;
}

export interface EndedView {
  /** The word of `status:`: `ok`, `failed`, `canceled`, ...; `unknown` when the trace stops without `session_end`. */
  readonly status: string;
  readonly at: number;
  readonly fault: FaultView | null;
}

export interface FaultView {
  /** Row of the error table, such as `E-RUN-040`. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Who and what one session is. Sent whole again when any of it changes: the newest one counts. */
export interface SessionFrame extends OfSession {
  readonly type: 'session';
  readonly at: number;
  readonly capsule: { readonly name: string; readonly version: string };
  readonly kind: 'agent' | 'script' | 'unknown';
  /** `live`: frames come from the session itself. `following`: from its records, which still grow. `records`: it is over. */
  readonly source: 'live' | 'following' | 'records';
  /** Why `source` is not what one would hope for (`it was started without --inspect`); null when there is nothing to say. */
  readonly sourceNote: string | null;
  /** `localhost:<port>` of the door; null when there is none (any more). */
  readonly url: string | null;
  readonly pid: number | null;
  readonly startedAt: number | null;
  /** Folders on this machine, for people to open. */
  readonly recordsDir: string | null;
  readonly workdir: string | null;
  /** Model the manifest asks for, and the driver that talks to it; null for a script capsule. */
  readonly model: string | null;
  readonly driver: string | null;
  readonly maxTurns: number | null;
  readonly tools: readonly string[];
  /** What was asked for, what this host gave, and why not more. Null before the step that decides it. */
  readonly containment: {
    readonly declared: string;
    readonly achieved: string;
    readonly reason: string | null;
  } | null;
  /** What `session_start.effective_grants` of the trace grants at all, redacted: network, env names, limits, ... Null before it is known. */
  readonly grants: Readonly<Record<string, unknown>> | null;
  /** Gateways by artifact: host and where the credential came from, never the credential. */
  readonly gateways: readonly { readonly artifact: string; readonly host: string; readonly credentialSource: string }[];
  readonly liveness: LivenessView;
  /** Null while the session runs, as far as this source knows. */
  readonly ended: EndedView | null;
}

/** A chart, sent once per connection before the first actor that runs it. */
export interface DefFrame extends Numbered {
  readonly type: 'def';
  /** Hash of `chart`: what `actor.def` names. The same chart has the same key in every session. */
  readonly key: string;
  /** Machine id: `session`, `task`, `turn`, `tool-call`, ... Root of every state id in it. */
  readonly id: string;
  /** States and edges; edge ids are what `snap.tr` names (src/diagram/chart.ts). */
  readonly chart: Chart;
  /** Positions of a drawing (diagrams/<id>.layout.json, for `renderSvg`); null when none is stored for exactly this chart. */
  readonly layout: ChartLayout | null;
}

/** What is shown of an actor's snapshot. Of the keys, `s` is always there. */
export interface SnapshotView {
  /** Status. */
  readonly s: 'active' | 'done' | 'error' | 'stopped';
  /** State value of a chart: `"idle"` or `{running: {...}}`; for `activeIds(id, v)` of src/diagram. */
  readonly v?: string | Readonly<Record<string, unknown>>;
  /** Context, through the allow-list of its chart (`view` in machines/index.ts). */
  readonly c?: unknown;
  /** Output of an actor that is done. */
  readonly o?: unknown;
  /** Error of an actor that failed. */
  readonly e?: unknown;
}

/**
 * An actor exists. Without `snap.v`, the state of one with a chart follows in a `snap`. Its `id` is a path that means the same live and in a replay:
 * `session`, `session/task:tsk_…`, `session/task:tsk_…/turn:0`, `…/turn:0/tool-call:1`, `session/command:cmd_1`, and effects below them
 * such as `…/turn:0/infer`. Repeats for an `id` replace (a resync sends all again).
 */
export interface ActorFrame extends Dated {
  readonly type: 'actor';
  readonly id: string;
  /** Last part of the path without the instance: `task`, `turn`, `tool-call`, `infer`. Lanes group by it. */
  readonly name: string;
  /** Absent for the root. */
  readonly parent?: string;
  /** Key of its `def`; absent for an effect, which has no chart. */
  readonly def?: string;
  readonly snap: SnapshotView;
}

/** An event was delivered to an actor. Not sent for effects' internal traffic of non-chart actors. */
export interface EventFrame extends Dated {
  readonly type: 'ev';
  /** Sender; absent for an event from outside the actor system. Equal to `to` for timers and raised events. */
  readonly from?: string;
  readonly to: string;
  /** Redacted; `type` is whole. */
  readonly ev: { readonly type: string; readonly [key: string]: unknown };
  /**
   * Place in `events.jsonl` of this event, live and recorded alike: what `mur replay --at` takes. Absent when the event is not in the
   * log: of a session that records none, and of one whose log could not be written.
   */
  readonly n?: number;
}

/**
 * An actor's state after an event. At a busy moment only the newest of each actor in 50 ms is sent; `tr` then has the edges of all of
 * them.
 */
export interface SnapshotFrame extends Dated {
  readonly type: 'snap';
  readonly id: string;
  readonly snap: SnapshotView;
  /** Type of the event that led here. */
  readonly by: string;
  /** Ids of the edges taken since the last `snap` of this actor, in order. */
  readonly tr: readonly string[];
  /** As in `ev`. */
  readonly n?: number;
}

/** An actor ended. Its last `snap` came before. */
export interface GoneFrame extends Dated {
  readonly type: 'gone';
  readonly id: string;
  readonly why: 'done' | 'error' | 'stopped';
}

/** One line of the trace, redacted and capped, otherwise as it is on disk (src/trace/events.ts): tokens, durations, bytes, errors. */
export interface TraceFrame extends Dated {
  readonly type: 'trace';
  readonly line: {
    readonly event_type: string;
    readonly event_id?: string;
    readonly parent_id?: string | null;
    readonly timestamp?: number;
    readonly [key: string]: unknown;
  };
}

/** A notice for display: staging steps, warnings with their code, text and thinking as they stream. */
export interface NoteFrame extends Dated {
  readonly type: 'note';
  readonly note: SessionNotice;
}

/** A message as it entered the conversation. */
export interface MessageFrame extends Dated {
  readonly type: 'message';
  readonly contextId: string;
  /** The task it belongs to, when known: for history, the last task of that context that had started. */
  readonly taskId?: string;
  readonly message: {
    readonly id: string;
    readonly role: 'user' | 'assistant' | 'tool';
    /** Canonical blocks: `text`, `thinking`, `tool_call` {id, name, input}, `image` (its data left out), and unknown ones. */
    readonly content: readonly { readonly type: string; readonly [key: string]: unknown }[];
    /** Of a tool message: the call it answers. */
    readonly tool_call_id?: string;
    readonly is_error?: boolean;
    /** Fence source (`tool:mur-tool-files`): the text is untrusted content inside a fence. */
    readonly fence?: string;
    /** Who put it there when it was neither model nor user. */
    readonly inserted_by?: string;
    readonly canceled?: true;
    readonly truncated?: true;
  };
}

/** Everything of `sys` up to now was sent. */
export interface SyncedFrame extends OfSession {
  readonly type: 'synced';
  readonly at: number;
  /** The whole state was sent anew because this client had stalled: live actors it knows that were not among them are gone. */
  readonly again?: true;
}

/** This client was too slow: so many frames were left out since the last report. Its `snap`s are right again after this. */
export interface LostFrame extends OfSession {
  readonly type: 'lost';
  readonly at: number;
  /** Events left out. */
  readonly ev: number;
  /** Snapshots left out; those replaced by a newer one within the 50 ms are not counted. */
  readonly snap: number;
  /** Trace lines, notes and messages left out. */
  readonly other: number;
}

export type Frame =
  | HelloFrame
  | SessionFrame
  | DefFrame
  | ActorFrame
  | EventFrame
  | SnapshotFrame
  | GoneFrame
  | TraceFrame
  | NoteFrame
  | MessageFrame
  | SyncedFrame
  | LostFrame;

export type FrameType = Frame['type'];
