import type { TaskMessage, TaskSnapshot } from '../../task/index.js';
import type { ResidueItem } from '../port.js';
import { type TaskWords, writeTask } from './task.js';

/** The word of A2A 1.0 for a state, by that of the others. */
export function v1State(state: string): string {
  return `TASK_STATE_${state.toUpperCase().replace('-', '_')}`;
}

export const v1Words: TaskWords = {
  state: v1State,
  part: (text) => ({ text, mediaType: 'text/plain' }),
  said: ({ taskId, contextId }, { role, messageId, text }) => ({
    messageId,
    role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: [v1Words.part(text)],
    contextId,
    taskId,
  }),
};

/** A task as A2A 1.0 reads it (spec/door.md 6.1). */
export function v1Task(
  task: TaskSnapshot,
  residue: readonly ResidueItem[] = [],
  history: readonly TaskMessage[] = [],
): Record<string, unknown> {
  return writeTask(v1Words, task, residue, history);
}
