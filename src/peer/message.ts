import { taskStates } from '../task/index.js';
import { fieldsOf, parsedJson, shorten } from '../text/index.js';
import type { PeerMessage, PeerTask } from '../wasm/index.js';
import type { PeerWords } from './card.js';
import type { PeerAnswer } from './exchange.js';

const longestId = 1024;
const longestReason = 300;

/** The body of a send. Every dialect is asked to answer at once: what becomes of the task is not the sender's to wait for. */
export function sendBody({ dialect }: PeerWords, requestId: string, message: PeerMessage): string {
  const { messageId, contextId, text } = message;
  const named = { messageId, ...(contextId ? { contextId } : {}) };
  const call =
    dialect === 'v1'
      ? {
          method: 'SendMessage',
          params: {
            message: { ...named, role: 'ROLE_USER', parts: [{ text }] },
            configuration: { returnImmediately: true },
          },
        }
      : {
          method: 'message/send',
          params: {
            message: { kind: 'message', ...named, role: 'user', parts: [{ kind: 'text', text }] },
            configuration: { blocking: false },
          },
        };
  return JSON.stringify({ jsonrpc: '2.0', id: requestId, ...call });
}

/** The task in the peer's answer to request `requestId`. Throws with the reason when it took none. */
export function readAnswer(answer: PeerAnswer, requestId: string, message: PeerMessage): PeerTask {
  const { status, body } = answer;
  const { id, result, error, ...others } = fieldsOf(parsedJson(body));
  const refused = status === 200 ? undefined : refusal(status, error, others.message);
  if (refused !== undefined) throw new Error(refused);
  if (error !== undefined) {
    const { code, message: said } = fieldsOf(error);
    throw new Error(`it refused the message${quoted(said)}${Number.isInteger(code) ? ` (${code})` : ''}`);
  }
  if (result === undefined) throw new Error('it answered with something that is no JSON-RPC');
  if (id !== requestId) throw new Error('it answered another request');
  const task = readTask(result, message);
  if (task === undefined) throw new Error('it answered with something that is no task');
  return task;
}

function refusal(status: number, error: unknown, said: unknown): string | undefined {
  if (status === 401) {
    return 'it takes callers with a token of its operator only (HTTP 401), and murmur:message/send presents none';
  }
  if (error === 'peer_not_accepted') {
    return 'it takes no tasks from other capsules: its manifest has to say exports.peer_tasks.accept: true';
  }
  // Some agents put the status of a JSON-RPC error into the HTTP status, too.
  if (fieldsOf(error).message !== undefined) return undefined;
  return `it answered with HTTP ${status}${quoted(said)}`;
}

function quoted(said: unknown): string {
  return typeof said === 'string' && said !== '' ? `: ${shorten(said, longestReason)}` : '';
}

/** A 1.0 answer has the task, or a message, as a member; an older one is either. A message in place of a task is an answer given already. */
function readTask(result: unknown, sent: PeerMessage): PeerTask | undefined {
  const wrapped = fieldsOf(result);
  const task = fieldsOf(wrapped.task ?? result);
  const state = stateOf(fieldsOf(task.status).state);
  if (state !== undefined && isIdText(task.id)) {
    return { taskId: task.id, contextId: contextOf(task.contextId, sent), state };
  }
  const { messageId, taskId, contextId } = fieldsOf(wrapped.message ?? result);
  if (!isIdText(messageId)) return undefined;
  return { taskId: isIdText(taskId) ? taskId : '', contextId: contextOf(contextId, sent), state: 'completed' };
}

function contextOf(contextId: unknown, { contextId: sent }: PeerMessage): string {
  return isIdText(contextId) ? contextId : (sent ?? '');
}

function isIdText(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= longestId;
}

/** The state in Murmur's word. A task that waits for a sign-in waits for a person: the contract has one word for both. */
function stateOf(state: unknown): string | undefined {
  if (typeof state !== 'string') return undefined;
  const word = state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return word === 'auth-required' ? 'input-required' : taskStates.find((known) => known === word);
}
