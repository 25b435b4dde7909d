/** Errors, warnings and refusals of a session, from everywhere they are told. */
import type { FaultView, SessionFrame } from '../../frame.js';
import type { Entry, Model } from './model.js';
import { count, plain } from './names.js';

export interface Problem {
  readonly at: number;
  /** `refusal`: something was not allowed, and did not happen. */
  readonly level: 'error' | 'warning' | 'refusal';
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
}

export function problemsOf(
  entries: readonly Entry[],
  info: SessionFrame | null,
  strange: Model['strange'] = null,
): Problem[] {
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
  if (strange !== null) {
    const message = `${count(strange.count, 'frame')} of the sender left out, the last was ${strange.last}`;
    const hint = 'the records have all of it';
    add({ at: entries.at(-1)?.at ?? 0, level: 'warning', code: null, message, hint });
  }
  if (info?.ended?.fault) add(fromFault(info.ended.fault, info.ended.at));
  return found;
}

function fromFault({ code, message, hint }: FaultView, at: number): Problem {
  return { at, level: 'error', code, message, hint: typeof hint === 'string' ? hint : null };
}

function faultIn(data: unknown): FaultView | null {
  const fault = (data as { fault?: unknown } | null | undefined)?.fault as Partial<FaultView> | null | undefined;
  return typeof fault?.code === 'string' && typeof fault.message === 'string' ? (fault as FaultView) : null;
}

type Line = Readonly<Record<string, unknown>>;

const refusals: Readonly<Record<string, (told: (key: string) => string) => string>> = {
  tool_input_refused: (told) => `${told('tool_name')}: ${told('reason')}`,
  call_denied: (told) => `${told('target')}: ${told('reason')}`,
  egress_denied: (told) => `${told('target')}: ${told('reason')}`,
  protected_path_denied: (told) => `${told('path')}: ${told('reason')}`,
  spend_ceiling_reached: (told) => `the ${told('limit')} may spend ${told('ceiling')} tokens, ${told('used')} are used`,
  control_refused: (told) => `${told('kind') || 'control'} ${told('name')}: ${told('reason')}`,
  task_rejected: (told) => `task ${told('task_id')}: ${told('reason')}`,
  component_deadline: (told) => `${told('kind')} ${told('name')} ran longer than ${told('limit_seconds')} s`,
};

function fromTrace(line: Line, at: number): Problem | null {
  const type = plain(line.event_type);
  const told = (key: string): string => plain(line[key] ?? '');
  const refused = refusals[type];
  if (refused !== undefined) return { at, level: 'refusal', code: type, message: refused(told), hint: null };
  const error = (code: string | null, message: string): Problem => ({ at, level: 'error', code, message, hint: null });
  if (type === 'task_failed') return error(told('cause'), told('reason'));
  if (type === 'inference' && line.decision === 'error')
    return error(told('error_code') || 'driver_error', told('error') || 'the model call failed');
  if (type === 'tool_call' && typeof line.error === 'string') return error(null, `${told('tool_name')}: ${line.error}`);
  return null;
}
