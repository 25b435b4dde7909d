import { mintId } from '../supervise/ids.js';

/** A canonical content block. Drivers ignore types they do not know, so unknown ones are kept as they are. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface TextBlock extends ContentBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Keys the runtime keeps on a message and no driver sees (session.md 6.1, 7.1). */
interface Bookkeeping {
  /** `msg_` id, minted once where the message is created. */
  readonly id: string;
  readonly source_id?: string;
  readonly inserted_by?: string;
}

export interface UserMessage extends Bookkeeping {
  readonly role: 'user';
  readonly content: readonly ContentBlock[];
}

export interface AssistantMessage extends Bookkeeping {
  readonly role: 'assistant';
  readonly content: readonly ContentBlock[];
}

export interface ToolMessage extends Bookkeeping {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly is_error: boolean;
  readonly content: readonly ContentBlock[];
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

const bookkeepingKeys = new Set(['id', 'source_id', 'inserted_by', 'fence', 'canceled', 'truncated', 'shown']);

/** One text block. */
function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

export function userMessage(text: string, id: string = mintId('msg')): UserMessage {
  return { role: 'user', content: [textBlock(text)], id };
}

export function assistantMessage(content: readonly ContentBlock[], id: string = mintId('msg')): AssistantMessage {
  return { role: 'assistant', content, id };
}

/** The answer to the call `callId`; `text` is what the model reads, fence included. */
export function toolMessage(callId: string, text: string, isError: boolean, id: string = mintId('msg')): ToolMessage {
  return { role: 'tool', tool_call_id: callId, is_error: isError, content: [textBlock(text)], id };
}

/**
 * Message content as an array of blocks, whatever shape it came in. A bare string breaks every driver, so it becomes one
 * text block; array members that are no block are dropped; anything else is empty.
 */
export function normaliseContent(content: unknown): ContentBlock[] {
  if (typeof content === 'string') return [textBlock(content)];
  if (!Array.isArray(content)) return [];
  return content.filter(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

function isTextBlock(block: ContentBlock): block is TextBlock {
  return block.type === 'text' && typeof block.text === 'string';
}

/** All text blocks of a message, joined with a line feed (session.md 6.5). */
export function textOf(content: readonly ContentBlock[]): string {
  return content
    .filter(isTextBlock)
    .map((block) => block.text)
    .join('\n');
}

/**
 * The message as a driver sees it: bookkeeping keys gone, every other key kept, `content` an array, keys in the order of
 * the interface (`role`, `tool_call_id`, `is_error`, `content`, then unknown ones).
 */
export function stripRuntimeKeys(message: Message): Record<string, unknown> {
  const { role, content, ...rest } = message;
  const sent: Record<string, unknown> = { role };
  if (message.role === 'tool') {
    sent.tool_call_id = message.tool_call_id;
    sent.is_error = message.is_error;
  }
  sent.content = normaliseContent(content);
  for (const [key, value] of Object.entries(rest)) {
    if (!bookkeepingKeys.has(key) && !(key in sent)) sent[key] = value;
  }
  return sent;
}
