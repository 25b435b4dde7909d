import type { Secret } from '../errors/index.js';
import { redactor } from '../inference/outcome.js';
import { withoutAnnounced } from './redact.js';

/**
 * Every secret a session holds or held while somebody could watch: keys rotate, and what was said with the old one stays said.
 */
export class SecretTexts {
  readonly #current: () => readonly Secret[];
  readonly #known = new Map<string, Secret>();
  #redact: (text: string) => string = (text) => text;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(current: () => readonly Secret[]) {
    this.#current = current;
  }

  /** `text` without them. */
  readonly redact = (text: string): string => {
    this.#refresh();
    return this.#redact(text);
  };

  /** How many characters at the end of `text` may be the beginning of one that goes on in the next piece. */
  openEnd(text: string): number {
    this.#refresh();
    let open = announcing.exec(text.slice(-mostHeld))?.[0].length ?? 0;
    for (const secret of this.#known.keys()) {
      for (let length = Math.min(secret.length - 1, text.length); length > open; length -= 1) {
        if (secret.startsWith(text.slice(-length))) open = length;
      }
    }
    return open;
  }

  /** Asking every holder is cheap, but not free: this runs for every text. */
  #refresh(): void {
    const now = performance.now();
    if (now - this.#readAt < freshMs) return;
    this.#readAt = now;
    const before = this.#known.size;
    for (const secret of this.#current()) this.#known.set(secret.reveal(), secret);
    if (this.#known.size !== before) this.#redact = redactor([...this.#known.values()]);
  }
}

const freshMs = 20;
/** The head of a credential that announces itself, as far as it got. */
const announcing = /\b(?:(?:Bearer|Basic)(?:\s+[A-Za-z0-9._~+/-]*=*)?|b(?:e(?:a(?:re?)?)?|a(?:si?)?)?)$/i;
/** A head longer than this is no credential. */
const mostHeld = 4_096;

/** Removes secrets from a text that comes in pieces: a piece that may end in the middle of one waits for the next. */
export class StreamRedactor {
  readonly #secrets: SecretTexts;
  #held = '';

  constructor(secrets: SecretTexts) {
    this.#secrets = secrets;
  }

  /** What of the text so far can be shown now. */
  push(piece: string): string {
    const text = this.#secrets.redact(this.#held + piece);
    const open = this.#secrets.openEnd(text);
    this.#held = text.slice(text.length - open);
    return withoutAnnounced(text.slice(0, text.length - open));
  }

  /** The rest: nothing follows. */
  end(): string {
    const rest = withoutAnnounced(this.#held);
    this.#held = '';
    return rest;
  }
}
