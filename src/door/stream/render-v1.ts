import { writeArtifact, writeStatus } from '../dialects/task.js';
import { v1Task, v1Words } from '../dialects/task-v1.js';
import type { StandardShape } from './render-standard.js';

/** What a frame holds in A2A 1.0: exactly one of `task`, `statusUpdate`, `artifactUpdate`; no `final`. */
export const v1Shape: StandardShape = {
  task: (task) => ({ task: v1Task(task) }),
  status(task) {
    const { taskId, contextId } = task;
    return { statusUpdate: { taskId, contextId, status: writeStatus(v1Words, task) } };
  },
  response({ taskId, contextId }, { text, append, lastChunk }) {
    const artifact = writeArtifact(v1Words, 'response', [text]);
    return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk } };
  },
};
