import type { Secret } from '../errors/index.js';

/** A function that replaces every occurrence of a secret's text by `[redacted]`, longest secret first. */
export function redactor(secrets: readonly Secret[]): (text: string) => string {
  const values = [...new Set(secrets.map((secret) => secret.reveal()))]
    .filter((value) => value !== '')
    .sort((a, b) => b.length - a.length);
  return (text) => values.reduce((result, value) => result.replaceAll(value, '[redacted]'), text);
}

/** What a text that comes in pieces is kept free of. Asked at every piece, so a key that rotates in counts from then on. */
export interface Unspoken {
  /** The secrets' texts. */
  values(): Iterable<string>;
  /** `text` without them. */
  redact(text: string): string;
  /** Characters at the end of `text` that may begin something else `redact` removes. */
  openEnd?(text: string): number;
}

/**
 * Removes secrets from a text that comes in pieces: the end of a piece that may be the beginning of one waits for the next piece. What
 * comes out, joined, is what `redact` makes of the whole text, however it was cut.
 *
 * Does not find: a secret that its writer spells out with something in between.
 */
export class PieceRedactor {
  readonly #unspoken: Unspoken;
  #held = '';

  constructor(unspoken: Unspoken) {
    this.#unspoken = unspoken;
  }

  /** What of the text so far can be shown now; it may be empty. */
  push(piece: string): string {
    const text = this.#held + piece;
    const values = [...this.#unspoken.values()];
    let cut = text.length - Math.max(openEnd(text, values), this.#unspoken.openEnd?.(text) ?? 0);
    for (let start: number | undefined = cut; start !== undefined; start = straddling(text, cut, values)) cut = start;
    this.#held = text.slice(cut);
    return cut === 0 ? '' : this.#unspoken.redact(text.slice(0, cut));
  }

  /** The rest: nothing follows. */
  end(): string {
    const rest = this.#unspoken.redact(this.#held);
    this.#held = '';
    return rest;
  }
}

/** How many characters at the end of `text` may be the beginning of a value. */
function openEnd(text: string, values: readonly string[]): number {
  let open = 0;
  for (const value of values) {
    for (let length = Math.min(value.length - 1, text.length); length > open; length -= 1) {
      if (value.startsWith(text.slice(-length))) open = length;
    }
  }
  return open;
}

/** Where a value begins that `cut` would part. */
function straddling(text: string, cut: number, values: readonly string[]): number | undefined {
  if (cut === 0) return undefined;
  for (const value of values) {
    const start = value === '' ? -1 : text.lastIndexOf(value, cut - 1);
    if (start !== -1 && start < cut && start + value.length > cut) return start;
  }
  return undefined;
}
