import { isFinal, type TaskSnapshot } from '../../task/index.js';
import type { ResidueItem } from '../port.js';

/**
 * A task as the Murmur dialect and A2A 0.3 both read it (spec/door.md 6.1): one shape, a superset of the two, because
 * `tasks/get` carries nothing that tells the two apart.
 */
export function taskObject(task: TaskSnapshot, residue: readonly ResidueItem[] = []): Record<string, unknown> {
  const artifacts = [
    ...(task.response === undefined ? [] : [artifact('response', [task.response])]),
    ...(task.prompt === undefined ? [] : [artifact('prompt', [task.prompt])]),
    ...(residue.length === 0
      ? []
      : [
          artifact(
            'residue',
            residue.map((item) => JSON.stringify(item)),
          ),
        ]),
  ];
  return {
    kind: 'task',
    id: task.taskId,
    contextId: task.contextId,
    status: {
      state: task.state,
      timestamp: new Date(task.updatedAtMs).toISOString(),
      ...(isFinal(task.state) && task.message !== undefined ? { message: statusMessage(task, task.message) } : {}),
    },
    ...(artifacts.length === 0 ? {} : { artifacts }),
  };
}

function artifact(name: string, texts: readonly string[]): Record<string, unknown> {
  return { artifactId: name, name, parts: texts.map(textPart) };
}

function statusMessage(task: TaskSnapshot, text: string): Record<string, unknown> {
  return {
    kind: 'message',
    messageId: `msg_${task.taskId}_status`,
    role: 'agent',
    parts: [textPart(text)],
    contextId: task.contextId,
    taskId: task.taskId,
  };
}

function textPart(text: string): Record<string, unknown> {
  return { kind: 'text', text };
}
