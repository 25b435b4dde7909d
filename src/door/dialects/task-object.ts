import type { TaskMessage, TaskSnapshot } from '../../task/index.js';
import type { ResidueItem } from '../port.js';
import { type TaskWords, writeTask } from './task.js';

/** The words of the Murmur dialect and of A2A 0.3 at once. */
export const olderWords: TaskWords = {
  state: (state) => state,
  part: (text) => ({ kind: 'text', text }),
  said: ({ taskId, contextId }, { role, messageId, text }) => ({
    kind: 'message',
    messageId,
    role,
    parts: [olderWords.part(text)],
    contextId,
    taskId,
  }),
};

/**
 * A task as the Murmur dialect and A2A 0.3 both read it (spec/door.md 6.1): one shape, a superset of the two, because
 * `tasks/get` carries nothing that tells the two apart.
 */
export function taskObject(
  task: TaskSnapshot,
  residue: readonly ResidueItem[] = [],
  history: readonly TaskMessage[] = [],
): Record<string, unknown> {
  return { kind: 'task', ...writeTask(olderWords, task, residue, history) };
}
