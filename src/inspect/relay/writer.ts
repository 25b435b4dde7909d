import { definitionByKey } from '../definition.js';
import type { Frame } from '../frame.js';
import type { FrameBody } from '../item.js';
import type { Sink } from './sink.js';

/** Frames sent in one message. */
const perMessage = 200;

/** Numbers frames, sends each chart before the first actor that runs it, and waits for a reader that is slow. */
export class FrameWriter {
  readonly #sink: Sink;
  readonly #defs = new Set<string>();
  #waiting: Frame[] = [];
  #q = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  add(body: FrameBody): void {
    if (body.type === 'actor' && body.def !== undefined && !this.#defs.has(body.def)) {
      this.#defs.add(body.def);
      const definition = definitionByKey(body.def);
      if (definition !== undefined) this.#push({ type: 'def', ...definition });
    }
    this.#push(body);
  }

  async write(body: FrameBody): Promise<void> {
    this.add(body);
    if (this.#waiting.length >= perMessage) await this.flush();
  }

  async flush(): Promise<void> {
    await this.#sink.ready();
    const frames = this.#waiting;
    this.#waiting = [];
    this.#sink.send(frames);
  }

  #push(body: FrameBody): void {
    this.#q += 1;
    this.#waiting.push({ q: this.#q, ...body });
  }
}
