/** One event of a stream (WHATWG HTML, "Server-sent events"). */
export interface ServerEvent {
  /** The last id the stream has given, as text. */
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** A frame of a door holds what the model received at most, escaped; a line beyond this is no frame. */
const longestLine = 64 * 1024 * 1024;

/**
 * Reads a stream as it comes in, in pieces cut anywhere. Comments (heartbeats), unknown fields and an event the stream ended in the middle
 * of are left out. Throws for a line longer than any frame, so that memory stays bounded.
 */
export class EventParser {
  #rest = '';
  #data: string[] = [];
  #event = '';
  #id: string | undefined;

  push(piece: string): ServerEvent[] {
    const text = this.#rest + piece;
    // A carriage return at the very end may be the first half of a line end.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + text.slice(end);
    if (this.#rest.length > longestLine)
      throw new Error(`a line of the stream is longer than ${longestLine} characters`);
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): ServerEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerEvent | undefined {
    const [data, event] = [this.#data, this.#event];
    this.#data = [];
    this.#event = '';
    if (data.length === 0) return undefined;
    return { ...(this.#id === undefined ? {} : { id: this.#id }), event: event || 'message', data: data.join('\n') };
  }
}
