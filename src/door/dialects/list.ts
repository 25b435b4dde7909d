import { type PageCursor, type TaskFilter, type TaskMessage, type TaskSnapshot, taskStates } from '../../task/index.js';
import { invalidParams, type RpcError } from '../json-rpc.js';
import type { Params } from './dialect.js';
import { v1State } from './task-v1.js';

const defaultSize = 50;
const maxSize = 100;
export interface ListQuestion {
  readonly filter: TaskFilter;
  readonly page: { readonly size: number; readonly after?: PageCursor };
  /** Asked for a state that no task of ours ever has. */
  readonly isEmpty: boolean;
}

/**
 * What `ListTasks` asks for, or the error for the first parameter that is wrong (spec/door.md section 6). A status word that
 * A2A 1.0 does not have filters nothing: SDKs send `UNRECOGNIZED` for a status left unset. `null` is absence, as in any JSON of protobuf.
 */
export function readListing(params: Params): ListQuestion | { readonly error: RpcError } {
  const { status } = params;
  const contextId = params.contextId ?? null;
  const pageToken = params.pageToken ?? '';
  const size = params.pageSize ?? defaultSize;
  if (!Number.isInteger(size) || Number(size) < 1 || Number(size) > maxSize) {
    return refuse(`pageSize must be a whole number from 1 to ${maxSize}`);
  }
  if (contextId !== null && typeof contextId !== 'string') return refuse('contextId must be a string');
  const since = params.statusTimestampAfter ?? undefined;
  const changedSinceMs = since === undefined ? undefined : timeOf(since);
  if (since !== undefined && changedSinceMs === undefined)
    return refuse('statusTimestampAfter must be an RFC 3339 time');
  const after = pageToken === '' ? undefined : readCursor(pageToken);
  if (after === null) return refuse('pageToken is not one this agent gave');
  const state = taskStates.find((name) => v1State(name) === status);
  return {
    filter: {
      ...(contextId ? { contextId } : {}),
      ...(state === undefined ? {} : { state }),
      ...(changedSinceMs === undefined ? {} : { changedSinceMs }),
    },
    page: { size: Number(size), ...(after === undefined ? {} : { after }) },
    isEmpty: status === 'TASK_STATE_AUTH_REQUIRED',
  };
}

/** Characters of text on one page, one task excepted: a hundred tasks may hold more than a door can write for many at once. */
const pageCharacters = 4 * 1024 * 1024;

/** The first of `tasks`, as many as make one page, each with what was said. At least one. */
export function fitting(
  tasks: readonly TaskSnapshot[],
  historyOf: (task: TaskSnapshot) => readonly TaskMessage[],
): readonly { readonly task: TaskSnapshot; readonly history: readonly TaskMessage[] }[] {
  const shown: { readonly task: TaskSnapshot; readonly history: readonly TaskMessage[] }[] = [];
  let characters = 0;
  for (const task of tasks) {
    const history = historyOf(task);
    const { message = '', response = '', prompt = '' } = task;
    const own = message.length + response.length + prompt.length;
    characters += history.reduce((sum, { text }) => sum + text.length, own);
    if (shown.length > 0 && characters > pageCharacters) break;
    shown.push({ task, history });
  }
  return shown;
}

/** The token of a place in a listing: readable to us, of no meaning to anybody else. */
export function writeCursor({ updatedAtMs, taskId }: PageCursor): string {
  return Buffer.from(`${updatedAtMs} ${taskId}`, 'utf8').toString('base64url');
}

function readCursor(token: unknown): PageCursor | null {
  if (typeof token !== 'string' || !/^[\w-]+$/.test(token)) return null;
  const [, updatedAtMs, taskId] = /^(\d{1,16}) (\w+)$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  return updatedAtMs === undefined || taskId === undefined ? null : { updatedAtMs: Number(updatedAtMs), taskId };
}

function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value))
    return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

function refuse(why: string): { readonly error: RpcError } {
  return { error: invalidParams(why) };
}
