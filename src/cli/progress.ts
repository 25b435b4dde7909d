/**
 * What a person watches on a terminal while a session runs: lines that stay, and a few last lines that are redrawn.
 * Pure: notices and times in, text out. Not the screen (screen.ts) and not the lines for pipes (plain.ts).
 */
import type { SessionNotice } from '../supervise/notice.js';
import { count, duration, grouped, ordinal } from '../text/measure.js';
import { answerCommand } from './answer.js';
import { commandNote } from './plain.js';
import { block, callInput, oneLine } from './safe-text.js';
import type { Glyphs, Style } from './style.js';
import { cut, displayWidth, pad, wrap } from './width.js';

export interface Look {
  readonly columns: number;
  /** Lines of the terminal: the redrawn part stays well below it. */
  readonly rows: number;
  readonly style: Style;
  readonly glyphs: Glyphs;
}

interface Activity {
  readonly label: string;
  readonly detail: string;
  readonly sinceMs: number;
}

export interface Progress {
  readonly startedAtMs: number;
  /** What the redrawn line names; the newest is last. */
  readonly activities: ReadonlyMap<string, Activity>;
  /** Streamed text of this turn that has no lasting line yet. */
  readonly said: string;
  /** The line of a turn whose model call is over, held back until it is known whether its text was the answer. */
  readonly heading: string | undefined;
  readonly calls: ReadonlyMap<string, string>;
  readonly callCount: number;
}

export interface Advanced {
  readonly progress: Progress;
  /** Lines to print for good. */
  readonly lines: readonly string[];
}

const widest = 88;
const nameColumns = 18;
const widestName = 28;
/** Characters of a question that are shown: a plan to be approved fits, not all a tool may write (1 MiB), which would keep the session busy for minutes. */
const askedCharacters = 8_000;
const tailLines = 6;

export function startProgress(atMs: number): Progress {
  const activities = new Map([['stage', { label: 'staging', detail: '', sinceMs: atMs }]]);
  return { startedAtMs: atMs, activities, said: '', heading: undefined, calls: new Map(), callCount: 0 };
}

/** The progress after `notice`, and the lines it adds. */
export function advance(progress: Progress, notice: SessionNotice, atMs: number, look: Look): Advanced {
  const { style, glyphs } = look;
  const ok = style.green(glyphs.ok);
  const failed = style.red(glyphs.failed);
  switch (notice.type) {
    case 'stage.entered':
      return keep(begin(progress, 'stage', 'staging', oneLine(notice.step), stageStart(progress, atMs)));
    case 'component.compiling':
      return keep(begin(progress, `compile ${notice.name}`, 'compiling', oneLine(notice.name), atMs));
    case 'component.compiled': {
      const line = row(look, { glyph: ok, name: 'compiled', detail: oneLine(notice.name), ms: notice.durationMs });
      return { progress: end(progress, `compile ${notice.name}`), lines: [line] };
    }
    case 'session.staged': {
      const ms = atMs - progress.startedAtMs;
      const line = row(look, { glyph: ok, name: 'staged', detail: oneLine(notice.workdir), ms });
      return { progress: end(progress, 'stage'), lines: [line] };
    }
    case 'task.started': {
      const title = cut(oneLine(notice.text) || '(blank)', lineColumns(look) - 2, glyphs.ellipsis);
      const next = { ...begin(end(progress, 'stage'), 'task', 'working', '', atMs), callCount: 0 };
      return { progress: next, lines: ['', `${style.cyan(glyphs.task)} ${style.bold(title)}`, ''] };
    }
    case 'turn.started': {
      const lines = [...headingLines(progress), ...sayLines(progress, look)];
      const next = { ...progress, said: '', heading: undefined };
      return { progress: begin(next, 'turn', 'thinking', oneLine(notice.model), atMs), lines };
    }
    case 'text.chunk': {
      const next = { ...progress, said: progress.said + notice.text };
      return keep(relabel(next, 'turn', 'writing'));
    }
    case 'tool.started': {
      const lines = [...headingLines(progress), ...sayLines(progress, look)];
      const input = callInput(notice.input);
      const calls = new Map(progress.calls).set(notice.callId, input);
      const next = { ...end(progress, 'turn'), said: '', heading: undefined, calls, callCount: progress.callCount + 1 };
      return { progress: begin(next, `call ${notice.callId}`, oneLine(notice.name), input, atMs), lines };
    }
    case 'tool.finished': {
      const isOk = notice.status === 'ok';
      const input = progress.calls.get(notice.callId) ?? '';
      const glyph = isOk ? ok : failed;
      const lines = [row(look, { glyph, name: oneLine(notice.name), detail: input, ms: notice.durationMs })];
      if (!isOk && notice.error !== undefined) lines.push(note(look, style.red, notice.error));
      const became = commandNote(notice);
      if (became !== undefined) lines.push(note(look, style.yellow, became));
      const calls = new Map(progress.calls);
      calls.delete(notice.callId);
      return { progress: { ...end(progress, `call ${notice.callId}`), calls }, lines };
    }
    case 'turn.ended':
      return keep({ ...end(progress, 'turn'), heading: turnHeading(look, notice) });
    case 'task.ended': {
      const isAnswer = notice.answer !== undefined && notice.answer.trim() === progress.said.trim();
      const lines = [...headingLines(progress), ...(isAnswer ? [] : sayLines(progress, look))];
      const counts = [count(notice.turns, 'turn'), count(progress.callCount, 'tool call')].join(` ${glyphs.dot} `);
      const isDone = notice.status === 'ok' || notice.status === 'completed';
      const word = isDone ? 'completed' : oneLine(notice.status);
      lines.push(row(look, { glyph: isDone ? ok : failed, name: word, detail: counts, ms: notice.durationMs }));
      if (notice.reason !== undefined && !isDone) lines.push(note(look, style.red, notice.reason));
      const next = { ...end(end(progress, 'turn'), 'task'), said: '', heading: undefined, calls: new Map() };
      return { progress: next, lines };
    }
    case 'input.requested': {
      const asked = wrap(block(notice.prompt.slice(0, askedCharacters)).trim(), lineColumns(look) - 4);
      const left = notice.prompt.length - askedCharacters;
      const lines = [
        `  ${style.yellow('?')} ${style.bold('asks you')}`,
        ...asked.map((line) => `    ${line}`.trimEnd()),
        ...(left > 0 ? [note(look, style.dim, `... ${count(left, 'more character')}`)] : []),
        note(look, style.dim, `answer: ${answerCommand(notice)}`),
      ];
      return { progress: begin(progress, 'input', 'waiting', 'for your answer', atMs), lines };
    }
    case 'input.ended':
      return keep(end(progress, 'input'));
    case 'inspection.listening':
      return { progress, lines: [`${ok} inspect ${notice.url}`] };
    case 'session.draining':
      return keep(begin(progress, 'drain', 'ending', oneLine(notice.reason).replaceAll('_', ' '), atMs));
    case 'session.ended':
      return keep({ ...progress, activities: new Map() });
    case 'door.listening':
      return keep(begin(progress, 'wait', 'waiting', `for a message at ${notice.url}`, atMs));
    case 'warning':
    case 'thinking.chunk':
      return keep(progress);
  }
}

/** The lines redrawn now: the tail of streamed text, then what is going on and for how long. */
export function liveLines(progress: Progress, atMs: number, look: Look): readonly string[] {
  const { style, glyphs } = look;
  const tail = Math.max(1, Math.min(tailLines, look.rows - 4));
  // Only the end of a long text is on screen, so only the end is wrapped.
  const said = progress.said.slice(-200 * tail);
  const lines = sayLines({ ...progress, said }, look).slice(-tail);
  const activity = [...progress.activities.values()].at(-1);
  if (activity !== undefined) {
    const { label: name, detail, sinceMs } = activity;
    const glyph = style.cyan(glyphs.spinner[Math.floor(atMs / 100) % glyphs.spinner.length]!);
    const elapsed = atMs - sinceMs;
    lines.push(row(look, { glyph, name, detail, ms: elapsed < 1_000 ? undefined : elapsed }));
  }
  return lines;
}

interface Row {
  /** Already coloured, one column wide. */
  readonly glyph: string;
  readonly name: string;
  readonly detail?: string;
  readonly ms?: number | undefined;
  /** The whole row is an aside. */
  readonly isFaint?: boolean;
}

/** `  ✓ name           detail                    12 ms`, with the time at the right edge. */
function row(look: Look, { glyph, name, detail = '', ms, isFaint = false }: Row): string {
  const { style, glyphs } = look;
  const time = ms === undefined ? '' : duration(ms);
  const room = lineColumns(look) - 4 - (time === '' ? 0 : time.length + 1);
  const isNarrow = room < 3 * nameColumns;
  const shown = cut(name, isNarrow ? room - 1 : widestName, glyphs.ellipsis);
  const head = isNarrow ? `${shown} ` : `${pad(shown, nameColumns)} `;
  const rest = cut(detail, room - displayWidth(head), glyphs.ellipsis);
  const gap = ' '.repeat(Math.max(0, room - displayWidth(head) - displayWidth(rest)));
  const body = `  ${glyph} ${isFaint ? style.dim(head) : head}${style.dim(rest)}`;
  return time === '' ? body.trimEnd() : `${body}${gap} ${style.dim(time)}`;
}

function note(look: Look, paint: (text: string) => string, text: string): string {
  return `    ${paint(cut(oneLine(text), lineColumns(look) - 4, look.glyphs.ellipsis))}`;
}

function sayLines({ said }: Progress, look: Look): string[] {
  const text = block(said).trim();
  if (text === '') return [];
  return wrap(text, lineColumns(look) - 4).map((line) => (line === '' ? '' : `    ${look.style.dim(line)}`));
}

function headingLines({ heading }: Progress): string[] {
  return heading === undefined ? [] : [heading];
}

function turnHeading(look: Look, notice: SessionNotice & { readonly type: 'turn.ended' }): string {
  const { style, glyphs } = look;
  const parts: string[] = [];
  if (notice.inputTokens !== undefined) parts.push(`${grouped(notice.inputTokens)} in`);
  if (notice.outputTokens !== undefined) parts.push(`${grouped(notice.outputTokens)} out`);
  const detail = parts.join(` ${glyphs.dot} `);
  const glyph = style.dim(glyphs.dot);
  return row(look, { glyph, name: `turn ${ordinal(notice.turn)}`, detail, ms: notice.durationMs, isFaint: true });
}

/** One column is left free: writing the last one makes some terminals wrap. */
function lineColumns({ columns }: Look): number {
  return Math.max(16, Math.min(widest, columns - 1));
}

function stageStart(progress: Progress, atMs: number): number {
  return progress.activities.get('stage')?.sinceMs ?? atMs;
}

function begin(progress: Progress, key: string, label: string, detail: string, sinceMs: number): Progress {
  const activities = new Map(progress.activities);
  activities.delete(key);
  activities.set(key, { label, detail, sinceMs });
  return { ...progress, activities };
}

function relabel(progress: Progress, key: string, label: string): Progress {
  const activity = progress.activities.get(key);
  if (activity === undefined || activity.label === label) return progress;
  return { ...progress, activities: new Map(progress.activities).set(key, { ...activity, label }) };
}

function end(progress: Progress, key: string): Progress {
  const activities = new Map(progress.activities);
  activities.delete(key);
  return { ...progress, activities };
}

function keep(progress: Progress): Advanced {
  return { progress, lines: [] };
}
