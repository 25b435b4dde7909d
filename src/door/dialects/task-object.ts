import { isFinal, type TaskMessage, type TaskSnapshot } from '../../task/index.js';
import type { ResidueItem } from '../port.js';

/**
 * A task as the Murmur dialect and A2A 0.3 both read it (spec/door.md 6.1): one shape, a superset of the two, because
 * `tasks/get` carries nothing that tells the two apart. An empty `history` is left out.
 */
export function taskObject(
  task: TaskSnapshot,
  residue: readonly ResidueItem[] = [],
  history: readonly TaskMessage[] = [],
): Record<string, unknown> {
  const { taskId, contextId, state } = task;
  const said = statusText(task);
  const artifacts = artifactTexts(task, residue).map(({ name, texts }) => ({
    artifactId: name,
    name,
    parts: texts.map(textPart),
  }));
  return {
    kind: 'task',
    id: taskId,
    contextId,
    status: {
      state,
      timestamp: new Date(task.updatedAtMs).toISOString(),
      ...(said === undefined
        ? {}
        : { message: saidObject(task, { role: 'agent', messageId: statusMessageId(task), text: said }) }),
    },
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(history.length === 0 ? {} : { history: history.map((said) => saidObject(task, said)) }),
  };
}

/** The artifacts of a task in every dialect, each of them texts; each is there only when it has something to say. */
export function artifactTexts(
  { response, prompt }: TaskSnapshot,
  residue: readonly ResidueItem[],
): readonly { readonly name: string; readonly texts: readonly string[] }[] {
  return [
    ...(response === undefined ? [] : [{ name: 'response', texts: [response] }]),
    ...(prompt === undefined ? [] : [{ name: 'prompt', texts: [prompt] }]),
    ...(residue.length === 0 ? [] : [{ name: 'residue', texts: residue.map((item) => JSON.stringify(item)) }]),
  ];
}

/**
 * What the status of a task says: how it ended, or what it asks. A2A readers look for a question here, Murmur ones in the artifact
 * `prompt`, so it stands in both.
 */
export function statusText({ state, message, prompt }: TaskSnapshot): string | undefined {
  return isFinal(state) ? message : prompt;
}

/** The id of the message in a status. */
export function statusMessageId({ taskId }: TaskSnapshot): string {
  return `msg_${taskId}_status`;
}

function saidObject(
  { taskId, contextId }: TaskSnapshot,
  { role, messageId, text }: TaskMessage,
): Record<string, unknown> {
  return { kind: 'message', messageId, role, parts: [textPart(text)], contextId, taskId };
}

function textPart(text: string): Record<string, unknown> {
  return { kind: 'text', text };
}
