import type { PieceRedactor } from '../inference/redact.js';
import type { SessionNotice } from '../supervise/notice.js';
import type { FrameBody } from './item.js';
import { asPast, type BodyContext, noteBody } from './records/bodies.js';
import { type SecretTexts, streamRedactor } from './secrets.js';

type Chunk = SessionNotice & { readonly type: 'text.chunk' | 'thinking.chunk' };

/** Notices kept for clients that come later; the oldest go first. */
const mostKept = 500;

/** The notices of one session as frames, from its first step on. */
export class Notes {
  readonly #secrets: SecretTexts;
  readonly #now: () => number;
  readonly #kept: { readonly note: SessionNotice; readonly at: number }[] = [];
  readonly #streams = new Map<Chunk['type'], { readonly redactor: PieceRedactor; last: Chunk }>();
  /** Hears each notice as it is told; set while somebody watches. */
  onNote: ((note: SessionNotice, at: number) => void) | undefined;

  constructor(secrets: SecretTexts, now: () => number) {
    this.#secrets = secrets;
    this.#now = now;
  }

  /** Streamed text is not kept: the message it becomes is in the records. */
  add(note: SessionNotice): void {
    if (note.type === 'text.chunk' || note.type === 'thinking.chunk') {
      if (this.onNote !== undefined) this.#stream(note);
      return;
    }
    // Its address carries the token of this very watcher's door.
    if (note.type === 'inspection.listening') return;
    this.#endStreams();
    const at = this.#now();
    this.#kept.push({ note, at });
    if (this.#kept.length > mostKept) this.#kept.shift();
    this.onNote?.(note, at);
  }

  past(context: BodyContext): FrameBody[] {
    return this.#kept.map(({ note, at }) => asPast(noteBody(context, note, at)));
  }

  #stream(chunk: Chunk): void {
    const stream = this.#streams.get(chunk.type) ?? { redactor: streamRedactor(this.#secrets), last: chunk };
    stream.last = chunk;
    this.#streams.set(chunk.type, stream);
    this.#say(chunk, stream.redactor.push(chunk.text));
  }

  #endStreams(): void {
    for (const { last, redactor } of this.#streams.values()) this.#say(last, redactor.end());
    this.#streams.clear();
  }

  #say(chunk: Chunk, text: string): void {
    if (text !== '') this.onNote?.({ ...chunk, text }, this.#now());
  }
}
