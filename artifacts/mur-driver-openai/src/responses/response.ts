/** A Responses answer, streamed or whole, as a canonical answer. Pure. Source: spec/drivers.md 11.2. */
import { type Part, refuseError } from '../../../lib/body.js';
import { type Answer, type Block, DriverError, type Sink, type Usage } from '../../../lib/conversation.js';
import { count, type Json, type JsonObject, list, object, string } from '../../../lib/json.js';
import { callBlock, noStopSignal, StreamedCall } from '../../../lib/tool-call.js';

/** `stored`: the provider keeps the response, so its id continues the conversation. */
export function readResponse(parts: Iterable<Part>, sink: Sink, stored: boolean): Answer {
  const reading = new Reading(sink);
  for (const part of parts) {
    if ('document' in part) reading.document(part.document);
    else reading.event(part.event);
    if (reading.response !== undefined) break;
  }
  return reading.answer(stored);
}

class Reading {
  readonly #sink: Sink;
  /** Finished output items by their place. */
  readonly #items = new Map<number, JsonObject>();
  readonly #calls = new Map<number, StreamedCall>();
  /** Places whose text was streamed, so that it is not reported a second time. */
  readonly #streamed = new Set<number>();
  /** The response in its final state. */
  response: JsonObject | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  event(event: JsonObject): void {
    if (event.type === 'error') refuseError(event);
    const index = count(event.output_index) ?? 0;
    const delta = string(event.delta) ?? '';
    switch (event.type) {
      case 'response.output_item.added':
        this.#start(index, object(event.item) ?? {});
        break;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#streamed.add(index);
        if (delta !== '') this.#sink.text(delta);
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#streamed.add(index);
        if (delta !== '') this.#sink.thinking(delta);
        break;
      case 'response.function_call_arguments.delta':
        this.#calls.get(index)?.push(delta);
        break;
      case 'response.output_item.done':
        this.#finish(index, object(event.item) ?? {});
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.response = object(event.response) ?? {};
        break;
      default:
        break;
    }
  }

  document(response: JsonObject): void {
    if (response.status === undefined) refuseError(response);
    for (const [index, item] of list(response.output).entries()) this.#finish(index, object(item) ?? {});
    this.response = response;
  }

  answer(stored: boolean): Answer {
    const { response } = this;
    if (response === undefined) throw new DriverError(noStopSignal);
    const stopReason = this.#stopReason(response);
    const items = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    return {
      stopReason,
      content: items.flatMap((item) => toCanonical(item, stopReason === 'max_tokens')),
      usage: usageOf(object(response.usage)),
      continuationId: stored ? string(response.id) : undefined,
    };
  }

  #stopReason(response: JsonObject): Answer['stopReason'] {
    if (response.status === 'completed') {
      return [...this.#items.values()].some((item) => item.type === 'function_call') ? 'tool_call' : 'end_turn';
    }
    const why = string(object(response.incomplete_details)?.reason) ?? 'no reason given';
    if (response.status === 'incomplete' && why === 'max_output_tokens') {
      this.#refuseCutCalls();
      return 'max_tokens';
    }
    refuseError(response);
    throw new DriverError(`the model stopped with ${String(response.status)}: ${why}`);
  }

  /** A call that had begun but never finished is not part of the items; the person should hear of it all the same. */
  #refuseCutCalls(): void {
    for (const [index, call] of this.#calls) {
      if (!this.#items.has(index)) callBlock(call.id, call.name, call.text || '{', true);
    }
  }

  #start(index: number, item: JsonObject): void {
    if (item.type !== 'function_call' || this.#calls.has(index)) return;
    this.#calls.set(index, new StreamedCall(this.#sink, callId(item, index), string(item.name) ?? ''));
  }

  #finish(index: number, item: JsonObject): void {
    this.#items.set(index, { ...item, call_id: callId(item, index) });
    if (item.type === 'function_call') {
      this.#start(index, item);
      const call = this.#calls.get(index);
      if (call?.text === '') call.push(string(item.arguments) ?? '');
    } else if (!this.#streamed.has(index)) {
      for (const block of toCanonical(item, false)) {
        if (block.type === 'text') this.#sink.text(String(block.text));
        else if (block.type === 'thinking') this.#sink.thinking(String(block.text));
      }
    }
  }
}

function callId(item: JsonObject, index: number): string {
  return string(item.call_id) || string(item.id) || `call_${index}`;
}

function toCanonical(item: JsonObject, capped: boolean): Block[] {
  switch (item.type) {
    case 'message':
      return block(
        'text',
        list(item.content)
          .map((part) => string(object(part)?.text) ?? string(object(part)?.refusal) ?? '')
          .join(''),
      );
    case 'reasoning':
      return block('thinking', [...textsOf(item.summary), ...textsOf(item.content)].join('\n\n'));
    case 'function_call':
      return [callBlock(String(item.call_id), string(item.name) ?? '', string(item.arguments) ?? '', capped)];
    default:
      return [];
  }
}

function textsOf(value: Json | undefined): string[] {
  return list(value).flatMap((part) => string(object(part)?.text) ?? []);
}

function block(type: 'text' | 'thinking', text: string): Block[] {
  return text === '' ? [] : [{ type, text }];
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const members: Usage = {};
  const [input, output] = [count(usage.input_tokens), count(usage.output_tokens)];
  const cached = count(object(usage.input_tokens_details)?.cached_tokens);
  if (input !== undefined) members.input_tokens = input;
  if (output !== undefined) members.output_tokens = output;
  if (cached !== undefined) members.cached_tokens = cached;
  return members;
}
