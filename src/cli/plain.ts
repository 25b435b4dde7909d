/**
 * What a log shows while a session runs: one line per fact, no colour, nothing redrawn. For stderr that is no terminal.
 * Pure: a notice in, lines out. Not the lines on stdout (announce.ts) and not the terminal (progress.ts).
 */
import type { SessionNotice } from '../supervise/notice.js';
import { count, duration, grouped, ordinal } from '../text/measure.js';
import { answerCommand } from './answer.js';
import { block, callInput, oneLine } from './safe-text.js';
import { cut } from './width.js';

const widest = 160;

/** The log lines of `notice`; none for what only makes sense on a terminal. */
export function plainLines(notice: SessionNotice): readonly string[] {
  switch (notice.type) {
    case 'component.compiled':
      return [`compiled ${oneLine(notice.name)} in ${duration(notice.durationMs)}`];
    case 'session.staged':
      return [`staged ${notice.sessionId} in ${oneLine(notice.workdir)}`];
    case 'task.started':
      return [short(`task: ${oneLine(notice.text) || '(blank)'}`)];
    case 'tool.started':
      return [
        short(`turn ${ordinal(notice.turn)}: calls ${oneLine(notice.name)} ${callInput(notice.input)}`.trimEnd()),
      ];
    case 'tool.finished': {
      const became = commandNote(notice) ?? notice.status;
      const line = `${oneLine(notice.name)}: ${became} ${notice.workId === undefined ? 'in' : 'after'} ${duration(notice.durationMs)}`;
      return [short(notice.error === undefined ? line : `${line}: ${oneLine(notice.error)}`)];
    }
    case 'turn.ended': {
      const tokens = [
        ...(notice.inputTokens === undefined ? [] : [`${grouped(notice.inputTokens)} tokens in`]),
        ...(notice.outputTokens === undefined ? [] : [`${grouped(notice.outputTokens)} out`]),
      ];
      return [[`turn ${ordinal(notice.turn)}: ended in ${duration(notice.durationMs)}`, ...tokens].join(', ')];
    }
    case 'task.ended': {
      const line = `task ${oneLine(notice.status)} after ${count(notice.turns, 'turn')} in ${duration(notice.durationMs)}`;
      return [short(notice.reason === undefined ? line : `${line}: ${oneLine(notice.reason)}`)];
    }
    case 'input.requested':
      return [short(`asks you: ${oneLine(notice.prompt)}`), `answer: ${answerCommand(notice)}`];
    case 'input.ended':
      return notice.wasAnswered ? ['answered'] : [];
    case 'inspection.listening':
      return [`inspect: ${notice.url}`];
    case 'session.draining':
      return [`ending: ${oneLine(notice.reason)}`];
    case 'stage.entered':
    case 'component.compiling':
    case 'warning':
    case 'door.listening':
    case 'turn.started':
    case 'text.chunk':
    case 'thinking.chunk':
    case 'session.ended':
      return [];
  }
}

/** What became of a command where `ok` would say too little; `undefined` for every other call. */
export function commandNote({
  exitCode = 0,
  workId,
}: Pick<Extract<SessionNotice, { type: 'tool.finished' }>, 'exitCode' | 'workId'>): string | undefined {
  if (workId !== undefined) return `goes on in the background as ${oneLine(workId)}`;
  return exitCode === 0 ? undefined : `exit ${exitCode}`;
}

/** An answer inside a log: its lines, indented, so that none passes for one of ours. */
export function plainAnswer(answer: string): readonly string[] {
  return [
    'answer:',
    ...block(answer)
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
  ];
}

function short(line: string): string {
  return cut(line, widest);
}
