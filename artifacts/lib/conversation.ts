/**
 * The JSON a driver is called with and answers with, and the check of the first. Provider formats are each driver's own
 * business. Source: spec/drivers.md sections 2 and 4.
 */
import { isObject, type Json, type JsonObject, kind, list, object, parse, string } from './json.js';
import { type Metadata, passed, type ToolResult } from './tool.js';

export type Block = JsonObject;

export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly Block[];
  readonly toolCallId: string;
  readonly isError: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: JsonObject;
}

export interface Request {
  readonly model: string;
  readonly maxTokens: number;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly params: JsonObject;
  readonly system: string;
  readonly promptCacheKey: string | undefined;
  readonly continuationId: string | undefined;
}

export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  cache_write_tokens?: number;
}

export interface Answer {
  readonly stopReason: string;
  readonly content: readonly Json[];
  readonly usage: Usage | undefined;
  readonly continuationId?: string | undefined;
}

/** Receives progress as it happens. `callBytes` is cumulative per call. */
export interface Sink {
  text(chunk: string): void;
  thinking(chunk: string): void;
  callStarted(id: string, name: string): void;
  callBytes(id: string, bytes: number): void;
}

/** A failure the person who runs the capsule reads: what failed, the value, what was expected. */
export class DriverError extends Error {}

/** The request in `data`, checked. Throws `DriverError`. */
export function readRequest(data: string | null): Request {
  const body = data === null ? undefined : parse(data);
  if (!isObject(body))
    throw new DriverError(`the request must be a JSON object, got ${body === undefined ? 'no JSON' : kind(body)}`);
  const model = string(body.model);
  if (!model)
    throw new DriverError(`the request's model must be a non-empty string, got ${JSON.stringify(body.model)}`);
  const maxTokens = body.max_tokens;
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 1) {
    throw new DriverError(`the request's max_tokens must be a positive integer, got ${JSON.stringify(maxTokens)}`);
  }
  if (!Array.isArray(body.messages))
    throw new DriverError(`the request's messages must be a list, got ${kind(body.messages)}`);
  return {
    model,
    maxTokens,
    messages: body.messages.map(readMessage),
    tools: list(body.tools).map(readTool),
    params: object(body.params) ?? {},
    system: string(body.system) ?? '',
    promptCacheKey: string(body.prompt_cache_key) || undefined,
    continuationId: string(body.continuation_id) || undefined,
  };
}

function readMessage(value: Json, index: number): Message {
  const where = `messages[${index}]`;
  if (!isObject(value)) throw new DriverError(`${where} must be an object, got ${kind(value)}`);
  const role = value.role;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw new DriverError(`${where}.role must be user, assistant or tool, got ${JSON.stringify(role)}`);
  }
  if (!Array.isArray(value.content))
    throw new DriverError(`${where}.content must be a list, got ${kind(value.content)}`);
  const toolCallId = string(value.tool_call_id) ?? '';
  if (role === 'tool' && toolCallId === '') throw new DriverError(`${where} is a tool message without tool_call_id`);
  return { role, content: value.content.filter(isObject), toolCallId, isError: value.is_error === true };
}

function readTool(value: Json, index: number): Tool {
  const name = isObject(value) ? string(value.name) : undefined;
  if (!isObject(value) || !name) throw new DriverError(`tools[${index}] must be an object with a name`);
  const parameters = object(value.parameters) ?? { type: 'object', properties: {} };
  return { name, description: string(value.description) || undefined, parameters };
}

/** The text of `blocks`' text blocks, joined without a separator. */
export function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === 'text' ? (string(block.text) ?? '') : '')).join('');
}

/** The tool result the loop reads for `answer`. */
export function answered(answer: Answer): ToolResult {
  const { stopReason, content, usage, continuationId } = answer;
  const metadata: Metadata = continuationId ? [['continuation_id', continuationId]] : [];
  return passed({ data: JSON.stringify({ stop_reason: stopReason, content, ...(usage && { usage }) }), metadata });
}
