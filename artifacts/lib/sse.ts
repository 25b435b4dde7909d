/**
 * A server-sent-event parser that takes text in any pieces: lines may end in LF, CR or CRLF and may be split anywhere.
 * Not JSON (body.ts). Source: WHATWG HTML, "parsing an event stream"; `id` and `retry` have no meaning here.
 */
export interface ServerSentEvent {
  /** The `event` field; `message` when absent. */
  readonly event: string;
  readonly data: string;
}

export class SseParser {
  #line = '';
  #event = '';
  #data: string[] = [];
  #atStart = true;
  /** The last character was a CR whose line has ended already; an LF next belongs to it. */
  #afterCr = false;

  /** The events that `text` completes. */
  push(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    let rest = text;
    if (this.#atStart && rest !== '') {
      this.#atStart = false;
      rest = rest.replace(/^\ufeff/, '');
    }
    if (this.#afterCr && rest !== '') {
      this.#afterCr = false;
      rest = rest.replace(/^\n/, '');
    }
    for (let end = rest.search(/[\r\n]/); end !== -1; end = rest.search(/[\r\n]/)) {
      this.#take(this.#line + rest.slice(0, end), events);
      this.#line = '';
      const isCr = rest[end] === '\r';
      rest = rest.slice(end + 1);
      if (isCr && rest === '') this.#afterCr = true;
      else if (isCr && rest.startsWith('\n')) rest = rest.slice(1);
    }
    this.#line += rest;
    return events;
  }

  /** The event a stream left open by ending without an empty line. The standard drops it; some servers end that way. */
  end(): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    if (this.#line !== '') this.#take(this.#line, events);
    this.#line = '';
    this.#take('', events);
    return events;
  }

  #take(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ event: this.#event || 'message', data: this.#data.join('\n') });
      this.#event = '';
      this.#data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
  }
}
