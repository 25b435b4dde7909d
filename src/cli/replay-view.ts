/** What `mur replay` shows on a terminal. Pure: a replay in, lines out. Words are in replay-words.ts. */

import { type MachineState, type Replay, type ReplayStep, stateText, type Verification } from '../replay/index.js';
import { idTimeMs } from '../supervise/ids.js';
import { count, duration } from '../text/measure.js';
import { changesOf, depthOf, machineLabel, phraseOf, stateParts } from './replay-words.js';
import { oneLine } from './safe-text.js';
import type { Glyphs, Style } from './style.js';
import { cut, displayWidth, pad } from './width.js';

export interface ReplayLook {
  readonly columns: number;
  readonly style: Style;
  readonly glyphs: Glyphs;
}

/** Columns of the table on a terminal of some width; 0: there is no room for that column. */
interface Widths {
  readonly time: number;
  readonly machine: number;
  readonly phrase: number;
}

function widthsFor(columns: number): Widths {
  if (columns < 60) return { time: 0, machine: 12, phrase: 16 };
  if (columns < 100) return { time: columns < 76 ? 0 : 8, machine: 17, phrase: 24 };
  return { time: 8, machine: 18, phrase: 40 };
}

/** Who, when, how it ended, and what is wrong with the log. */
export function headLines(replay: Replay, look: ReplayLook): string[] {
  const { style, glyphs } = look;
  const { header, length } = replay;
  const root = replay.stateAt(length - 1).machines[0];
  const { capsuleName = '', capsuleVersion = '', status } = (root?.context ?? {}) as Readonly<Record<string, unknown>>;
  const startedAt = replay.events(0, 0)[0]?.at ?? idTimeMs(header.session_id) ?? 0;
  const lastAt = replay.events(length - 1)[0]?.at ?? startedAt;
  const now =
    root === undefined ? 'nothing happened' : root.status === 'active' ? stateText(root.value) : endWord(root);
  const facts = [
    `${oneLine(String(capsuleName))} ${oneLine(String(capsuleVersion))}`,
    count(length, 'event'),
    duration(lastAt - startedAt),
    typeof status === 'string' && root?.status !== 'active' ? `${now}: ${status}` : now,
  ];
  const lines = [
    style.bold(oneLine(header.session_id)),
    style.dim(facts.filter((fact) => fact.trim() !== '').join(` ${glyphs.dot} `)),
    style.dim(`recorded ${dateText(startedAt)} by mur ${oneLine(header.mur ?? '?')}`),
    ...replay.changedCharts.map((id) =>
      style.yellow(`the chart '${oneLine(id)}' has changed since: what follows is what it would do today`),
    ),
    ...replay.warnings.map((warning) => style.yellow(`${oneLine(warning)}`)),
  ];
  return lines;
}

/** The table: one line per event. */
export function* tableLines(replay: Replay, look: ReplayLook): Generator<string> {
  const { style, columns } = look;
  const numbers = Math.max(3, String(replay.length).length);
  const startedAt = replay.events(0, 0)[0]?.at ?? 0;
  const widths = widthsFor(columns);
  const titles = [
    '#'.padStart(numbers),
    ...(widths.time === 0 ? [] : ['at'.padStart(widths.time)]),
    pad('machine', widths.machine),
    pad('event', widths.phrase),
    'state after it',
  ];
  yield style.dim(cut(titles.join('  '), columns));
  for (const step of replay.steps()) yield rowOf(step, { numbers, startedAt, widths }, look);
}

interface Place {
  readonly numbers: number;
  readonly startedAt: number;
  readonly widths: Widths;
}

function rowOf(step: ReplayStep, { numbers, startedAt, widths }: Place, look: ReplayLook): string {
  const { style, columns, glyphs } = look;
  const { event, machine, before } = step;
  const { mood, text, detail } = phraseOf(event);
  const sign = { ok: `${glyphs.ok} `, failed: `${glyphs.failed} `, plain: '' }[mood];
  const paint = { ok: (words: string) => words, failed: style.red, plain: style.cyan }[mood];
  const seconds = ((event.at - startedAt) / 1_000).toFixed(3);
  const time = widths.time === 0 ? '' : `  ${seconds.padStart(widths.time)}`;
  const name = cut(`${'  '.repeat(depthOf(event))}${machineLabel(event)}`, widths.machine, glyphs.ellipsis);
  const label = pad(name, widths.machine);
  const words = cut(`${sign}${text}`, widths.phrase, glyphs.ellipsis);
  const room = widths.phrase - displayWidth(words);
  // A piece of a word says nothing.
  const rest = detail === '' || room < 6 ? '' : cut(` ${detail}`, room, glyphs.ellipsis);
  const gap = ' '.repeat(Math.max(0, room - displayWidth(rest)));
  const used = numbers + displayWidth(time) + widths.machine + widths.phrase + 6;
  return [
    style.dim(`${String(event.q).padStart(numbers)}${time}`),
    depthOf(event) === 0 ? style.bold(label) : label,
    `${paint(words)}${style.dim(rest)}${gap}`,
    stateCell(before, machine, columns - used, look),
  ]
    .join('  ')
    .trimEnd();
}

/** What stayed dim, what is new bold, then the context that changed. */
function stateCell(before: MachineState | undefined, after: MachineState, room: number, look: ReplayLook): string {
  const { style, glyphs } = look;
  const [same, fresh] = stateParts(before, after);
  const paint = after.status === 'error' ? style.red : after.status === 'active' ? style.bold : style.green;
  // The innermost state says most, so a path is cut at its beginning.
  const excess = displayWidth(same) + displayWidth(fresh) - room;
  const isPath = !`${same}${fresh}`.includes('{') && excess > 0 && excess + 1 < displayWidth(same);
  const shownSame = isPath ? `${glyphs.ellipsis}${same.slice(excess + 1)}` : cut(same, room, glyphs.ellipsis);
  const shownFresh = cut(fresh, Math.max(0, room - displayWidth(shownSame)), glyphs.ellipsis);
  const changes = changesOf(before, after).join(', ');
  const left = room - displayWidth(shownSame) - displayWidth(shownFresh) - 2;
  const aside = changes === '' || left < 8 ? '' : `  ${style.yellow(cut(changes, left, glyphs.ellipsis))}`;
  return `${style.dim(shownSame)}${paint(shownFresh)}${aside}`;
}

/** What `--verify` says when nothing differs. */
export function verifiedLine({ checked, unchecked, keyframes }: Verification, { style, glyphs }: ReplayLook): string {
  const more = [
    ...(keyframes === 0 ? [] : [`${count(keyframes, 'keyframe')} too`]),
    ...(unchecked === 0 ? [] : [`${count(unchecked, 'event')} had no recorded state`]),
  ];
  const facts = `${count(checked, 'event')} led to the recorded state and the recorded requests`;
  return `${style.green(glyphs.ok)} ${facts}${more.length === 0 ? '' : style.dim(` (${more.join('; ')})`)}`;
}

function endWord({ status, value }: MachineState): string {
  return status === 'done' ? stateText(value) : status;
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
}
