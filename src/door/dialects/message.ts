import { isObject } from '../json-rpc.js';
import { longId } from './ids.js';

/** A Murmur message, read (spec/door.md section 7). */
export interface ParsedMessage {
  readonly text: string;
  readonly messageId: string;
  readonly contextId?: string;
}

export type MessageOutcome =
  | { readonly ok: true; readonly message: ParsedMessage }
  | { readonly ok: false; readonly why: string };

/**
 * The message in `params.message`, or in `params` itself. Text parts are joined by newlines, parts without text are
 * skipped. An empty `contextId` counts as absent.
 */
export function parseMessage(params: Readonly<Record<string, unknown>>): MessageOutcome {
  const message = params.message ?? params;
  if (!isObject(message)) return fail('message must be an object');
  for (const field of ['messageId', 'role']) {
    if (message[field] === undefined) return fail(`message has no ${field}`);
    if (typeof message[field] !== 'string') return fail(`message.${field} must be a string`);
  }
  const { parts, contextId } = message;
  if (!Array.isArray(parts)) return fail('message.parts must be an array');
  if (parts.length === 0) return fail('message.parts is empty');
  if (contextId !== undefined && contextId !== null && typeof contextId !== 'string') {
    return fail('message.contextId must be a string');
  }
  const long = longId(message);
  if (long !== undefined) return fail(long);
  const texts: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (!isObject(part)) return fail(`message.parts[${index}] must be an object`);
    if (part.text === undefined || part.text === null) continue;
    if (typeof part.text !== 'string') return fail(`message.parts[${index}].text must be a string`);
    texts.push(part.text);
  }
  return {
    ok: true,
    message: { text: texts.join('\n'), messageId: String(message.messageId), ...(contextId ? { contextId } : {}) },
  };
}

function fail(why: string): MessageOutcome {
  return { ok: false, why };
}
