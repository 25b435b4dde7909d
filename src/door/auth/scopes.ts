import { scopeWords } from '../../manifest/scope-words.js';

/** Every scope there is, in the order the card and the manifest reference list them. */
export const allScopes: readonly string[] = [...new Set(Object.values(scopeWords))];

/**
 * The scope a method needs, whichever dialect names it; `undefined` for one that any valid token may call (the extended card) and for
 * one the door does not know, which is answered -32601 before anybody asks for its scope (spec/door.md 2.1).
 */
export function scopeOf(method: string): string | undefined {
  if (method === 'tasks/resubscribe') return 'message/stream';
  return Object.hasOwn(scopeWords, method) ? scopeWords[method] : undefined;
}
