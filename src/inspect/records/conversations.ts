import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { contextFolder } from '../../effects/conversation.js';
import type { MurmurHome } from '../../home/types.js';
import { conversationFile } from '../../inference/conversation.js';
import { pathSegmentProblem } from '../../manifest/grammar.js';
import type { JsonObject } from './lines.js';

/** The store a session recorded its conversations in, by its `session_start`; `undefined` when it recorded none. */
export function storeOf(start: JsonObject | undefined): string | undefined {
  const { effective_grants: grants, capsule_name: capsule } = start ?? {};
  const report = grants as { record_store?: unknown; context?: { record_store?: unknown } } | undefined;
  const store = report?.record_store === undefined ? report?.context?.record_store : report.record_store;
  // Older sessions do not say; the capsule's own is the default.
  const name = store === undefined ? capsule : store;
  return typeof name === 'string' ? name : undefined;
}

/**
 * The record of a context in one store. Nowhere else: callers name contexts as they like, so a context of that name in the store of
 * another capsule is another conversation. `undefined` when nothing was recorded.
 */
export function findConversation(home: MurmurHome, store: string | undefined, contextId: string): string | undefined {
  // The name of a store comes from a trace, or from a bundle somebody sent.
  if (store === undefined || pathSegmentProblem(store) !== undefined) return undefined;
  const path = join(home.root, 'conversations', store, contextFolder(contextId), conversationFile);
  return existsSync(path) ? path : undefined;
}
