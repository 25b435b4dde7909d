/** A Chat Completions answer, streamed or whole, as a canonical answer. Pure. Source: spec/drivers.md 11.2. */
import { type Part, refuseError } from '../../../lib/body.js';
import { type Answer, type Block, DriverError, type Sink, type Usage } from '../../../lib/conversation.js';
import { count, type JsonObject, list, object, string } from '../../../lib/json.js';
import { callBlock, noStopSignal, StreamedCall } from '../../../lib/tool-call.js';
import { type Segment, ThinkSplitter } from './think.js';

const stopReasons: Record<string, Answer['stopReason']> = {
  stop: 'end_turn',
  tool_calls: 'tool_call',
  length: 'max_tokens',
};

export function readChat(parts: Iterable<Part>, sink: Sink): Answer {
  const reading = new Reading(sink);
  for (const part of parts) reading.take('document' in part ? part.document : part.event);
  return reading.answer();
}

class Reading {
  readonly #sink: Sink;
  readonly #splitter = new ThinkSplitter();
  readonly #calls: StreamedCall[] = [];
  #slots = new Map<number, StreamedCall>();
  #text = '';
  #thinking = '';
  #stop: string | undefined;
  #usage: Usage | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** A chunk (`delta`) or a whole completion (`message`); both carry the same members. */
  take(value: JsonObject): void {
    refuseError(value);
    this.#count(object(value.usage));
    const choice = list(value.choices)
      .map(object)
      .find((item) => (count(item?.index) ?? 0) === 0);
    const delta = object(choice?.delta) ?? object(choice?.message);
    const reasoning = string(delta?.reasoning_content) ?? string(delta?.reasoning);
    if (reasoning) this.#add([{ type: 'thinking', text: reasoning }]);
    for (const text of [string(delta?.content), string(delta?.refusal)]) if (text) this.#add(this.#splitter.push(text));
    for (const [position, call] of list(delta?.tool_calls).entries()) this.#call(object(call) ?? {}, position);
    this.#stop = string(choice?.finish_reason) ?? this.#stop;
  }

  answer(): Answer {
    this.#add(this.#splitter.end());
    if (this.#stop === undefined) throw new DriverError(noStopSignal);
    const stopReason = stopReasons[this.#stop];
    if (stopReason === undefined) throw new DriverError(`the model stopped with ${this.#stop}`);
    const content: Block[] = [];
    if (this.#thinking !== '') content.push({ type: 'thinking', text: this.#thinking });
    if (this.#text !== '') content.push({ type: 'text', text: this.#text });
    for (const call of this.#calls) content.push(callBlock(call.id, call.name, call.text, stopReason === 'max_tokens'));
    return { stopReason, content, usage: this.#usage };
  }

  #add(segments: readonly Segment[]): void {
    for (const { type, text } of segments) {
      if (type === 'text') {
        this.#text += text;
        this.#sink.text(text);
      } else {
        this.#thinking += text;
        this.#sink.thinking(text);
      }
    }
  }

  /** Pieces of one call share an index. Some compatible servers send whole calls without one, told apart by their id. */
  #call(value: JsonObject, position: number): void {
    const id = string(value.id) || undefined;
    const index =
      count(value.index) ?? (id === undefined ? Math.max(0, this.#calls.length - 1) : this.#slotOf(id, position));
    const call = this.#slots.get(index) ?? this.#start(index, id, string(object(value.function)?.name) ?? '');
    call.push(string(object(value.function)?.arguments) ?? '');
  }

  #slotOf(id: string, position: number): number {
    const known = [...this.#slots].find(([, call]) => call.id === id)?.[0];
    return known ?? Math.max(this.#calls.length, position);
  }

  #start(index: number, id: string | undefined, name: string): StreamedCall {
    const call = new StreamedCall(this.#sink, id ?? `call_${index}`, name);
    this.#slots.set(index, call);
    this.#calls.push(call);
    return call;
  }

  #count(usage: JsonObject | undefined): void {
    if (usage === undefined) return;
    const members: Usage = {};
    const [input, output] = [count(usage.prompt_tokens), count(usage.completion_tokens)];
    const cached = count(object(usage.prompt_tokens_details)?.cached_tokens);
    if (input !== undefined) members.input_tokens = input;
    if (output !== undefined) members.output_tokens = output;
    if (cached !== undefined) members.cached_tokens = cached;
    this.#usage = members;
  }
}
