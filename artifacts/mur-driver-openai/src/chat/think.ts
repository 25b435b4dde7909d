/** Separates `<think>...</think>` from the answer in streamed text; the tags may be split between pieces. Pure. */

export interface Segment {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

export class ThinkSplitter {
  #inside = false;
  /** Text that may yet turn out to be the beginning of a tag. */
  #held = '';

  push(piece: string): Segment[] {
    const segments: Segment[] = [];
    let rest = this.#held + piece;
    this.#held = '';
    for (;;) {
      const tag = this.#inside ? '</think>' : '<think>';
      const at = rest.indexOf(tag);
      if (at === -1) {
        const keep = beginningOf(tag, rest);
        this.#held = rest.slice(rest.length - keep);
        this.#add(segments, rest.slice(0, rest.length - keep));
        return segments;
      }
      this.#add(segments, rest.slice(0, at));
      this.#inside = !this.#inside;
      rest = rest.slice(at + tag.length);
    }
  }

  /** What was held back, when the text ends. */
  end(): Segment[] {
    const segments: Segment[] = [];
    this.#add(segments, this.#held);
    this.#held = '';
    return segments;
  }

  #add(segments: Segment[], text: string): void {
    if (text !== '') segments.push({ type: this.#inside ? 'thinking' : 'text', text });
  }
}

/** How many characters at the end of `text` are a proper beginning of `tag`. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
