import type { RpcError, RpcOutcome } from '../json-rpc.js';
import type { DialectContext, Params } from './dialect.js';
import { unsupportedOperation } from './errors.js';
import { historyOf, refuseHistoryLength } from './history.js';
import { fitting, type ListQuestion, readListing, writeCursor } from './list.js';
import { v1Message } from './message-v1.js';
import { dialectOf } from './methods.js';
import { standardMethods } from './standard.js';
import { v1State, v1Task } from './task-v1.js';

const { send, stream, subscribe, get, cancel, push } = standardMethods({
  message: v1Message,
  isBlocking: ({ returnImmediately }) => returnImmediately !== true,
  stateWord: v1State,
  takesFollowUps: false,
  task: v1Task,
  sent: (task) => ({ task }),
  error: (error) => error,
  frames: ({ headers }) => (headers.wantsMurmurFrames ? 'mur' : 'v1'),
});

/** A2A 1.0 over JSON-RPC (spec/door.md, column `v1`): a send waits unless it says otherwise, an error says why in a word. */
export const v1 = dialectOf('v1', {
  SendMessage: { ...send, isStart: true },
  SendStreamingMessage: { ...stream, isStart: true, isStream: true },
  GetTask: get,
  ListTasks: { answer: list, check: checkList },
  CancelTask: cancel,
  SubscribeToTask: { ...subscribe, isStream: true },
  GetExtendedAgentCard: { answer: extendedCard, isListed: ({ isAuthenticated }) => isAuthenticated },
  CreateTaskPushNotificationConfig: push,
  GetTaskPushNotificationConfig: push,
  ListTaskPushNotificationConfigs: push,
  DeleteTaskPushNotificationConfig: push,
});

function readList(params: Params): ListQuestion | { readonly error: RpcError } {
  const wrong = refuseHistoryLength(params.historyLength);
  return wrong === undefined ? readListing(params) : { error: wrong };
}

function checkList(params: Params): RpcError | undefined {
  const asked = readList(params);
  return 'error' in asked ? asked.error : undefined;
}

function list(params: Params, { tasks }: DialectContext): RpcOutcome {
  const asked = readList(params);
  if ('error' in asked) return asked;
  const { historyLength, includeArtifacts } = params;
  const { size } = asked.page;
  const page = asked.isEmpty ? { tasks: [], total: 0 } : tasks.list(asked.filter, asked.page);
  const shown = fitting(page.tasks, (task) => historyOf(tasks, task.taskId, historyLength));
  const last = shown.length < page.tasks.length ? shown.at(-1)?.task : undefined;
  const next = last ?? ('next' in page ? page.next : undefined);
  return {
    result: {
      tasks: shown.map(({ task, history }) => {
        const { artifacts, ...rest } = v1Task(task, [], history);
        return includeArtifacts === true && artifacts !== undefined ? { ...rest, artifacts } : rest;
      }),
      nextPageToken: next === undefined ? '' : writeCursor(next),
      pageSize: size,
      totalSize: page.total,
    },
  };
}

function extendedCard(_params: Params, { extendedCards }: DialectContext): RpcOutcome {
  if (extendedCards !== undefined) return { result: extendedCards.v1 };
  return { error: unsupportedOperation('this door has no extended card') };
}
