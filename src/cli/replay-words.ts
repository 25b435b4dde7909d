/** Events, machines and states of a replay in words for people. Pure. Not the layout (replay-view.ts). */
import { type LoggedEvent, type MachineState, rootPath, stateText } from '../replay/index.js';
import { oneLine } from './safe-text.js';

export interface Phrase {
  /** How the thing the event tells of went. */
  readonly mood: 'ok' | 'failed' | 'plain';
  readonly text: string;
  readonly detail: string;
}

const longestWord = 48;

/** `✓ validate`, `starts`, `stop.requested`; beside it what the event carries, as far as a line can say it. */
export function phraseOf({ ev }: LoggedEvent): Phrase {
  const ended = /^xstate\.(done|error)\.actor\.(.+)$/.exec(ev.type);
  if (ended !== null) {
    const name = oneLine(ended[2]!);
    if (ended[1] === 'error') return { mood: 'failed', text: name, detail: brief(ev.error) };
    const output = ev.output as { readonly ok?: unknown; readonly fault?: unknown } | null | undefined;
    if (output?.ok === false) return { mood: 'failed', text: name, detail: brief(output.fault) };
    return { mood: 'ok', text: name, detail: brief(output) };
  }
  const after = /^xstate\.after\.([^.]+)\./.exec(ev.type)?.[1];
  if (after !== undefined) return { mood: 'plain', text: `after ${after}`, detail: '' };
  if (ev.type === 'xstate.init') return { mood: 'plain', text: 'starts', detail: inputOf(ev.input) };
  if (ev.type === 'xstate.stop') return { mood: 'plain', text: 'is stopped', detail: '' };
  const { type, ...rest } = ev;
  return { mood: 'plain', text: oneLine(type), detail: brief(rest) };
}

/** `turn 2`; the first run goes without a number. */
export function machineLabel({ path = rootPath, run = 1 }: Pick<LoggedEvent, 'path' | 'run'>): string {
  return oneLine(`${path.split('/').at(-1)}${run === 1 ? '' : ` ${run}`}`);
}

export function depthOf({ path = rootPath }: Pick<LoggedEvent, 'path'>): number {
  return path.split('/').length - 1;
}

/** The state, split where it begins to differ from the one before: what stayed, what is new. */
export function stateParts(before: MachineState | undefined, after: MachineState): readonly [string, string] {
  const now = stateText(after.value);
  const was = before === undefined ? '' : stateText(before.value);
  if (now === was) return [now, ''];
  let same = 0;
  while (same < now.length && now[same] === was[same]) same += 1;
  const start = now.slice(0, same).search(/[.{ ][^.{ ]*$/) + 1;
  return [now.slice(0, start), now.slice(start)];
}

/** `turn 2, status ok`: context that the event changed. */
export function changesOf(before: MachineState | undefined, after: MachineState): string[] {
  if (before === undefined) return [];
  return Object.entries(after.context)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before.context[key]))
    .map(([key, value]) => `${oneLine(key)} ${valueText(value)}`);
}

/** A value in a word or two. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return shorten(oneLine(value));
  if (Array.isArray(value)) return `[${value.length}]`;
  if (typeof value !== 'object') return String(value);
  return brief(value) || '{}';
}

/** The fields of an object that a word can say; a fault by its code and message. */
function brief(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return shorten(oneLine(String(value)));
  const { code, message } = value as { readonly code?: unknown; readonly message?: unknown };
  if (typeof message === 'string') return oneLine(`${typeof code === 'string' ? `${code} ` : ''}${message}`);
  const words = Object.entries(value).flatMap(([key, field]) => {
    if (key === 'ok' || field === null) return [];
    if (Array.isArray(field)) return [`${key} [${field.length}]`];
    return typeof field === 'object' ? [`${key} ${brief(field)}`] : [`${key} ${shorten(oneLine(String(field)))}`];
  });
  return oneLine(words.join(' '));
}

/** What tells this run of a machine from others: the tool of a call, the number of a turn, the id of a task. */
function inputOf(input: unknown): string {
  const { name, turn, taskId, capsuleName } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const known = name ?? (turn === undefined ? (taskId ?? capsuleName) : `turn ${Number(turn) + 1}`);
  return known === undefined ? '' : valueText(known);
}

/** Ids keep their end, which is what tells them apart. */
function shorten(word: string): string {
  if (/^[a-z]{3}_[0-9a-f]{32}$/.test(word)) return `${word.slice(0, 4)}…${word.slice(-6)}`;
  const characters = [...word];
  return characters.length <= longestWord ? word : `${characters.slice(0, longestWord - 1).join('')}…`;
}
