import { invalidParams, isObject, type RpcError } from '../json-rpc.js';
import type { Params } from './dialect.js';
import { longId } from './ids.js';

/** A message of a standard dialect, read: its parts are one text already. */
export interface StandardMessage {
  readonly text: string;
  readonly messageId: string;
  /** `''`, like absence, names nothing. */
  readonly taskId: string;
  readonly contextId: string;
  /** Distinct, in the order they were first named. */
  readonly referenceTaskIds: readonly string[];
}

export type MessageRead = { readonly message: StandardMessage } | { readonly error: RpcError };

/** What the two standard dialects say differently about a message. */
export interface MessageRules {
  /** The role a caller has. */
  readonly role: string;
  /** Why this part is no part, `undefined` for a well-formed one. */
  checkPart(part: Params, at: string): string | undefined;
  /** The error for a part that is well formed and that this agent does not read. */
  refusePart(part: Params, index: number): RpcError | undefined;
  /** The text of a part that passed both. */
  textOf(part: Params): string;
}

const maxReferences = 16;

/**
 * The message in `params.message`, or the error for the first thing wrong with it, in the order of spec/door.md section 7:
 * what is malformed comes before what is not read. Unknown fields are ignored.
 */
export function readMessage({ message }: Params, rules: MessageRules): MessageRead {
  if (!isObject(message)) return refuse('message must be an object');
  const { messageId, role, parts } = message;
  if (typeof messageId !== 'string' || messageId === '') return refuse('message.messageId must be a non-empty string');
  if (role !== rules.role) return refuse(`message.role must be ${rules.role}`);
  if (!Array.isArray(parts) || parts.length === 0) return refuse('message.parts must be a non-empty array');
  for (const [index, part] of parts.entries()) {
    const at = `message.parts[${index}]`;
    const why = isObject(part) ? rules.checkPart(part, at) : `${at} must be an object`;
    if (why !== undefined) return refuse(why);
  }
  for (const name of ['taskId', 'contextId']) {
    const value = message[name];
    if (value !== undefined && value !== null && typeof value !== 'string') {
      return refuse(`message.${name} must be a string`);
    }
  }
  const long = longId(message);
  if (long !== undefined) return refuse(long);
  const references = readReferences(message.referenceTaskIds);
  if (typeof references === 'string') return refuse(references);
  for (const [index, part] of parts.entries()) {
    const error = rules.refusePart(part, index);
    if (error !== undefined) return { error };
  }
  return {
    message: {
      text: parts.map((part) => rules.textOf(part)).join('\n'),
      messageId,
      taskId: idOf(message.taskId),
      contextId: idOf(message.contextId),
      referenceTaskIds: references,
    },
  };
}

/** Why `names` of a part are not all strings where present. */
export function checkStrings(part: Params, names: readonly string[], at: string): string | undefined {
  const wrong = names.find((name) => part[name] !== undefined && typeof part[name] !== 'string');
  return wrong === undefined ? undefined : `${at}.${wrong} must be a string`;
}

function readReferences(value: unknown): readonly string[] | string {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((id) => typeof id !== 'string' || id === '')) {
    return 'message.referenceTaskIds must be an array of non-empty strings';
  }
  const distinct = [...new Set<string>(value)];
  if (distinct.length <= maxReferences) return distinct;
  return `message.referenceTaskIds names more than ${maxReferences} tasks`;
}

function idOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function refuse(why: string): MessageRead {
  return { error: invalidParams(why) };
}
