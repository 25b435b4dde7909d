import { sha256Hex } from '../text/index.js';
import type { ToolDefinition } from '../tools/definition.js';
import { type Message, stripRuntimeKeys } from './message.js';

export interface DriverRequestInput {
  /** Model of the driver choice this call uses. */
  readonly model: string;
  /** Output cap of that choice (limits.ts), tokens. */
  readonly maxTokens: number;
  /** The whole conversation, also when a continuation sends a slice of it. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** `''` when there is none; always sent. */
  readonly system: string;
  readonly capsule: { readonly name: string; readonly version: string };
  /** Absent for a call that belongs to no context, such as a hook's completion. */
  readonly contextId?: string;
  /** From continuation.ts: the id, and the index of the first message to send. */
  readonly continuation?: { readonly id: string; readonly from: number };
}

export interface DriverRequest {
  /** The JSON text for `tool-input.data`. */
  readonly text: string;
  /** The same request with every message in it: what occupancy counts. Equal to `text` without a continuation. */
  readonly fullText: string;
  /** Length of the conversation this request brings the provider up to (`ackedLen` once it answers). */
  readonly messageCount: number;
  /** Ids of the messages inside `text`, in order. */
  readonly messageIds: readonly string[];
  /** The exact pieces of `text`, for hashing. */
  readonly parts: {
    /** The system text itself, not its JSON form. */
    readonly system: string;
    readonly tools: string;
    readonly messages: readonly string[];
  };
}

/** Hashes of one request as the trace names them (trace.md section 5). */
export interface RequestHashes {
  readonly system_sha: string;
  readonly tools_sha: string;
  readonly message_shas: readonly string[];
}

/**
 * The request of one driver call (drivers.md section 2), keys in the documented order.
 *
 * Every message and the tool list are serialised once and joined as text, so the hashed bytes are the sent bytes.
 */
export function buildRequest(input: DriverRequestInput): DriverRequest {
  const from = input.continuation?.from ?? 0;
  const all = input.messages.map((message) => JSON.stringify(stripRuntimeKeys(message)));
  const sent = from === 0 ? all : all.slice(from);
  const tools = JSON.stringify(input.tools.map(orderedDefinition));
  const identity = `${input.capsule.name}:${input.capsule.version}`;
  const cacheKey = input.contextId === undefined ? identity : `${identity}:${input.contextId}`;
  const head = `{"model":${JSON.stringify(input.model)},"max_tokens":${input.maxTokens},"messages":[`;
  const tail =
    `],"tools":${tools},"params":{},"system":${JSON.stringify(input.system)}` +
    `,"prompt_cache_key":${JSON.stringify(cacheKey)}`;
  const continuation =
    input.continuation === undefined ? '' : `,"continuation_id":${JSON.stringify(input.continuation.id)}`;
  const text = `${head}${sent.join(',')}${tail}${continuation}}`;
  return {
    text,
    fullText: input.continuation === undefined ? text : `${head}${all.join(',')}${tail}}`,
    messageCount: input.messages.length,
    messageIds: input.messages.slice(from).map((message) => message.id),
    parts: { system: input.system, tools, messages: sent },
  };
}

/** SHA-256 of the parts of a request, over the bytes that were serialised. Skip the call under `trace.capture: none`. */
export function hashRequest(request: DriverRequest): RequestHashes {
  return {
    system_sha: sha256Hex(request.parts.system),
    tools_sha: sha256Hex(request.parts.tools),
    message_shas: request.parts.messages.map(sha256Hex),
  };
}

function orderedDefinition({ name, parameters, description }: ToolDefinition): ToolDefinition {
  return description === undefined || description.trim() === ''
    ? { name, parameters }
    : { name, parameters, description };
}
