import { writeArtifact, writeStatus } from '../dialects/task.js';
import { olderWords, taskObject } from '../dialects/task-object.js';
import type { StandardShape } from './render-standard.js';

/** What a frame holds in A2A 0.2 and 0.3: a `task`, a `status-update` or an `artifact-update`. */
export const v03Shape: StandardShape = {
  task: (task) => taskObject(task),
  status(task, isLast) {
    const { taskId, contextId } = task;
    return { kind: 'status-update', taskId, contextId, status: writeStatus(olderWords, task), final: isLast };
  },
  response({ taskId, contextId }, { text, append, lastChunk }) {
    const artifact = writeArtifact(olderWords, 'response', [text]);
    return { kind: 'artifact-update', taskId, contextId, artifact, append, lastChunk };
  },
};
