/**
 * The conversation record of one context: `conversation.jsonl`, one message per line, appended as each enters the context
 * (session.md 7.1). Not the trace, and not the list the model sees; `threaded` loads the second from the first.
 */
import { isNestedTooDeep } from '../text/nesting.js';
import { type Message, normaliseContent, toolMessage } from './message.js';

/** Name of the record inside `conversations/<record>/<context id>/`. */
export const conversationFile = 'conversation.jsonl';

/** The record file, held open for appending (`AppendFile` of src/home). */
export interface LineAppender {
  /** Appends `line` and a line feed in one write, on a fresh line even behind a torn one. Throws when it cannot. */
  writeLine(line: string): void;
}

/** What the record keeps about a message beside the message. */
export interface RecordExtras {
  /** Fence source of the content. */
  readonly fence?: string | undefined;
  readonly canceled?: true | undefined;
  readonly truncated?: true | undefined;
  /** The content as it may be shown and sent away: only of a message that holds a secret of its session, which reads it whole. */
  readonly shown?: unknown;
}

export interface ConversationRecorder {
  /** Appends one message. Never throws: the task runs on without its record. */
  record(message: Message, extras?: RecordExtras): void;
}

/** A recorder over an open file. `onFailure` hears of the first failed write only. */
export function createRecorder(file: LineAppender, onFailure: (error: unknown) => void): ConversationRecorder {
  let failed = false;
  return {
    record(message, extras = {}) {
      try {
        file.writeLine(JSON.stringify({ ...message, ...extras }));
      } catch (error) {
        if (!failed) onFailure(error);
        failed = true;
      }
    },
  };
}

export interface LoadedConversation {
  readonly messages: readonly Message[];
  /** The first line, when it is a header and not a message. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Lines that hold no message, by 1-based number. */
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
}

/**
 * Every whole message of a record. Lines that are no JSON, nest too deeply, hold NUL padding, are cut inside a character or
 * are no message are skipped and named, never fatal: one bad line must not lose a history. Keys a message does not know are kept.
 */
export function readConversation(bytes: Uint8Array): LoadedConversation {
  const messages: Message[] = [];
  const skipped: { line: number; reason: string }[] = [];
  let header: Readonly<Record<string, unknown>> | undefined;
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    const value = parseLine(bytes.subarray(start, end));
    start = end + 1;
    if (value === undefined) continue;
    if (typeof value === 'string') skipped.push({ line, reason: value });
    else if (isMessage(value)) messages.push({ ...value, content: normaliseContent(value.content) });
    else if (line === 1 && value.role === undefined) header = value;
    else skipped.push({ line, reason: 'not a message' });
  }
  return { messages, skipped, ...(header === undefined ? {} : { header }) };
}

/**
 * The messages with every tool call answered exactly once, right behind its message, and no answer without its call. A
 * session killed between a call and its result leaves such gaps, and providers refuse the whole conversation for one.
 */
export function mendPairs(messages: readonly Message[], missing = unanswered): Message[] {
  const mended: Message[] = [];
  for (let at = 0; at < messages.length; ) {
    const message = messages[at]!;
    at += 1;
    if (message.role === 'tool') continue;
    mended.push(message);
    const ids = message.role === 'assistant' ? callIds(message) : [];
    if (ids.length === 0) continue;
    const answers = new Map<string, Message>();
    for (let next = messages[at]; next?.role === 'tool'; next = messages[at]) {
      if (!answers.has(next.tool_call_id)) answers.set(next.tool_call_id, next);
      at += 1;
    }
    for (const id of ids) mended.push(answers.get(id) ?? toolMessage(id, missing, true));
  }
  return mended;
}

const unanswered = 'No result was recorded for this call: the session ended before it finished. It may have run.';

function callIds(message: Message): string[] {
  return message.content
    .filter((block) => block.type === 'tool_call' && typeof block.id === 'string')
    .map((block) => block.id as string);
}

/** A parsed object, a reason to skip the line, or undefined for a blank one. */
function parseLine(bytes: Uint8Array): Record<string, unknown> | string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'not UTF-8';
  }
  const trimmed = text.replace(/^[\s\0]+|[\s\0]+$/g, '');
  if (trimmed === '') return text.includes('\0') ? 'NUL padding' : undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    if (isNestedTooDeep(value)) return 'nested too deeply';
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : 'not a JSON object';
  } catch {
    return 'not JSON';
  }
}

function isMessage(value: Record<string, unknown>): value is Record<string, unknown> & Message {
  if (typeof value.id !== 'string') return false;
  if (value.role === 'tool') return typeof value.tool_call_id === 'string' && typeof value.is_error === 'boolean';
  return value.role === 'user' || value.role === 'assistant';
}
