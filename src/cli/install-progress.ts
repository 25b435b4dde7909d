import { duration } from '../text/measure.js';
import type { Output } from './output.js';
import { oneLine } from './safe-text.js';
import { repaint } from './screen.js';
import { canRedraw, glyphsFor, type StreamFacts, type Style } from './style.js';
import { cut } from './width.js';

const redrawMs = 80;
/** What is done sooner is not worth a line: on a terminal, and where lines stay. */
const quietMs = { terminal: 300, elsewhere: 1_000 };

interface Wait {
  readonly startedAt: number;
  text: string;
  isTold: boolean;
}

/**
 * Says on stderr what is being waited for: redrawn lines on a terminal, elsewhere one line for each thing that takes over a
 * second.
 */
export class InstallProgress {
  readonly #output: Output;
  readonly #facts: StreamFacts & { readonly style: Style };
  readonly #waits = new Map<string, Wait>();
  readonly #timer: NodeJS.Timeout;
  #drawn: readonly string[] = [];
  #frame = 0;

  constructor(output: Output, facts: StreamFacts & { readonly style: Style }) {
    this.#output = output;
    this.#facts = facts;
    this.#timer = setInterval(() => this.#tick(), redrawMs);
    this.#timer.unref();
  }

  /** `text` is what is going on under `key` now. */
  set(key: string, text: string): void {
    const wait = this.#waits.get(key);
    if (wait === undefined) this.#waits.set(key, { startedAt: performance.now(), text, isTold: false });
    else wait.text = text;
  }

  end(key: string): void {
    this.#waits.delete(key);
    if (this.#waits.size === 0) this.#draw([]);
  }

  /** Leaves nothing on the screen. */
  close(): void {
    clearInterval(this.#timer);
    this.#waits.clear();
    this.#draw([]);
  }

  #tick(): void {
    const isLive = canRedraw(this.#facts);
    const quiet = isLive ? quietMs.terminal : quietMs.elsewhere;
    const now = performance.now();
    const slow = [...this.#waits.values()].filter(({ startedAt }) => now - startedAt >= quiet);
    if (isLive) {
      this.#frame += 1;
      const { spinner } = glyphsFor(this.#facts.env);
      const glyph = spinner[this.#frame % spinner.length]!;
      this.#draw(slow.map(({ text, startedAt }) => `  ${glyph} ${oneLine(text)}  ${duration(now - startedAt)}`));
      return;
    }
    for (const wait of slow) {
      if (!wait.isTold) this.#output.write(`${oneLine(wait.text)}\n`);
      wait.isTold = true;
    }
  }

  #draw(lines: readonly string[]): void {
    if (lines.length === 0 && this.#drawn.length === 0) return;
    const columns = this.#output.stream.columns || 80;
    const shown = lines.map((line) => this.#facts.style.dim(cut(line, columns)));
    this.#output.write(repaint(this.#drawn, [], shown, columns));
    this.#drawn = shown;
  }
}

/** `fetching csv-merge-1.0.4.mur.zip: 3.2 of 10.0 MB`. */
export function fetchText(name: string, receivedBytes: number, totalBytes: number | undefined): string {
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
  const total = totalBytes === undefined ? '' : ` of ${megabytes(totalBytes)}`;
  return `fetching ${name}: ${megabytes(receivedBytes)}${total} MB`;
}
