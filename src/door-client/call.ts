import { MurError, reasonOf } from '../errors/index.js';
import { exchange } from '../liveness/exchange.js';
import { didNotAnswer } from '../liveness/index.js';
import { mintId } from '../supervise/ids.js';
import { fieldsOf, parsedJson } from '../text/index.js';
import type { DoorTarget } from './target.js';
import { type DoorTask, readTask } from './task.js';

/** A door answers a call of the Murmur dialect at once, also while it works. The size is that of what it takes itself, and room around it. */
const limits = { connectMs: 2_000, readMs: 10_000, bodyBytes: 16 * 1024 * 1024 };
const longestReason = 300;
/** JSON-RPC code of a task the door does not know (spec/door.md section 18). */
const taskNotFound = -32001;

/**
 * The task that took the message: a new one, `submitted` or `rejected`, or the one that waited for a person's reply. Without
 * `contextId` the message begins a conversation.
 */
export async function sendText(target: DoorTarget, text: string, contextId?: string): Promise<DoorTask> {
  const message = { messageId: mintId('msg'), role: 'user', parts: [{ text }], ...(contextId && { contextId }) };
  return readTask(await callDoor(target, 'message/send', { message }));
}

/** The task as it stands. */
export async function getTask(target: DoorTarget, id: string, signal?: AbortSignal): Promise<DoorTask> {
  return readTask(await callDoor(target, 'tasks/get', { id }, signal));
}

/** The task after it was canceled, an ended one as it was. */
export async function cancelTask(target: DoorTarget, id: string): Promise<DoorTask> {
  return readTask(await callDoor(target, 'tasks/cancel', { id }));
}

/**
 * The result of one JSON-RPC call. `E-IO-003` says what the door refused it with, or why it did not answer; where the door is one of a
 * session on this machine, silence is `E-RUN-023`.
 */
async function callDoor(target: DoorTarget, method: string, params: object, signal?: AbortSignal): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { ...requestHeaders(target), Accept: 'application/json' };
  const ask = { address: target.address, method: 'POST' as const, path: '/', headers, body };
  const answer = await exchange(ask, limits, signal).catch((error) => {
    throw silence(target, reasonOf(error));
  });
  const { result } = fieldsOf(parsedJson(answer.body));
  if (answer.status === 200 && result !== undefined) return result;
  throw refusal(target, answer.status, answer.body);
}

export function requestHeaders({ token }: DoorTarget): Record<string, string> {
  const json = { 'Content-Type': 'application/json' };
  return token === undefined ? json : { ...json, Authorization: `Bearer ${token.reveal()}` };
}

/** No answer at all. */
export function silence({ address, record }: DoorTarget, reason: string): MurError {
  if (record !== undefined) return didNotAnswer(record, reason);
  return new MurError('E-IO-003', `the door at ${address.text} did not answer: ${reason}`, {
    hint: 'mur ps lists the sessions of this machine and their addresses',
  });
}

/** An answer that is none of what was asked for. */
export function refusal({ address, record }: DoorTarget, status: number, body: string): MurError {
  const { error, message } = fieldsOf(parsedJson(body));
  const said = typeof message === 'string' ? message : fieldsOf(error).message;
  const why = typeof said === 'string' ? `: ${said.slice(0, longestReason)}` : '';
  if (status === 401 || status === 403) {
    return new MurError('E-IO-003', `the door at ${address.text} refused this with status ${status}${why}`, {
      hint:
        record === undefined
          ? 'put a token of that door in MURMUR_DOOR_TOKEN; mur token prints one where the session runs'
          : 'its running record may be older than its door: mur ps',
    });
  }
  return new MurError(
    'E-IO-003',
    `the door at ${address.text} answered ${status === 200 ? 'with an error' : status}${why}`,
    fieldsOf(error).code === taskNotFound
      ? { hint: 'is it a task of this session? mur watch names those of which it still holds events' }
      : {},
  );
}
