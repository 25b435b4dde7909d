import { duration } from '../text/measure.js';
import type { Output } from './output.js';
import { oneLine } from './safe-text.js';
import { repaint } from './screen.js';
import { canRedraw, glyphsFor, type StreamFacts, type Style } from './style.js';
import { cut } from './width.js';

/** A wait shorter than this shows nothing. */
const quietMs = 300;
const redrawMs = 80;

/** One redrawn line on a terminal that says what is being waited for, and since when. Shows nothing anywhere else. */
export class WaitLine {
  readonly #output: Output;
  readonly #facts: StreamFacts & { readonly style: Style };
  #timer: NodeJS.Timeout | undefined;
  #drawn: readonly string[] = [];

  constructor(output: Output, facts: StreamFacts & { readonly style: Style }) {
    this.#output = output;
    this.#facts = facts;
  }

  show(text: string): void {
    if (!canRedraw(this.#facts)) return;
    this.clear();
    const startedAt = performance.now();
    const { spinner } = glyphsFor(this.#facts.env);
    let frame = 0;
    this.#timer = setInterval(() => {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs < quietMs) return;
      frame += 1;
      const columns = this.#output.stream.columns || 80;
      const line = `  ${spinner[frame % spinner.length]} ${oneLine(text)}  ${duration(waitedMs)}`;
      this.#draw([this.#facts.style.dim(cut(line, columns))], columns);
    }, redrawMs);
    this.#timer.unref();
  }

  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#drawn.length > 0) this.#draw([], this.#output.stream.columns || 80);
  }

  #draw(lines: readonly string[], columns: number): void {
    this.#output.write(repaint(this.#drawn, [], lines, columns));
    this.#drawn = lines;
  }
}
