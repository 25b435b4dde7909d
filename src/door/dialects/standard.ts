import { isFinal, type TaskMessage, type TaskSnapshot, type TaskState } from '../../task/index.js';
import { isObject, type RpcError, type RpcOutcome } from '../json-rpc.js';
import type { FrameStyle, ResidueItem, StreamWish } from '../port.js';
import { type Delivered, deliverNamed, type NamedRules } from './deliver.js';
import type { DialectAnswer, DialectContext, Method, Params } from './dialect.js';
import { pushNotSupported, taskNotCancelable, taskNotFound, unsupportedOperation } from './errors.js';
import { historyOf, refuseHistoryLength } from './history.js';
import type { MethodEntry } from './methods.js';
import { type MessageRules, readMessage, type StandardMessage } from './standard-message.js';
import { isFromRuntime, settledTask } from './waiting.js';

/** What the two standard dialects say differently about the same methods. */
export interface StandardWords extends NamedRules {
  readonly message: MessageRules;
  /** A send with this configuration waits until its task is settled. */
  isBlocking(configuration: Params): boolean;
  task(task: TaskSnapshot, residue?: readonly ResidueItem[], history?: readonly TaskMessage[]): Record<string, unknown>;
  /** What a send answers its task as. */
  sent(task: Record<string, unknown>): Record<string, unknown>;
  error(error: RpcError): RpcError;
  /** How its streams are written, which the caller may have a say in. */
  frames(context: DialectContext): FrameStyle;
}

/** A send that was read and is well formed. */
interface Asked {
  readonly configuration: Params;
  readonly message: StandardMessage;
}

/** The methods both standard dialects have, in the words of one. */
export function standardMethods(words: StandardWords) {
  const refused = (error: RpcError): RpcOutcome => ({ error: words.error(error) });
  const readSend = (params: Params): Asked | { readonly error: RpcError } => {
    const configuration = isObject(params.configuration) ? params.configuration : {};
    const wrong = refuseHistoryLength(configuration.historyLength);
    if (wrong !== undefined) return { error: words.error(wrong) };
    const read = readMessage(params, words.message);
    return 'error' in read ? { error: words.error(read.error) } : { configuration, message: read.message };
  };
  const checkSend = (params: Params): RpcError | undefined => {
    const asked = readSend(params);
    return 'error' in asked ? asked.error : undefined;
  };
  const deliver = ({ message }: Asked, context: DialectContext): Delivered => {
    const delivered = deliverNamed(message, context, words);
    return 'error' in delivered ? { error: words.error(delivered.error) } : delivered;
  };

  const send: Method = (params, context, request) => {
    const asked = readSend(params);
    if ('error' in asked) return asked;
    const task = deliver(asked, context);
    if ('error' in task) return task;
    const { historyLength } = asked.configuration;
    const answer = (shown: TaskSnapshot): RpcOutcome => ({
      result: words.sent(words.task(shown, [], historyOf(context.tasks, shown.taskId, historyLength))),
    });
    if (!words.isBlocking(asked.configuration) || isFromRuntime(request, context)) return answer(task);
    return settledTask(task, context).then(answer);
  };

  const stream: Method = (params, context, { id }): DialectAnswer => {
    const asked = readSend(params);
    const wish: StreamWish =
      'error' in asked
        ? { kind: 'refused', error: asked.error }
        : { kind: 'start', start: () => deliver(asked, context) };
    return { stream: { frames: words.frames(context), id, wish } };
  };

  const subscribe: Method = (params, context, { id }): DialectAnswer => {
    const task = named('SubscribeToTask', params, context);
    const wishOf = (): StreamWish => {
      if ('error' in task) return { kind: 'refused', error: words.error(task.error) };
      const error = refuseEnded(task, words.stateWord);
      if (error === undefined) return { kind: 'subscribe', task };
      return { kind: 'refused', error: words.error(error), ended: task };
    };
    const wish = wishOf();
    return { stream: { frames: words.frames(context), id, wish } };
  };

  const get: Method = (params, context) => {
    const task = named('GetTask', params, context);
    if ('error' in task) return refused(task.error);
    const wrong = refuseHistoryLength(params.historyLength);
    if (wrong !== undefined) return refused(wrong);
    return { result: words.task(task, [], historyOf(context.tasks, task.taskId, params.historyLength)) };
  };

  const cancel: Method = (params, context) => {
    const task = named('CancelTask', params, context);
    if ('error' in task) return refused(task.error);
    if (isFinal(task.state)) return refused(taskNotCancelable(task.taskId, words.stateWord(task.state)));
    const outcome = context.tasks.cancel(task.taskId)!;
    return {
      result: words.task(outcome.task, outcome.residue, historyOf(context.tasks, task.taskId, undefined)),
    };
  };

  const push: Method = () => refused(pushNotSupported);

  return {
    send: { answer: send, check: checkSend },
    stream: { answer: stream, check: checkSend },
    subscribe: { answer: subscribe, check: checkId('SubscribeToTask') },
    get: {
      answer: get,
      check: (params) => refuseHistoryLength(params.historyLength) ?? checkId('GetTask')(params),
    },
    cancel: { answer: cancel, check: checkId('CancelTask') },
    push: { answer: push, isListed: () => false },
  } satisfies Readonly<Record<string, MethodEntry>>;
}

const checkId =
  (method: string) =>
  ({ id }: Params): RpcError | undefined =>
    typeof id === 'string' && id !== '' ? undefined : { code: -32602, message: `${method} requires an id` };

/** The task `params.id` names. */
function named(method: string, params: Params, { tasks }: DialectContext): TaskSnapshot | { readonly error: RpcError } {
  const wrong = checkId(method)(params);
  if (wrong !== undefined) return { error: wrong };
  const id = String(params.id);
  return tasks.get(id) ?? { error: taskNotFound(id) };
}

function refuseEnded({ taskId, state }: TaskSnapshot, word: (state: TaskState) => string): RpcError | undefined {
  if (!isFinal(state)) return undefined;
  return unsupportedOperation(`the task already ended as ${word(state)}`, { taskId, state: word(state) });
}
