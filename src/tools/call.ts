import type { ToolResult } from '../../workers/protocol.js';

/** Why a call of a model response is answered without being run (cases/reports rows 56 and 58). */
export type CallRefusalKind = 'malformed' | 'truncated' | 'unrequested';

export interface CallRefusal {
  readonly kind: CallRefusalKind;
  /** The text of the error result the model gets under the call's id. */
  readonly message: string;
}

/** One tool call of a model response. Unique `id` within its response; results are paired by it, never by position. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** An object for every call that may run; for a refused call what the driver gave, unless that nests too deep to be written down. */
  readonly input: unknown;
  /** The exact text handed to the tool as `tool-input.data`; for a refused call the text that was refused. */
  readonly inputText: string;
  /** Present: never run this call, answer it with `message`. */
  readonly refused?: CallRefusal;
}

/** Facts about a foreground shell command that a tool call ran. */
export interface ShellDispatch {
  readonly binary: string;
  readonly command: string;
  readonly exitCode: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  readonly resourceLimit?: string;
}

/** Facts about a command that outran its grace and went on in the background. */
export interface DetachedDispatch {
  readonly workId: string;
  readonly binary: string;
  readonly command: string;
  readonly graceMs: number;
}

/** What dispatching one call produced (seed `DispatchOutcome`). `shell` and `detached` are never both set. */
export interface DispatchOutcome {
  /** `result.data` is fenced already when `fenceSource` is set. */
  readonly result: ToolResult;
  readonly shell?: ShellDispatch;
  readonly detached?: DetachedDispatch;
  /** Served by returning a skill file: traced `skill_call`, not `tool_call`. */
  readonly isSkill: boolean;
  /** The source `result.data` was wrapped under. Set by the code that wraps; never derived by parsing. */
  readonly fenceSource?: string;
  /** Refused by a rule about what it would do, and traced as that: never `tool_call`. */
  readonly isDenied?: boolean;
  /** The session cannot go on: traced and hooked like any outcome, then thrown by the loop. */
  readonly fatal?: Error;
  /** Runtime text that follows the fence's closing marker. */
  readonly runtimeNote?: string;
  /** Runtime text, unfenced, when the call could not run. Unset whenever the tool ran. */
  readonly runtimeError?: string;
}
