import { statusMessageId } from '../dialects/task-object.js';
import { v1Task } from '../dialects/task-v1.js';
import type { StandardShape } from './render-standard.js';

/** What a frame holds in A2A 1.0: exactly one of `task`, `statusUpdate`, `artifactUpdate`; no `final`. */
export const v1Shape: StandardShape = {
  task: (task) => ({ task: v1Task(task) }),
  status(task, question) {
    const { taskId, contextId } = task;
    const { status } = v1Task(task) as { status: object };
    const asked = { messageId: statusMessageId(task), role: 'ROLE_AGENT', parts: [part(question)], contextId, taskId };
    return {
      statusUpdate: { taskId, contextId, status: { ...status, ...(question === undefined ? {} : { message: asked }) } },
    };
  },
  response({ taskId, contextId }, { text, append, lastChunk }) {
    const artifact = { artifactId: 'response', name: 'response', parts: [part(text)] };
    return { artifactUpdate: { taskId, contextId, artifact, append, lastChunk } };
  },
};

function part(text: string | undefined): Record<string, unknown> {
  return { text, mediaType: 'text/plain' };
}
