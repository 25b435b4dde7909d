import type { Secret } from '../errors/index.js';
import { PieceRedactor, redactor } from '../inference/redact.js';
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

  /** Their texts. */
  values(): Iterable<string> {
    this.#refresh();
    return this.#known.keys();
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

/** Removes secrets, and credentials that announce themselves, from a text that comes in pieces. */
export function streamRedactor(secrets: SecretTexts): PieceRedactor {
  return new PieceRedactor({
    values: () => secrets.values(),
    redact: (text) => withoutAnnounced(secrets.redact(text)),
    // What stands before it counts as it is shown: a word may begin where a secret ends.
    openEnd: (text) => announcing.exec(secrets.redact(text).slice(-mostHeld))?.[0].length ?? 0,
  });
}
