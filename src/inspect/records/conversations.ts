import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contextFolder } from '../../effects/conversation.js';
import type { MurmurHome } from '../../home/types.js';
import { conversationFile } from '../../inference/conversation.js';

/**
 * The record of a context: in the store the manifest names, by default that of the capsule, else in whichever store has it, since a
 * trace does not say. `undefined` when nothing was recorded.
 */
export function findConversation(home: MurmurHome, store: string, contextId: string): string | undefined {
  const root = join(home.root, 'conversations');
  const below = join(contextFolder(contextId), conversationFile);
  const first = join(root, store, below);
  if (existsSync(first)) return first;
  return storesIn(root)
    .map((name) => join(root, name, below))
    .find((path) => existsSync(path));
}

function storesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}
