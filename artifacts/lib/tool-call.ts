/** Tool calls while they stream in, and what their argument text becomes. */
import { type Block, DriverError, type Sink } from './conversation.js';
import { parse } from './json.js';
import { byteLength } from './utf8.js';

/** A call whose argument text arrives in pieces; progress is reported in bytes, never as text. */
export class StreamedCall {
  readonly #sink: Sink;
  readonly id: string;
  readonly name: string;
  #text = '';
  #bytes = 0;

  constructor(sink: Sink, id: string, name: string) {
    this.#sink = sink;
    this.id = id;
    this.name = name;
    sink.callStarted(id, name);
  }

  push(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#bytes += byteLength(text);
    this.#sink.callBytes(this.id, this.#bytes);
  }

  get text(): string {
    return this.#text;
  }
}

/**
 * The canonical block of a call. No argument text means no arguments. Text that is not JSON is an error when the output
 * cap cut the answer, because the call is incomplete; otherwise it is passed on as text, and the loop refuses the call.
 */
export function callBlock(id: string, name: string, text: string, capped: boolean): Block {
  const input = text.trim() === '' ? {} : parse(text);
  if (input === undefined && capped) {
    throw new DriverError(`the call of tool ${name} was cut off by the output cap; raise inference.max_tokens`);
  }
  return { type: 'tool_call', id, name, input: input === undefined ? text : input };
}

export const noStopSignal = 'the stream ended without a stop signal, so the answer may be incomplete';
