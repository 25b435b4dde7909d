/**
 * Frames into the model. Bounded: `limit` entries over all sessions, the oldest of the longest session go first, and what they said
 * about living actors stays as their base.
 */
import type { Frame } from '../../frame.js';
import { drawable } from './drawable.js';
import { compare, type Entry, emptyModel, emptySession, type Model, type SessionModel } from './model.js';
import { entriesOf } from './moment.js';
import { plain } from './names.js';
import { wrongIn } from './shape.js';

export const LIMIT = 20_000;
/** About so many characters of them. */
const CHARS = 1e8;
/** Characters of a streaming answer that are kept. */
const STREAM_LIMIT = 16_384;

/** `model` after `frame`, changed in place. A `hello` starts anew: use `Intake` to keep the old picture meanwhile. */
export function fold(model: Model, frame: Frame, limit = LIMIT): void {
  model.version += 1;
  switch (frame.type) {
    case 'hello':
      model.hello = frame;
      return;
    case 'def':
      // Throws for a chart that is none.
      entriesOf(frame);
      model.defs.set(frame.key, { ...frame, layout: drawable(frame.layout) });
      return;
  }
  const session = sessionOf(model, frame.sys);
  session.version += 1;
  switch (frame.type) {
    case 'session':
      session.info = frame;
      return;
    case 'synced':
      if (frame.again) endMissing(model, session, frame);
      session.synced = true;
      session.told.clear();
      return;
    case 'lost':
      session.told.clear();
      break;
    case 'actor':
      if (!frame.past) session.told.add(frame.id);
      break;
    case 'note':
      if (stream(session, frame.note)) return;
      break;
    case 'message':
      if (frame.message.role === 'assistant') session.streaming.clear();
      if (seen(session, `message ${frame.message.id}`)) return;
      break;
    case 'trace':
      if (frame.line.event_id !== undefined && seen(session, `trace ${frame.line.event_id}`)) return;
      break;
  }
  append(model, session, frame);
  if (model.count > limit) trim(model, limit);
}

function sessionOf(model: Model, sys: string): SessionModel {
  const known = model.sessions.get(sys);
  if (known !== undefined) return known;
  // A session is `staging` until it has an id; what was heard of it then belongs to it.
  const staging = model.sessions.get('staging');
  if (staging !== undefined && sys.startsWith('ses_')) {
    model.sessions.delete('staging');
    const renamed = { ...staging, sys };
    model.sessions.set(sys, renamed);
    return renamed;
  }
  const session = emptySession(sys);
  model.sessions.set(sys, session);
  return session;
}

function append(model: Model, session: SessionModel, entry: Entry): void {
  const last = session.entries.at(-1);
  if (last !== undefined && compare(last, entry) > 0) session.unsorted = true;
  session.entries.push(entry);
  model.count += 1;
}

/** Brings the entries into order; needed once after a batch of frames. */
export function settle(model: Model): void {
  for (const session of model.sessions.values()) sort(session);
}

function sort(session: SessionModel): void {
  if (!session.unsorted) return;
  session.entries = session.entries.toSorted(compare);
  session.unsorted = false;
}

function seen(session: SessionModel, key: string): boolean {
  if (session.keys.has(key)) return true;
  session.keys.add(key);
  return false;
}

/** Whether the note is a piece of a streaming answer: shown while it streams, not kept, because the message follows. */
function stream(session: SessionModel, note: { readonly type: string; readonly [key: string]: unknown }): boolean {
  const part = note.type === 'text.chunk' ? 'text' : note.type === 'thinking.chunk' ? 'thinking' : null;
  if (part === null) return false;
  const task = plain(note.taskId);
  const before = session.streaming.get(task) ?? { text: '', thinking: '' };
  const after = (before[part] + plain(note.text)).slice(-STREAM_LIMIT);
  session.streaming.set(task, { ...before, [part]: after });
  return true;
}

/** After a resync: actors that the sender no longer has ended while this client did not hear of it. */
function endMissing(model: Model, session: SessionModel, { sys, q, at }: { sys: string; q: number; at: number }): void {
  const alive = new Set(session.base.keys());
  for (const entry of session.entries) {
    if (entry.type === 'actor') alive.add(entry.id);
    else if (entry.type === 'gone') alive.delete(entry.id);
  }
  for (const id of alive) {
    if (!session.told.has(id)) append(model, session, { type: 'gone', sys, q, at, id, why: 'stopped' });
  }
}

/** Drops an eighth at once, so that dropping is rare. */
function trim(model: Model, limit: number): void {
  while (model.count > limit - limit / 8) {
    const longest = [...model.sessions.values()].reduce((a, b) => (b.entries.length > a.entries.length ? b : a));
    sort(longest);
    const cut = Math.min(longest.entries.length, Math.max(1, Math.ceil(model.count - (limit * 7) / 8)));
    for (const entry of longest.entries.slice(0, cut)) keepBase(longest, entry);
    longest.entries = longest.entries.slice(cut);
    longest.dropped += cut;
    longest.version += 1;
    model.count -= cut;
  }
}

function keepBase({ base, keys }: SessionModel, entry: Entry): void {
  if (entry.type === 'actor') base.set(entry.id, { actor: entry, snap: null });
  else if (entry.type === 'gone') base.delete(entry.id);
  else if (entry.type === 'snap') {
    const known = base.get(entry.id);
    if (known !== undefined) base.set(entry.id, { ...known, snap: entry });
  } else if (entry.type === 'trace') keys.delete(`trace ${entry.line.event_id}`);
  else if (entry.type === 'message') keys.delete(`message ${entry.message.id}`);
}

/**
 * The model that is shown, and the one being filled: after a reconnect the sender tells everything again, and the old picture
 * stays until the first session is complete.
 */
export class Intake {
  shown = emptyModel();
  /** The sender's clock minus this one's, in milliseconds. */
  skew = 0;
  /** How often the past of a session was complete. */
  synced = 0;
  #next: Model | null = null;
  #frames = 0;
  #chars = 0;
  readonly #limit: number;

  constructor(limit = LIMIT) {
    this.#limit = limit;
  }

  /** What is no frame is left out and told of; nothing a sender can send stops what follows. `chars` is how long it was. */
  take(frames: readonly unknown[], chars = 0): void {
    this.#frames += frames.length;
    this.#chars += chars;
    for (const frame of frames) {
      const model = this.#next ?? this.shown;
      const wrong = wrongIn(frame);
      if (wrong !== null) leaveOut(model, wrong);
      else
        try {
          this.#take(frame as Frame);
        } catch (error) {
          leaveOut(model, plain((error as Error).message));
        }
    }
    settle(this.shown);
  }

  #take(frame: Frame): void {
    if (frame.type === 'hello') {
      this.skew = frame.now - Date.now();
      if (this.shown.sessions.size > 0) this.#next = emptyModel();
    }
    // Fewer are kept where they are long.
    const limit = Math.min(this.#limit, Math.ceil((CHARS * this.#frames) / this.#chars));
    fold(this.#next ?? this.shown, frame, limit);
    if (frame.type !== 'synced') return;
    this.synced += 1;
    this.shown = this.#next ?? this.shown;
    this.#next = null;
  }
}

function leaveOut(model: Model, last: string): void {
  model.version += 1;
  model.strange = { count: (model.strange?.count ?? 0) + 1, last };
}
