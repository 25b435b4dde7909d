import type { CallFailure, ToolResult } from '../../workers/protocol.js';
import { truncateUtf8 } from '../text/truncate.js';
import type { DispatchOutcome } from './call.js';
import { fence, fenceSource } from './fence.js';

/** What a tool that returned no text is answered with. */
export const noDataText = 'tool returned no data';

/**
 * Most bytes of one result that a model reads. No model has room for more, and every byte is sent, hashed, counted and recorded
 * again on each further turn.
 */
export const resultLimitBytes = 1024 * 1024;

/** A dispatched tool's outcome: its text fenced as `tool:<name>`, cut at `resultLimitBytes` with a note that says so. */
export function toolOutcome(name: string, result: ToolResult, runtimeNote?: string): DispatchOutcome {
  const source = fenceSource.tool(name);
  const text = rawText(result);
  const shown = truncateUtf8(text, resultLimitBytes);
  const isCut = shown.length < text.length;
  const outcome: DispatchOutcome = {
    result: { ...result, data: fence(source, shown), truncated: result.truncated || isCut },
    isSkill: false,
    fenceSource: source,
    ...(runtimeNote === undefined ? {} : { runtimeNote }),
  };
  if (!isCut) return outcome;
  return withNote(
    outcome,
    `[This result has ${Buffer.byteLength(text)} bytes; only its first ${Buffer.byteLength(shown)} are shown.]`,
  );
}

/**
 * The outcome of a component call that did not return: an error result with the classified text, and the turn goes on.
 * `runtimeError` is set only where the tool never ran.
 */
export function failedOutcome(name: string, failure: CallFailure): DispatchOutcome {
  const outcome = toolOutcome(name, errorResult(failure.message));
  return failure.kind === 'link-error' ? { ...outcome, runtimeError: failure.message } : outcome;
}

/** A dispatched call that could not run at all: its text is fenced like any result and kept unfenced as `runtimeError`. */
export function unrunnableOutcome(name: string, message: string): DispatchOutcome {
  return { ...toolOutcome(name, errorResult(message)), runtimeError: message };
}

/** A call refused before dispatch. The text is the runtime's own and carries no fence. */
export function refusedOutcome(message: string): DispatchOutcome {
  return { result: errorResult(message), isSkill: false };
}

/** What the model reads for one call. */
export interface ModelResult {
  readonly text: string;
  readonly isError: boolean;
  /** The message key `fence` of the record and `fence_source` of the stream; null when nothing is fenced. */
  readonly fenceSource: string | null;
}

/**
 * The result text of an outcome (spec/tools.md 3.2): fenced data, then the runtime's note, then the one-time deadline
 * notice, each on lines of its own behind the closing marker.
 */
export function modelResult(outcome: DispatchOutcome, deadlineNotice?: string): ModelResult {
  // An empty skill would make an empty message, which providers refuse.
  const parts = [rawText(outcome.result) || noDataText, outcome.runtimeNote, deadlineNotice];
  return {
    text: parts.filter((part) => part !== undefined && part !== '').join('\n'),
    isError: outcome.result.status !== 'passed',
    fenceSource: outcome.fenceSource ?? null,
  };
}

/** Appends runtime text behind a note that may be there already. */
export function withNote(outcome: DispatchOutcome, note: string): DispatchOutcome {
  return { ...outcome, runtimeNote: outcome.runtimeNote === undefined ? note : `${outcome.runtimeNote}\n${note}` };
}

export function errorResult(message: string): ToolResult {
  return { status: 'error', summary: undefined, data: message, dataPath: undefined, truncated: false, metadata: [] };
}

function rawText(result: ToolResult): string {
  return result.data ?? result.summary ?? noDataText;
}
