import { v1Task } from '../dialects/task-v1.js';
import type { StandardShape } from './render-standard.js';

/** What a frame holds in A2A 1.0: exactly one of `task`, `statusUpdate`, `artifactUpdate`; no `final`. */
export const v1Shape: StandardShape = {
  task: (task) => ({ task: v1Task(task) }),
  status(task) {
    const { taskId, contextId } = task;
    return { statusUpdate: { taskId, contextId, status: v1Task(task).status } };
  },
  response({ taskId, contextId }, { text, append, lastChunk }) {
    const artifact = { artifactId: 'response', name: 'response', parts: [{ text, mediaType: 'text/plain' }] };
    return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk } };
  },
};
