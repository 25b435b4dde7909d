/**
 * What a session tells whoever watches it from inside this process (CLI progress, library users). Facts, in order, past tense.
 * Not the trace (src/trace) and not the event log: notices carry display data only and may be dropped.
 */
import type { WarningCode } from '../errors/index.js';

export type SessionNotice =
  | { readonly type: 'stage.entered'; readonly step: string }
  | { readonly type: 'component.compiling'; readonly name: string }
  | { readonly type: 'component.compiled'; readonly name: string; readonly durationMs: number }
  | {
      readonly type: 'warning';
      /** `''` for a plain note that has none. */
      readonly code: WarningCode | '';
      readonly message: string;
      readonly origin: 'runtime' | 'manifest' | 'cli';
    }
  | {
      readonly type: 'session.staged';
      readonly sessionId: string;
      readonly workdir: string;
      readonly recordsDir: string;
      /** Whether a door will open; a script capsule has none. Absent counts as yes. */
      readonly hasDoor?: boolean;
      readonly name?: string;
      readonly version?: string;
      /** Driver artifact and model of an agent capsule. */
      readonly driver?: string;
      readonly model?: string;
      /** Number of installed skills. */
      readonly skills?: number;
    }
  | {
      readonly type: 'door.listening';
      readonly sessionId: string;
      readonly url: string;
      readonly pid: number;
      readonly workdir: string;
      /** A token is needed; absent for a public door. */
      readonly auth?: 'bearer';
    }
  | {
      /** Live inspection was asked for: its page, at an address that works once. */
      readonly type: 'inspection.listening';
      readonly url: string;
    }
  | {
      readonly type: 'task.started';
      readonly taskId: string;
      readonly contextId: string;
      readonly source: string;
      readonly text: string;
    }
  | { readonly type: 'turn.started'; readonly taskId: string; readonly turn: number; readonly model: string }
  | { readonly type: 'text.chunk'; readonly taskId: string; readonly text: string }
  | { readonly type: 'thinking.chunk'; readonly taskId: string; readonly text: string }
  | {
      readonly type: 'turn.ended';
      readonly taskId: string;
      readonly turn: number;
      readonly decision: string;
      readonly durationMs: number;
      readonly inputTokens?: number;
      readonly outputTokens?: number;
    }
  | {
      readonly type: 'tool.started';
      readonly taskId: string;
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly input: string;
    }
  | {
      readonly type: 'tool.finished';
      readonly taskId: string;
      readonly callId: string;
      readonly name: string;
      readonly status: 'ok' | 'error';
      readonly durationMs: number;
      readonly outputBytes: number;
      readonly error?: string;
      /** Of a command that ended. */
      readonly exitCode?: number;
      /** Of a command that goes on in the background. */
      readonly workId?: string;
    }
  | {
      /** A tool asks a person: the task waits for the next message at the door. */
      readonly type: 'input.requested';
      readonly sessionId: string;
      readonly taskId: string;
      readonly prompt: string;
    }
  | {
      /** It waits no longer: it was answered, or will not be. */
      readonly type: 'input.ended';
      readonly taskId: string;
      readonly wasAnswered: boolean;
    }
  | {
      readonly type: 'task.ended';
      readonly taskId: string;
      readonly status: string;
      readonly answer?: string;
      readonly reason?: string;
      readonly turns: number;
      readonly durationMs: number;
    }
  | { readonly type: 'session.draining'; readonly reason: string }
  | { readonly type: 'session.ended'; readonly sessionId: string; readonly status: string };

export type NoticeListener = (notice: SessionNotice) => void;
