import type { ToolResult } from '../../workers/protocol.js';
import { isNestedTooDeep, maxJsonLevels } from '../text/nesting.js';
import { truncateUtf8 } from '../text/truncate.js';
import type { ToolCall } from '../tools/call.js';
import { cutCharacters } from '../tools/excerpt.js';
import type { CallOutcome } from '../wasm/types.js';
import { type MintCallId, readCalls } from './calls.js';
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

const maxErrorBytes = 2000;

/**
 * The typed meaning of what a driver call returned (drivers.md sections 1 and 4). Never throws.
 *
 * A failure is signalled by the result status or by `stop_reason: error`; either suffices. `content` that is missing or of
 * another shape reads as no blocks, a bare string as one text block.
 */
export function readResponse(result: ToolResult, options: ReadOptions = {}): DriverOutcome {
  const rawText = result.data ?? result.summary;
  const body = parseBody(rawText);
  const stopReason = typeof body?.stop_reason === 'string' ? body.stop_reason : '';
  const seen = { rawText, stopReason, usage: readUsage(body?.usage) };

  if (result.status !== 'passed' || stopReason === 'error') {
    const plain = body === undefined ? result.data : undefined;
    const message =
      firstText(body?.error, plain, result.summary, result.data) ?? 'the driver reported an error without a text';
    return failure('driver_error', message, seen, options);
  }
  if (rawText === undefined) {
    return failure('malformed_response', 'the driver returned no response body', seen, options);
  }
  if (body === undefined) {
    const start = JSON.stringify(cutCharacters(options.redact?.(rawText) ?? rawText, 200));
    return failure('malformed_response', `the driver's response is not a JSON object: ${start}`, seen, options);
  }
  const blocks = normaliseContent(body.content);
  // The input of a call is judged with the call (calls.ts): it is refused alone.
  if (blocks.some((block) => isNestedTooDeep(block.type === 'tool_call' ? { ...block, input: null } : block))) {
    const message = `a content block of the driver's response is nested deeper than ${maxJsonLevels} levels`;
    return failure('malformed_response', message, seen, options);
  }
  const toolName = firstToolName(blocks);
  if (stopReason !== 'tool_call' && stopReason !== 'end_turn' && stopReason !== 'max_tokens') {
    const message =
      stopReason === ''
        ? 'the driver gave no stop_reason'
        : `unsupported stop_reason '${cutCharacters(stopReason, 200)}'`;
    return failure('malformed_response', message, { ...seen, counted: 'text', toolName }, options);
  }
  if (stopReason === 'tool_call' && toolName === null) {
    const message = "the driver gave stop_reason 'tool_call' without a tool_call block";
    return failure('malformed_response', message, { ...seen, counted: 'tool_call' }, options);
  }

  const { content, calls } = readCalls(blocks, stopReason, options.mintCallId);
  const continuationId = firstMetadata(result, 'continuation_id');
  return {
    status: 'ok',
    stopReason,
    decision: stopReason === 'max_tokens' ? 'text' : stopReason,
    content,
    calls,
    text: textOf(content),
    usage: seen.usage,
    ...(continuationId === undefined ? {} : { continuationId }),
    rawText,
    toolName,
  };
}

/** As `readResponse`, for a component call that may not have returned at all: a trap, deadline or limit is `driver_failed`. */
export function readDriverCall(outcome: CallOutcome, options: ReadOptions = {}): DriverOutcome {
  if (outcome.status === 'failed') return failure('driver_failed', outcome.failure.message, noBody, options);
  if (outcome.result === undefined) {
    return failure('malformed_response', 'the driver returned no result', noBody, options);
  }
  return readResponse(outcome.result, options);
}

/** The value of the first tuple of `key`; absent when there is none or it is empty (wit.md 2.1). */
export function firstMetadata(result: ToolResult, key: string): string | undefined {
  const value = result.metadata.find(([name]) => name === key)?.[1];
  return value === '' ? undefined : value;
}

interface Seen {
  readonly rawText?: string | undefined;
  readonly stopReason: string;
  readonly usage: Usage;
  /** The decision to record when the call itself went well. */
  readonly counted?: 'text' | 'tool_call';
  readonly toolName?: string | null;
}

const noBody: Seen = { stopReason: '', usage: {} };

function failure(errorCode: InferenceErrorCode, message: string, seen: Seen, options: ReadOptions): DriverFailure {
  const rejected = options.credentialRejected;
  const text = rejected ?? message;
  return {
    status: 'failed',
    errorCode: rejected === undefined ? errorCode : 'credential_rejected',
    message: truncateUtf8(options.redact === undefined ? text : options.redact(text), maxErrorBytes),
    ...(options.providerStatus === undefined ? {} : { providerStatus: options.providerStatus }),
    decision: seen.counted ?? 'error',
    stopReason: seen.stopReason,
    counted: seen.counted !== undefined,
    usage: seen.usage,
    ...(seen.rawText === undefined ? {} : { rawText: seen.rawText }),
    toolName: seen.toolName ?? null,
  };
}

interface Body {
  readonly stop_reason?: unknown;
  readonly content?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
}

function parseBody(text: string | undefined): Body | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function firstToolName(blocks: readonly ContentBlock[]): string | null {
  const call = blocks.find((block) => block.type === 'tool_call');
  if (call === undefined) return null;
  return typeof call.name === 'string' ? call.name : '';
}

function firstText(...candidates: readonly unknown[]): string | undefined {
  return candidates.find((text): text is string => typeof text === 'string' && text.trim() !== '');
}
