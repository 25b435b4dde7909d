import { isFinal, type TaskSnapshot } from '../../task/index.js';
import type { StandardShape } from './render-standard.js';

/** What a frame holds in A2A 1.0: exactly one of `task`, `statusUpdate`, `artifactUpdate`; no `final`. */
export const v1Shape: StandardShape = {
  task: (task) => ({
    task: {
      id: task.taskId,
      contextId: task.contextId,
      status: statusOf(task, isFinal(task.state) ? task.message : undefined),
      ...(task.response === undefined ? {} : { artifacts: [artifact('response', task.response)] }),
      ...(task.prompt === undefined ? {} : { artifacts: [artifact('prompt', task.prompt)] }),
    },
  }),
  status(task, question) {
    const { taskId, contextId } = task;
    const said = question ?? (isFinal(task.state) ? task.message : undefined);
    return { statusUpdate: { taskId, contextId, status: statusOf(task, said) } };
  },
  response({ taskId, contextId }, { text, append, lastChunk }) {
    return { artifactUpdate: { taskId, contextId, artifact: artifact('response', text), append, lastChunk } };
  },
};

function statusOf(task: TaskSnapshot, said: string | undefined): Record<string, unknown> {
  const { taskId, contextId, state } = task;
  const message = { messageId: `msg_${taskId}_status`, role: 'ROLE_AGENT', parts: [part(said)], contextId, taskId };
  return {
    state: `TASK_STATE_${state.toUpperCase().replace('-', '_')}`,
    timestamp: new Date(task.updatedAtMs).toISOString(),
    ...(said === undefined ? {} : { message }),
  };
}

function artifact(name: string, text: string): Record<string, unknown> {
  return { artifactId: name, name, parts: [part(text)] };
}

function part(text: string | undefined): Record<string, unknown> {
  return { text, mediaType: 'text/plain' };
}
