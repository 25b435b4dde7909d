import type { TaskMessage, TaskSnapshot, TaskState } from '../../task/index.js';
import type { ResidueItem } from '../port.js';
import { artifactTexts, statusMessageId, statusText } from './task-object.js';

/** The word of A2A 1.0 for a state. */
export function v1State(state: TaskState): string {
  return `TASK_STATE_${state.toUpperCase().replace('-', '_')}`;
}

/** A task as A2A 1.0 reads it (spec/door.md 6.1). An empty `history` is left out. */
export function v1Task(
  task: TaskSnapshot,
  residue: readonly ResidueItem[] = [],
  history: readonly TaskMessage[] = [],
): Record<string, unknown> {
  const { taskId, contextId, state } = task;
  const said = statusText(task);
  const artifacts = artifactTexts(task, residue).map(({ name, texts }) => ({
    artifactId: name,
    name,
    parts: texts.map((text) => ({ text, mediaType: 'text/plain' })),
  }));
  return {
    id: taskId,
    contextId,
    status: {
      state: v1State(state),
      timestamp: new Date(task.updatedAtMs).toISOString(),
      ...(said === undefined
        ? {}
        : { message: v1Said(task, { role: 'agent', messageId: statusMessageId(task), text: said }) }),
    },
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(history.length === 0 ? {} : { history: history.map((said) => v1Said(task, said)) }),
  };
}

function v1Said({ taskId, contextId }: TaskSnapshot, { role, messageId, text }: TaskMessage): Record<string, unknown> {
  return {
    messageId,
    role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: [{ text, mediaType: 'text/plain' }],
    contextId,
    taskId,
  };
}
