import { MurError } from '../errors/index.js';
import { fieldsOf, parsedJson } from '../text/index.js';

/** A task as a door told it. Every text is the capsule's, so untrusted. */
export interface DoorTask {
  readonly id: string;
  readonly contextId: string;
  /** `submitted`, `working`, `input-required`, `completed`, `failed`, `canceled`, `rejected`, or a word of a later door. */
  readonly state: string;
  /** What the final status said. */
  readonly message?: string;
  readonly response?: string;
  /** The question of a task that waits for a person. */
  readonly prompt?: string;
  /** What still runs after a cancel (spec/door.md section 14). */
  readonly residue: readonly Readonly<Record<string, unknown>>[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The task in the result of a call (spec/door.md 6.1), whichever keys beyond it there are. `E-IO-003` for anything else. */
export function readTask(result: unknown): DoorTask {
  const { id, contextId, status, artifacts } = fieldsOf(result);
  const { state, message } = fieldsOf(status);
  if (typeof id !== 'string' || typeof state !== 'string') {
    throw new MurError('E-IO-003', 'the door answered with something that is no task');
  }
  const byName = (name: string): readonly unknown[] => {
    const found = listOf(artifacts).find((artifact) => fieldsOf(artifact).name === name);
    return listOf(fieldsOf(found).parts);
  };
  return {
    id,
    contextId: typeof contextId === 'string' ? contextId : '',
    state,
    ...textAs('message', listOf(fieldsOf(message).parts)),
    ...textAs('response', byName('response')),
    ...textAs('prompt', byName('prompt')),
    residue: byName('residue').flatMap(residueItem),
  };
}

/** True once nothing more happens with the task by itself: it ended, or it waits for a person. */
export function hasEnded({ state }: Pick<DoorTask, 'state'>): boolean {
  return state !== 'submitted' && state !== 'working';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textAs<Key extends string>(key: Key, parts: readonly unknown[]): { readonly [K in Key]?: string } {
  const texts = parts.map((part) => fieldsOf(part).text).filter((text) => typeof text === 'string');
  return texts.length === 0 ? {} : ({ [key]: texts.join('\n') } as { readonly [K in Key]?: string });
}

/** A door writes each item as JSON text, another one as data. */
function residueItem(part: unknown): Fields[] {
  const { text, data } = fieldsOf(part);
  if (typeof text !== 'string') return data === undefined ? [] : [fieldsOf(data)];
  const item = parsedJson(text);
  return item === undefined ? [] : [fieldsOf(item)];
}
