import { isFinal, type TaskMessage, type TaskSnapshot, type TaskState } from '../../task/index.js';
import { invalidParams, isObject, type RpcError, type RpcOutcome } from '../json-rpc.js';
import type { FrameStyle, ResidueItem, StreamWish } from '../port.js';
import { type Delivered, deliverNamed } from './deliver.js';
import type { DialectAnswer, DialectContext, Method, Params } from './dialect.js';
import { pushNotSupported, taskNotCancelable, taskNotFound, unsupportedOperation } from './errors.js';
import { historyOf, refuseHistoryLength } from './history.js';
import { type MessageRules, readMessage } from './standard-message.js';
import { isFromRuntime, settledTask } from './waiting.js';

/** What the two standard dialects say differently about the same methods. */
export interface StandardWords {
  readonly message: MessageRules;
  /** A send with this configuration waits until its task is settled. */
  isBlocking(configuration: Params): boolean;
  stateWord(state: TaskState): string;
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
  /** Delivers it. To be called once. */
  start(): Delivered;
}

/** The methods both standard dialects have, in the words of one. */
export function standardMethods(words: StandardWords) {
  const refused = (error: RpcError): RpcOutcome => ({ error: words.error(error) });
  const deliver = (params: Params, context: DialectContext): Asked | { readonly error: RpcError } => {
    const configuration = isObject(params.configuration) ? params.configuration : {};
    const wrong = refuseHistoryLength(configuration.historyLength);
    if (wrong !== undefined) return { error: words.error(wrong) };
    const read = readMessage(params, words.message);
    if ('error' in read) return { error: words.error(read.error) };
    return {
      configuration,
      start: () => {
        const delivered = deliverNamed(read.message, context, words.stateWord);
        return 'error' in delivered ? { error: words.error(delivered.error) } : delivered;
      },
    };
  };

  const send: Method = (params, context, request) => {
    const asked = deliver(params, context);
    if ('error' in asked) return asked;
    const task = asked.start();
    if ('error' in task) return task;
    const { historyLength } = asked.configuration;
    const answer = (shown: TaskSnapshot): RpcOutcome => ({
      result: words.sent(words.task(shown, [], historyOf(context.tasks, shown.taskId, historyLength))),
    });
    if (!words.isBlocking(asked.configuration) || isFromRuntime(request, context)) return answer(task);
    return settledTask(task, context).then(answer);
  };

  const stream: Method = (params, context, { id }): DialectAnswer => {
    const asked = deliver(params, context);
    const wish: StreamWish =
      'error' in asked ? { kind: 'refused', error: asked.error } : { kind: 'start', start: asked.start };
    return { stream: { frames: words.frames(context), id, wish } };
  };

  const subscribe: Method = (params, context, { id }): DialectAnswer => {
    const task = named(params, context);
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
    const task = named(params, context);
    if ('error' in task) return refused(task.error);
    const wrong = refuseHistoryLength(params.historyLength);
    if (wrong !== undefined) return refused(wrong);
    return { result: words.task(task, [], historyOf(context.tasks, task.taskId, params.historyLength)) };
  };

  const cancel: Method = (params, context) => {
    const task = named(params, context);
    if ('error' in task) return refused(task.error);
    if (isFinal(task.state)) return refused(taskNotCancelable(task.taskId, words.stateWord(task.state)));
    const outcome = context.tasks.cancel(task.taskId)!;
    return {
      result: words.task(outcome.task, outcome.residue, historyOf(context.tasks, task.taskId, undefined)),
    };
  };

  const push: Method = () => refused(pushNotSupported);

  return { send, stream, subscribe, get, cancel, push };
}

/** The task `params.id` names. */
function named({ id }: Params, { tasks }: DialectContext): TaskSnapshot | { readonly error: RpcError } {
  if (typeof id !== 'string' || id === '') return { error: invalidParams('the request requires an id') };
  return tasks.get(id) ?? { error: taskNotFound(id) };
}

function refuseEnded({ taskId, state }: TaskSnapshot, word: (state: TaskState) => string): RpcError | undefined {
  if (!isFinal(state)) return undefined;
  return unsupportedOperation(`the task already ended as ${word(state)}`, { taskId, state: word(state) });
}
