import { invalidParams, type RpcError, type RpcOutcome } from '../json-rpc.js';
import { deliverUnnamed } from './deliver.js';
import type { DialectAnswer, DialectContext, Params } from './dialect.js';
import { noExtendedCard, plain, taskNotFound } from './errors.js';
import { historyOf, refuseHistoryLength } from './history.js';
import { parseMessage } from './message.js';
import { dialectOf, type MethodEntry } from './methods.js';
import { taskObject } from './task-object.js';

/** A2A 0.3 and Murmur read one card behind authentication. */
export const olderExtendedCard: MethodEntry = {
  answer: (_params, { extendedCards }) =>
    extendedCards === undefined ? { error: noExtendedCard } : { result: extendedCards.v03 },
  isListed: ({ isAuthenticated }) => isAuthenticated,
};

/** The Murmur dialect (spec/door.md, column `mur`): a send answers at once, a `tasks/get` without id means the active task. */
export const murmur = dialectOf('older', {
  'message/send': { answer: send, check: checkMessage, isStart: true },
  'message/stream': { answer: stream, check: checkMessage, isStart: true, isStream: true },
  'stream/watch': {
    answer: (_params, _context, { id }) => ({ stream: { frames: 'mur', id, wish: { kind: 'watch' } } }),
    isStream: true,
  },
  'tasks/get': { answer: get, check: checkGet },
  'tasks/cancel': { answer: cancel, check: checkCancel },
  'session/stop': { answer: stop, isServed: ({ tasks }) => tasks.stop !== undefined },
  'agent/getAuthenticatedExtendedCard': olderExtendedCard,
});

function checkMessage(params: Params): RpcError | undefined {
  const parsed = parseMessage(params);
  return parsed.ok ? undefined : invalidParams(parsed.why);
}

function send(params: Params, context: DialectContext): RpcOutcome {
  const parsed = parseMessage(params);
  if (!parsed.ok) return { error: invalidParams(parsed.why) };
  const delivered = deliverUnnamed(parsed.message, context);
  return 'error' in delivered ? delivered : { result: taskObject(delivered) };
}

function stream(params: Params, context: DialectContext, { id }: { readonly id: unknown }): DialectAnswer {
  const parsed = parseMessage(params);
  const wish = parsed.ok
    ? ({ kind: 'start', start: () => deliverUnnamed(parsed.message, context) } as const)
    : ({ kind: 'refused', error: invalidParams(parsed.why) } as const);
  return { stream: { frames: 'mur', id, wish } };
}

function checkGet({ id, historyLength }: Params): RpcError | undefined {
  if (id !== undefined && id !== null && typeof id !== 'string') return invalidParams('id must be a string');
  return refuseHistoryLength(historyLength);
}

function get(params: Params, { tasks }: DialectContext): RpcOutcome {
  const wrong = checkGet(params);
  if (wrong !== undefined) return { error: wrong };
  const { id, historyLength } = params;
  const named = typeof id === 'string' ? id : undefined;
  const task = tasks.get(named);
  if (task === undefined) return { error: plain(taskNotFound(named ?? '')) };
  // Only who asks for history gets it: a Murmur reader knows none, an A2A 0.3 one without a version header may.
  const history = typeof historyLength === 'number' ? historyOf(tasks, task.taskId, historyLength) : [];
  return { result: taskObject(task, [], history) };
}

function checkCancel({ id }: Params): RpcError | undefined {
  return typeof id === 'string' && id !== '' ? undefined : invalidParams('id names the task to cancel');
}

function cancel(params: Params, { tasks }: DialectContext): RpcOutcome {
  const wrong = checkCancel(params);
  if (wrong !== undefined) return { error: wrong };
  const id = String(params.id);
  const outcome = tasks.cancel(id);
  return outcome === undefined
    ? { error: plain(taskNotFound(id)) }
    : { result: taskObject(outcome.task, outcome.residue) };
}

function stop(_params: Params, { tasks }: DialectContext): RpcOutcome {
  const { canceled, residue } = tasks.stop!();
  return { result: { canceled, residue } };
}
