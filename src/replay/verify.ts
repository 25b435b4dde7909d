import { type Applied, Fold, type InertCharts } from './fold.js';
import { type Keyframe, type LoggedEvent, rootPath } from './log.js';
import { plainJson } from './plain.js';
import { factsOf, type StepFacts } from './step.js';
import type { Divergence, MachineState, Verification } from './types.js';

const longest = 300;

/** Folds all events from the start and compares every step with what the log says of it. Stops at the first difference. */
export function verifyLog(
  charts: InertCharts,
  events: Iterable<LoggedEvent>,
  keyframeAt: (q: number) => Keyframe | undefined,
): Verification {
  const fold = Fold.empty(charts);
  let checked = 0;
  let unchecked = 0;
  let compared = 0;
  const done = (divergence: Divergence | undefined): Verification => ({
    ...{ checked, unchecked, keyframes: compared, divergence },
  });
  for (const event of events) {
    const applied = fold.apply(event);
    if (event.h === undefined) unchecked += 1;
    else {
      const divergence = applied === undefined ? notTaken(event) : compare(event, applied);
      if (divergence !== undefined) return done(divergence);
      checked += 1;
    }
    const frame = keyframeAt(event.q);
    if (frame === undefined) continue;
    const divergence = compareFrame(event, frame, fold.machines());
    if (divergence !== undefined) return done(divergence);
    compared += 1;
  }
  return done(undefined);
}

function compare(event: LoggedEvent, applied: Applied): Divergence | undefined {
  const { before, after, requests, path, run, chart } = applied;
  const facts = factsOf(before, after, requests);
  if (facts.h === event.h && facts.r === event.r) return undefined;
  const where = { q: event.q, path, run, chart, event: event.ev.type };
  if (facts.h !== event.h) return { ...where, kind: 'state', ...stateDifference(event, applied, facts) };
  const nothing = 'nothing';
  return {
    ...where,
    ...{ kind: 'requests', what: 'requests', expected: event.r ?? nothing, actual: facts.r ?? nothing },
  };
}

function stateDifference(event: LoggedEvent, { before, after }: Applied, facts: StepFacts) {
  if (event.s !== undefined && event.s !== facts.s) return { what: 'state', expected: event.s, actual: facts.s };
  if (before !== undefined) {
    const recorded: Record<string, unknown> = { ...before.context, ...event.c };
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(after.context)])) {
      const [expected, actual] = [shown(recorded[key]), shown(after.context[key])];
      if (expected !== actual) return { what: `context.${key}`, expected, actual };
    }
  }
  const rest = after.status === 'active' ? 'context' : 'status, context or output';
  const { status, context, output } = after;
  return {
    what: rest,
    expected: `a state with the hash ${event.h}`,
    actual: `${facts.h}: ${cut(plainJson({ status, context, output }))}`,
  };
}

function notTaken({ q, path = rootPath, run = 1, chart, ev, s = '' }: LoggedEvent): Divergence {
  const name = chart ?? path.split('/').at(-1) ?? path;
  return {
    ...{ q, path, run, chart: name, event: ev.type, kind: 'state', what: 'state', expected: s },
    actual: 'no machine takes the event: it has ended, or there is no such chart',
  };
}

/** A keyframe says the same as the fold: the machines it has are there and stand where it says, and no active one is missing. */
function compareFrame(event: LoggedEvent, frame: Keyframe, machines: readonly MachineState[]): Divergence | undefined {
  const idOf = ({ path, run }: MachineState) => `${path}#${run}`;
  const folded = new Map(machines.map((state) => [idOf(state), state]));
  const stored = new Map(frame.machines.map((state) => [idOf(state), state]));
  const active = machines.filter(({ status }) => status === 'active').map(idOf);
  for (const id of new Set([...stored.keys(), ...active])) {
    const [expected, actual] = [comparable(stored.get(id)), comparable(folded.get(id))];
    if (expected === actual) continue;
    const { path, run, chart } = (stored.get(id) ?? folded.get(id))!;
    return {
      ...{ q: frame.k, path, run, chart, event: event.ev.type, kind: 'keyframe', what: 'keyframe' },
      ...{ expected: cut(expected), actual: cut(actual) },
    };
  }
  return undefined;
}

function comparable(state: MachineState | undefined): string {
  if (state === undefined) return 'no such machine';
  const { children, ...rest } = state;
  return plainJson({ ...rest, children: [...children].sort() });
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : cut(plainJson(value));
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
