/**
 * What one event did to one machine, in the form the log has it. The recorder describes the live machine with it and the fold the
 * replayed one, so that both can be compared.
 */
import { hash } from 'node:crypto';
import type { AnyActorRef, AnyMachineSnapshot, StateValue } from 'xstate';
import { plainJson, type Redact } from './plain.js';
import type { MachineState, Request } from './types.js';

/** An action as xstate reports it, live and in a pure transition. */
export interface ReportedAction {
  readonly type: string;
  readonly params: unknown;
}

/** What the log says of a step, beside the event. */
export interface StepFacts {
  readonly s: string;
  readonly c?: Readonly<Record<string, unknown>>;
  readonly h: string;
  readonly r?: string;
}

export function factsOf(
  before: AnyMachineSnapshot | undefined,
  after: AnyMachineSnapshot,
  requests: readonly Request[],
  redact?: Redact,
): StepFacts {
  const c = before === undefined ? undefined : changedContext(before.context, after.context);
  const r = requests.length === 0 ? undefined : requestsText(requests, redact);
  return {
    s: stateText(after.value),
    ...(c === undefined ? {} : { c }),
    h: stateHash(after, redact),
    ...(r === undefined ? {} : { r }),
  };
}

/** `running.serving.working`; the regions of a parallel state as `active{loop.turning, attention.working}`. */
export function stateText(value: StateValue): string {
  if (typeof value === 'string') return value;
  const parts = Object.entries(value).map(([key, below]) => {
    if (below === undefined) return key;
    const text = stateText(below);
    return text === '' ? key : `${key}${text.startsWith('{') ? '' : '.'}${text}`;
  });
  return parts.length === 1 ? parts[0]! : parts.length === 0 ? '' : `{${parts.join(', ')}}`;
}

/** Hash of everything the next event can depend on. */
export function stateHash(
  {
    status,
    value,
    context,
    output,
    error,
  }: Pick<AnyMachineSnapshot, 'status' | 'value' | 'context' | 'output' | 'error'>,
  redact?: Redact,
): string {
  return shortHash(plainJson([status, value, context, output, error], redact), 16);
}

/** The request an action stands for; ids in the place of live references. */
export function requestOf({ type, params }: ReportedAction): Request {
  const of = (params ?? {}) as Record<string, unknown>;
  switch (type) {
    case 'xstate.spawnChild':
      // The id as declared may be a function; the actor has what it gave.
      return {
        text: `start ${of.actorRef == null ? String(of.id) : idOf(of.actorRef)}`,
        params: { src: nameOf(of.src), input: of.input },
      };
    case 'xstate.stopChild':
      return { text: `stop ${idOf(params)}`, params: null };
    case 'xstate.cancel':
      return { text: `cancel ${String(of.sendId)}`, params: null };
    case 'xstate.sendTo':
      return { text: `send ${idOf(of.to)} ${typeOf(of.event)}`, params: { event: of.event, delay: of.delay } };
    case 'xstate.raise':
      return { text: `raise ${typeOf(of.event)}`, params: { event: of.event, delay: of.delay } };
    default:
      return { text: type, params: params ?? null };
  }
}

/** A machine as plain data. */
export function stateOf(
  { path, run, chart }: Pick<MachineState, 'path' | 'run' | 'chart'>,
  snapshot: AnyMachineSnapshot,
): MachineState {
  const { status, value, context, output, error, children, historyValue } = snapshot;
  const history = Object.entries(historyValue ?? {});
  return {
    ...{ path, run, chart, status, value, context },
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    children: Object.keys(children).filter((id) => children[id] !== undefined),
    ...(history.length === 0
      ? {}
      : { history: Object.fromEntries(history.map(([id, nodes]) => [id, nodes.map((node) => node.id)])) }),
  };
}

function changedContext(before: Record<string, unknown>, after: Record<string, unknown>) {
  if (before === after) return undefined;
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function requestsText(requests: readonly Request[], redact: Redact | undefined): string {
  const params = plainJson(
    requests.map((request) => request.params),
    redact,
  );
  return `${requests.map(({ text }) => text).join(', ')} #${shortHash(params, 8)}`;
}

function shortHash(text: string, digits: number): string {
  return hash('sha256', text).slice(0, digits);
}

function idOf(ref: unknown): string {
  return typeof ref === 'string' ? ref : String((ref as AnyActorRef | undefined)?.id ?? 'nobody');
}

function nameOf(src: unknown): string {
  return typeof src === 'string' ? src : 'inline';
}

function typeOf(event: unknown): string {
  return String((event as { type?: unknown } | undefined)?.type);
}
