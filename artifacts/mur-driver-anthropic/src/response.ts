/** A Messages API answer, streamed or whole, as a canonical answer. Pure. Source: spec/drivers.md 11.1. */
import { type Part, refuseError } from '../../lib/body.js';
import { type Answer, type Block, DriverError, type Sink, type Usage } from '../../lib/conversation.js';
import { count, type JsonObject, list, object, string } from '../../lib/json.js';
import { callBlock, noStopSignal, StreamedCall } from '../../lib/tool-call.js';

const stopReasons: Record<string, Answer['stopReason']> = {
  end_turn: 'end_turn',
  stop_sequence: 'end_turn',
  tool_use: 'tool_call',
  max_tokens: 'max_tokens',
};

/** A content block under construction. */
type Open =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly call: StreamedCall };

export function readAnswer(parts: Iterable<Part>, sink: Sink): Answer {
  const reading = new Reading(sink);
  for (const part of parts) {
    if ('document' in part) reading.document(part.document);
    else reading.event(part.event);
    if (reading.done) break;
  }
  return reading.answer();
}

class Reading {
  readonly #sink: Sink;
  readonly #blocks = new Map<number, Open>();
  readonly #usage: Usage = {};
  #stop: string | undefined;
  done = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  event(event: JsonObject): void {
    refuseError(event);
    const index = count(event.index) ?? 0;
    switch (event.type) {
      case 'message_start':
        this.#count(object(object(event.message)?.usage));
        break;
      case 'content_block_start':
        this.#open(index, object(event.content_block) ?? {});
        break;
      case 'content_block_delta':
        this.#extend(index, object(event.delta) ?? {});
        break;
      case 'message_delta':
        this.#count(object(event.usage));
        this.#stop = string(object(event.delta)?.stop_reason) ?? this.#stop;
        break;
      case 'message_stop':
        this.done = true;
        break;
      default: // ping, content_block_stop, and whatever the provider adds later
        break;
    }
  }

  document(message: JsonObject): void {
    refuseError(message);
    this.#count(object(message.usage));
    for (const [index, value] of list(message.content).entries()) {
      const block = object(value) ?? {};
      this.#open(index, block);
      if (block.type === 'tool_use')
        this.#extend(index, { type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) });
    }
    this.#stop = string(message.stop_reason);
    this.done = true;
  }

  answer(): Answer {
    if (this.#stop === undefined) throw new DriverError(noStopSignal);
    const stopReason = stopReasons[this.#stop];
    if (stopReason === undefined) throw new DriverError(`the model stopped with ${this.#stop}`);
    const blocks = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const content = blocks.flatMap((block) => toCanonical(block, stopReason === 'max_tokens'));
    return { stopReason, content, usage: this.#usage };
  }

  #open(index: number, block: JsonObject): void {
    switch (block.type) {
      case 'text':
        this.#blocks.set(index, { type: 'text', text: '' });
        this.#extend(index, { type: 'text_delta', text: block.text ?? '' });
        break;
      case 'thinking':
        this.#blocks.set(index, { type: 'thinking', text: '', signature: string(block.signature) ?? '' });
        this.#extend(index, { type: 'thinking_delta', thinking: block.thinking ?? '' });
        break;
      case 'redacted_thinking':
        this.#blocks.set(index, { type: 'redacted_thinking', data: string(block.data) ?? '' });
        break;
      case 'tool_use': {
        const id = string(block.id) || `call_${index}`;
        this.#blocks.set(index, { type: 'tool_use', call: new StreamedCall(this.#sink, id, string(block.name) ?? '') });
        break;
      }
      default:
        break;
    }
  }

  #extend(index: number, delta: JsonObject): void {
    const block = this.#blocks.get(index);
    if (block?.type === 'text' && string(delta.text)) {
      block.text += delta.text;
      this.#sink.text(String(delta.text));
    } else if (block?.type === 'thinking' && string(delta.thinking)) {
      block.text += delta.thinking;
      this.#sink.thinking(String(delta.thinking));
    } else if (block?.type === 'thinking' && string(delta.signature)) {
      block.signature += delta.signature;
    } else if (block?.type === 'tool_use') {
      block.call.push(string(delta.partial_json) ?? '');
    }
  }

  /** Later counts replace earlier ones: the provider reports totals. */
  #count(usage: JsonObject | undefined): void {
    const members = {
      input_tokens: count(usage?.input_tokens),
      output_tokens: count(usage?.output_tokens),
      cached_tokens: count(usage?.cache_read_input_tokens),
      cache_write_tokens: count(usage?.cache_creation_input_tokens),
    };
    for (const [key, value] of Object.entries(members))
      if (value !== undefined) this.#usage[key as keyof Usage] = value;
  }
}

function toCanonical(block: Open, capped: boolean): Block[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    case 'thinking':
      return [{ type: 'thinking', text: block.text, ...(block.signature !== '' && { signature: block.signature }) }];
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: block.data }];
    case 'tool_use':
      return [callBlock(block.call.id, block.call.name, block.call.text, capped)];
  }
}
