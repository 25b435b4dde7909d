/** A task as every dialect writes it (spec/door.md 6.1): one shape, in the words of each. */
import { isFinal, type TaskMessage, type TaskSnapshot, type TaskState } from '../../task/index.js';
import type { ResidueItem } from '../port.js';

type Json = Record<string, unknown>;

/** What the dialects write differently of a task. */
export interface TaskWords {
  state(state: TaskState): string;
  part(text: string): Json;
  said(task: TaskSnapshot, message: TaskMessage): Json;
}

/** The whole task. Artifacts are there only when there are some; so is `history`. */
export function writeTask(
  words: TaskWords,
  task: TaskSnapshot,
  residue: readonly ResidueItem[],
  history: readonly TaskMessage[],
): Json {
  const artifacts = artifactTexts(task, residue).map(([name, texts]) => writeArtifact(words, name, texts));
  return {
    id: task.taskId,
    contextId: task.contextId,
    status: writeStatus(words, task),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(history.length === 0 ? {} : { history: history.map((message) => words.said(task, message)) }),
  };
}

export function writeStatus(words: TaskWords, task: TaskSnapshot): Json {
  const text = statusText(task);
  return {
    state: words.state(task.state),
    timestamp: new Date(task.updatedAtMs).toISOString(),
    ...(text === undefined
      ? {}
      : { message: words.said(task, { role: 'agent', messageId: `msg_${task.taskId}_status`, text }) }),
  };
}

export function writeArtifact({ part }: TaskWords, name: string, texts: readonly string[]): Json {
  return { artifactId: name, name, parts: texts.map(part) };
}

/** The artifacts of a task, each of them texts; each is there only when it has something to say. */
function artifactTexts(
  { response, prompt }: TaskSnapshot,
  residue: readonly ResidueItem[],
): readonly (readonly [name: string, texts: readonly string[]])[] {
  return [
    ...(response === undefined ? [] : [['response', [response]] as const]),
    ...(prompt === undefined ? [] : [['prompt', [prompt]] as const]),
    ...(residue.length === 0 ? [] : [['residue', residue.map((item) => JSON.stringify(item))] as const]),
  ];
}

/**
 * What the status of a task says: how it ended, or what it asks. A2A readers look for a question here, Murmur ones in the artifact
 * `prompt`, so it stands in both.
 */
function statusText({ state, message, prompt }: TaskSnapshot): string | undefined {
  return isFinal(state) ? message : prompt;
}
