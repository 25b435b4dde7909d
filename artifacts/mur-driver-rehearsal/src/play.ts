/**
 * Plays one turn of a script against one request. Pure apart from the sink and the pause it is given. Not the script's
 * grammar (script.ts). The driver keeps nothing between calls: the turn's number is how many assistant messages the
 * request holds, or what the continuation id says.
 */
import { type Answer, DriverError, type Message, type Request, type Sink, textOf } from '../../lib/conversation.js';
import { isObject, type Json } from '../../lib/json.js';
import { byteLength, cut } from '../../lib/utf8.js';
import { improvise } from './improvise.js';
import type { Script, ScriptedCall, Turn } from './script.js';

export interface Stage {
  readonly sink: Sink;
  pause(ms: number): void;
}

/** `raw` stands for the whole response text when the script dictates it. */
export type Played = Answer | { readonly raw: string };

const silence: Turn = {
  expect: [],
  think: undefined,
  say: 'The rehearsal script is over.',
  calls: [],
  delayMs: 0,
  error: undefined,
  stopReason: undefined,
  usage: undefined,
  continuationId: undefined,
  raw: undefined,
  crash: false,
};

const continuationPrefix = 'rehearsal-turn-';

/** The answer of the script's next turn; `requestBytes` only feeds the token estimate. Throws `DriverError`. */
export function play(script: Script | undefined, request: Request, requestBytes: number, stage: Stage): Played {
  const index = turnIndex(request);
  const turn = script ? turnAt(script, index) : { ...silence, ...improvise(request, index) };
  const results = lastResults(request.messages);
  check(turn, index, results);
  const fill = filler(request, results);

  const content: Json[] = [];
  if (turn.think !== undefined) content.push(perform(fill(turn.think), 'thinking', turn, stage));
  if (turn.say !== undefined) content.push(perform(fill(turn.say), 'text', turn, stage));
  for (const [n, call] of turn.calls.entries())
    content.push(place(call, `call_${index + 1}_${n + 1}`, fill, turn, stage));

  if (turn.crash) throw new Error('the rehearsal script asked for a crash');
  if (turn.error !== undefined) throw new DriverError(fill(turn.error));
  if (turn.raw !== undefined) return { raw: turn.raw };
  const usage = turn.usage ?? {
    input_tokens: Math.ceil(requestBytes / 4),
    output_tokens: Math.ceil(byteLength(JSON.stringify(content)) / 4),
  };
  return {
    stopReason: turn.stopReason ?? (turn.calls.length > 0 ? 'tool_call' : 'end_turn'),
    content,
    usage: usage as Answer['usage'],
    continuationId: turn.continuationId === 'auto' ? continuationPrefix + (index + 1) : turn.continuationId,
  };
}

function turnIndex(request: Request): number {
  const { continuationId, messages } = request;
  const carried = continuationId?.startsWith(continuationPrefix)
    ? Number(continuationId.slice(continuationPrefix.length))
    : Number.NaN;
  return Number.isInteger(carried) ? carried : messages.filter((message) => message.role === 'assistant').length;
}

function turnAt(script: Script, index: number): Turn {
  const { turns, loop } = script;
  return turns[loop ? index % turns.length : index] ?? silence;
}

/** Texts of the tool messages behind the last assistant message, without the runtime's fence lines. */
function lastResults(messages: readonly Message[]): string[] {
  const last = messages.map((message) => message.role).lastIndexOf('assistant');
  return messages
    .slice(last + 1)
    .flatMap((message) => (message.role === 'tool' ? [unfenced(textOf(message.content))] : []));
}

/** What stands inside the outermost fence, when there is one. */
function unfenced(text: string): string {
  return /^<untrusted-content[^\n]*>\n([\s\S]*)\n<\/untrusted-content>/.exec(text)?.[1] ?? text;
}

function check(turn: Turn, index: number, results: readonly string[]): void {
  const missing = turn.expect.find((text) => !results.some((result) => result.includes(text)));
  if (missing === undefined) return;
  const got = results.length === 0 ? 'there was no tool result' : `got ${JSON.stringify(cut(results.join('\n'), 500))}`;
  throw new DriverError(`rehearsal turn ${index + 1} expected a tool result with ${JSON.stringify(missing)}; ${got}`);
}

/** Replaces `{{task}}`, `{{result}}`, `{{model}}` and `{{tools}}`; other text stays. */
function filler(request: Request, results: readonly string[]): (text: string) => string {
  const task = request.messages.filter((message) => message.role === 'user').at(-1);
  const values: Record<string, string> = {
    task: unfenced(textOf(task?.content ?? [])),
    result: results.at(-1) ?? '',
    model: request.model,
    tools: request.tools.map((tool) => tool.name).join(', '),
  };
  return (text) => text.replace(/\{\{(task|result|model|tools)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** Streams `text` word by word and gives the block that goes into the answer. */
function perform(text: string, type: 'text' | 'thinking', turn: Turn, stage: Stage): Json {
  const emit = type === 'text' ? stage.sink.text : stage.sink.thinking;
  for (const piece of text.match(/\s*\S+\s*|\s+/g) ?? []) {
    if (turn.delayMs > 0) stage.pause(turn.delayMs);
    emit(piece);
  }
  return { type, text };
}

function place(call: ScriptedCall, fallbackId: string, fill: (text: string) => string, turn: Turn, stage: Stage): Json {
  const id = call.id ?? fallbackId;
  const input = filled(call.input, fill);
  stage.sink.callStarted(id, call.tool);
  if (turn.delayMs > 0) stage.pause(turn.delayMs);
  stage.sink.callBytes(id, byteLength(typeof input === 'string' ? input : JSON.stringify(input)));
  return { type: 'tool_call', id, name: call.tool, input };
}

function filled(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => filled(item, fill));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]));
}
