import { mintId } from '../../supervise/ids.js';
import { isFinal, type TaskSnapshot } from '../../task/index.js';
import { invalidParams, type RpcError, rpcErrors } from '../json-rpc.js';
import type { DialectContext } from './dialect.js';
import { taskNotFound, unsupportedOperation } from './errors.js';
import type { StandardMessage } from './standard-message.js';
import { referencesText } from './text.js';

/** A message complete with everything but the ids minted here. */
interface Incoming {
  readonly text: string;
  readonly messageId: string;
  readonly contextId?: string | undefined;
}

export type Delivered = TaskSnapshot | { readonly error: RpcError };

/** The new task this message starts, `submitted` or `rejected`; -32603 when it could not be handed over. */
export function startTask(incoming: Incoming, { tasks, clock, headers }: DialectContext): Delivered {
  const receivedAtMs = clock.now();
  try {
    return tasks.send({
      taskId: mintId('tsk', receivedAtMs),
      contextId: incoming.contextId || mintId('ctx', receivedAtMs),
      text: incoming.text,
      messageId: incoming.messageId,
      origin: headers.origin,
      trust: headers.trust,
      source: 'a2a',
      receivedAtMs,
      ...(headers.traceparent === undefined ? {} : { traceparent: headers.traceparent }),
    });
  } catch {
    return { error: rpcErrors.queue };
  }
}

/** The Murmur dialect's way: a message goes to the task that waits for a person, whoever sent it; else it starts one. */
export function deliverUnnamed(incoming: Incoming, context: DialectContext): Delivered {
  const waiting = context.tasks.waiting();
  const resumed = waiting === undefined ? undefined : context.tasks.reply(waiting, incoming.text, incoming.messageId);
  return resumed ?? startTask(incoming, context);
}

/** What the standard dialects say differently about a task that a message names. */
export interface NamedRules {
  stateWord(state: TaskSnapshot['state']): string;
  /** A task under way takes more messages; else only one that asked does. */
  readonly takesFollowUps: boolean;
}

/**
 * The standard dialects' way: a message reaches the task it names, if that one takes it, and starts a task when it names none
 * (spec/door.md section 7).
 */
export function deliverNamed(
  message: StandardMessage,
  context: DialectContext,
  { stateWord, takesFollowUps }: NamedRules,
): Delivered {
  const { tasks, headers } = context;
  const text = withReferences(message, context);
  const { taskId, contextId, messageId } = message;
  if (taskId === '') return startTask({ text, messageId, contextId }, context);
  const task = tasks.get(taskId);
  if (task === undefined) return { error: taskNotFound(taskId) };
  const isUnderWay = takesFollowUps && (task.state === 'submitted' || task.state === 'working');
  if (task.state !== 'input-required' && !isUnderWay) return { error: notWaiting(task, stateWord(task.state)) };
  if (contextId !== '' && contextId !== task.contextId) {
    return { error: invalidParams(`message.contextId is not the context of task ${taskId}`) };
  }
  if (!isUnderWay) return tasks.reply(taskId, text, messageId) ?? { error: notWaiting(task, stateWord('working')) };
  const taken = tasks.followUp(taskId, { text, messageId, origin: headers.origin, trust: headers.trust });
  return (
    taken ?? {
      error: unsupportedOperation('the task takes no further message', { taskId, state: stateWord(task.state) }),
    }
  );
}

function notWaiting({ taskId, state }: TaskSnapshot, word: string): RpcError {
  const why = isFinal(state) ? `the task already ended as ${word}` : `the task is ${word} and waits for no message`;
  return unsupportedOperation(why, { taskId, state: word });
}

function withReferences({ text, referenceTaskIds }: StandardMessage, { tasks }: DialectContext): string {
  return referenceTaskIds.length === 0 ? text : `${text}\n${referencesText(referenceTaskIds, (id) => tasks.get(id))}`;
}
