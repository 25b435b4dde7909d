import { statusMessageId, taskObject } from '../dialects/task-object.js';
import type { StandardShape } from './render-standard.js';

/** What a frame holds in A2A 0.2 and 0.3: a `task`, a `status-update` or an `artifact-update`. */
export const v03Shape: StandardShape = {
  task: (task) => taskObject(task),
  status(task, question, isLast) {
    const { taskId, contextId } = task;
    const { status } = taskObject(task) as { status: object };
    const message = {
      kind: 'message',
      messageId: statusMessageId(task),
      role: 'agent',
      parts: [{ kind: 'text', text: question }],
      contextId,
      taskId,
    };
    return {
      kind: 'status-update',
      taskId,
      contextId,
      status: { ...status, ...(question === undefined ? {} : { message }) },
      final: isLast,
    };
  },
  response({ taskId, contextId }, { text, append, lastChunk }) {
    const artifact = { artifactId: 'response', name: 'response', parts: [{ kind: 'text', text }] };
    return { kind: 'artifact-update', taskId, contextId, artifact, append, lastChunk };
  },
};
