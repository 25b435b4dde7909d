import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HeldDirectory } from '../home/types.js';
import type { TraceEvents } from './events.js';

export type CaptureLevel = 'none' | 'meta' | 'content';

/** Lowercase hex sha256 of exactly these bytes; text is hashed as UTF-8. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What one driver call sent and received, as it was serialised. */
export interface CapturedCall {
  readonly system: string;
  /** The tools array as JSON text. */
  readonly tools: string;
  /** The embedded messages as JSON text, runtime ids stripped. */
  readonly messages: readonly string[];
  /** The raw response body; absent when there was none. */
  readonly response?: string | undefined;
}

type HashKeys = Pick<TraceEvents['inference'], 'system_sha' | 'tools_sha' | 'response_sha' | 'message_shas'>;

/**
 * What the trace keeps of a session's content (`trace.capture`, spec/trace.md section 5): nothing, hashes, or hashes and the
 * bytes themselves under `blobs/`. Hashes are of the bytes handed in, so hand in what was sent, not a second serialisation.
 */
export class Capture {
  readonly #records: HeldDirectory;
  readonly #level: CaptureLevel;
  readonly #stored = new Set<string>();
  #blobBytes = 0;

  constructor(records: HeldDirectory, level: CaptureLevel) {
    this.#records = records;
    this.#level = level;
  }

  /** Bytes of all blobs this session wrote. They have no limit, so the end of the session reports them. */
  get blobBytes(): number {
    return this.#blobBytes;
  }

  /** The hash keys of an `inference` line. Under `content` every blob they name is on disk when this returns. */
  call(call: CapturedCall): HashKeys {
    if (this.#level === 'none') return {};
    return {
      system_sha: this.#keep(call.system),
      tools_sha: this.#keep(call.tools),
      response_sha: call.response === undefined ? undefined : this.#keep(call.response),
      message_shas: call.messages.map((message) => this.#keep(message)),
    };
  }

  /** The `output` key of a `tool_call` line: the text as the model received it. */
  toolOutput(text: string): Pick<TraceEvents['tool_call'], 'output'> {
    return this.#level === 'content' ? { output: text } : {};
  }

  #keep(text: string): string {
    const hash = sha256Hex(text);
    if (this.#level === 'content' && !this.#stored.has(hash)) this.#store(hash, text);
    return hash;
  }

  #store(hash: string, text: string): void {
    const rel = join('blobs', hash);
    if (this.#records.stat(rel) === undefined) {
      this.#records.writeFile(rel, text, { mode: 0o600, directoryMode: 0o700 });
      this.#blobBytes += Buffer.byteLength(text);
    }
    this.#stored.add(hash);
  }
}
