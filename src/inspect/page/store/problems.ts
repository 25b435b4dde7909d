/** Errors, warnings and refusals of a session, from everywhere they are told. */
import type { FaultView, SessionFrame } from '../../frame.js';
import type { Entry } from './model.js';
import { count } from './names.js';

export interface Problem {
  readonly at: number;
  /** `refusal`: something was not allowed, and did not happen. */
  readonly level: 'error' | 'warning' | 'refusal';
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
}

export function problemsOf(entries: readonly Entry[], info: SessionFrame | null): Problem[] {
  const found: Problem[] = [];
  const told = new Set<string>();
  const add = (problem: Problem): void => {
    const key = `${problem.code} ${problem.message}`;
    if (told.has(key)) return;
    told.add(key);
    found.push(problem);
  };
  for (const entry of entries) {
    if (entry.type === 'trace') {
      const problem = fromTrace(entry.line, entry.at);
      if (problem !== null) add(problem);
    } else if (entry.type === 'note' && entry.note.type === 'warning') {
      const { code, message } = entry.note;
      add({ at: entry.at, level: 'warning', code: code || null, message, hint: null });
    } else if (entry.type === 'lost') {
      const message = `this page was too slow: ${count(entry.ev + entry.snap + entry.other, 'frame')} left out`;
      found.push({ at: entry.at, level: 'warning', code: null, message, hint: 'states are right again from here on' });
    } else if (entry.type === 'snap' || entry.type === 'actor') {
      const fault = faultIn(entry.snap.c) ?? faultIn(entry.snap.o);
      if (fault !== null) add(fromFault(fault, entry.at));
    }
  }
  if (info?.ended?.fault) add(fromFault(info.ended.fault, info.ended.at));
  return found;
}

function fromFault({ code, message, hint }: FaultView, at: number): Problem {
  return { at, level: 'error', code, message, hint: hint ?? null };
}

function faultIn(data: unknown): FaultView | null {
  const fault = (data as { fault?: unknown } | null | undefined)?.fault as Partial<FaultView> | null | undefined;
  if (typeof fault?.code !== 'string' || typeof fault.message !== 'string') return null;
  const { code, message, hint } = fault;
  return { code, message, ...(typeof hint === 'string' ? { hint } : {}) };
}

type Line = Readonly<Record<string, unknown>>;

const refusals: Readonly<Record<string, (line: Line) => string>> = {
  tool_input_refused: (line) => `${line.tool_name}: ${line.reason}`,
  call_denied: (line) => `${line.target}: ${line.reason}`,
  protected_path_denied: (line) => `${line.path}: ${line.reason}`,
  spend_ceiling_reached: (line) => `the ${line.limit} may spend ${line.ceiling} tokens, ${line.used} are used`,
  control_refused: (line) => `${line.kind ?? 'control'} ${line.name ?? ''}: ${line.reason}`,
  task_rejected: (line) => `task ${line.task_id}: ${line.reason}`,
  component_deadline: (line) => `${line.kind} ${line.name} ran longer than ${line.limit_seconds} s`,
};

function fromTrace(line: Line, at: number): Problem | null {
  const type = String(line.event_type);
  const refused = refusals[type];
  if (refused !== undefined) return { at, level: 'refusal', code: type, message: refused(line), hint: null };
  if (type === 'task_failed')
    return { at, level: 'error', code: String(line.cause), message: String(line.reason), hint: null };
  if (type === 'inference' && line.decision === 'error') {
    const message = String(line.error ?? 'the model call failed');
    return { at, level: 'error', code: String(line.error_code ?? 'driver_error'), message, hint: null };
  }
  if (type === 'tool_call' && typeof line.error === 'string') {
    return { at, level: 'error', code: null, message: `${line.tool_name}: ${line.error}`, hint: null };
  }
  return null;
}
