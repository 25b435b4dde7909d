import type { ToolResult } from '../../workers/protocol.js';
import { reasonOf } from '../errors/index.js';
import { cutBytes } from '../task/text.js';
import type { ToolCall } from '../tools/call.js';
import { type MintCallId, randomCallId, readCalls } from './calls.js';
import { type ContentBlock, normaliseContent, textOf } from './message.js';
import { readUsage, type Usage } from './usage.js';

export type InferenceErrorCode = 'credential_rejected' | 'driver_error' | 'driver_failed' | 'malformed_response';

/** The `decision` of the trace's `inference` line. */
export type Decision = 'tool_call' | 'end_turn' | 'text' | 'error';

export interface DriverReply {
  readonly status: 'ok';
  readonly stopReason: 'tool_call' | 'end_turn' | 'max_tokens';
  readonly decision: Decision;
  /** For the history: the driver's blocks, with only malformed tool calls mended (calls.ts). */
  readonly content: readonly ContentBlock[];
  /** Every `tool_call` block, in order. Those with `refused` are answered, never run. */
  readonly calls: readonly ToolCall[];
  /** Text blocks joined with a line feed. */
  readonly text: string;
  readonly usage: Usage;
  /** Non-empty `continuation_id` metadata. */
  readonly continuationId?: string;
  /** The response body as received: count and hash this. */
  readonly rawText: string;
  /** Name of the first tool call, for the trace. */
  readonly toolName: string | null;
}

export interface DriverFailure {
  readonly status: 'failed';
  readonly errorCode: InferenceErrorCode;
  /** At most 2000 bytes, well formed. */
  readonly message: string;
  readonly providerStatus?: number;
  readonly decision: Decision;
  /** As the driver gave it; `''` when it gave none. */
  readonly stopReason: string;
  /** The call itself succeeded and only its stop reason is unusable: it counts as a turn, with tokens (trace.md 6). */
  readonly counted: boolean;
  readonly usage: Usage;
  /** Present when there was a body. */
  readonly rawText?: string;
  readonly toolName: string | null;
}

export type DriverOutcome = DriverReply | DriverFailure;

export interface ReadOptions {
  /** HTTP status the gateway saw last. */
  readonly providerStatus?: number;
  /** The runtime's own text when the provider refused the key and its re-read successor: replaces the driver's words. */
  readonly credentialRejected?: string;
  /** Replaces credential values by `[redacted]`. Applied before the message is cut, so a cut never hides half a key. */
  readonly redact?: (text: string) => string;
  /** Ids for calls that came without a usable one. */
  readonly mintCallId?: MintCallId;
}

export const maxErrorBytes = 2000;
