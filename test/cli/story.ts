import type { SessionNotice } from '../../src/supervise/notice.js';

export const sessionId = 'ses_0199c4e2f1b7712a9d3e4f5061728394';
const taskId = 'tsk_0199c4e2f1b7712a9d3e4f5061728395';

export interface Beat {
  readonly atMs: number;
  readonly notice: SessionNotice;
}

export const answer = 'The team decided two things:\n\n1. Ship on Friday.\n2. 日本語 goes first 🎉\n';

/** One run as a person would see it: compiling, two turns, a failing call, an answer. */
export const story: readonly Beat[] = [
  { atMs: 10, notice: { type: 'stage.entered', step: 'components' } },
  { atMs: 20, notice: { type: 'component.compiling', name: 'mur-driver-rehearsal' } },
  { atMs: 1420, notice: { type: 'component.compiled', name: 'mur-driver-rehearsal', durationMs: 1400 } },
  {
    atMs: 1500,
    notice: {
      type: 'session.staged',
      sessionId,
      workdir: '/home/ann/notes/workdir',
      recordsDir: '/nowhere',
      name: 'notes',
      version: '0.1.0',
      driver: 'mur-driver-rehearsal',
      model: 'rehearsal-1',
      skills: 1,
    },
  },
  {
    atMs: 1510,
    notice: { type: 'door.listening', sessionId, url: 'localhost:40123', pid: 7, workdir: '/home/ann/notes/workdir' },
  },
  {
    atMs: 1520,
    notice: {
      type: 'task.started',
      taskId,
      contextId: 'ctx_1',
      source: 'task_md',
      text: 'Read the notes\nand say what was decided.',
    },
  },
  { atMs: 1530, notice: { type: 'turn.started', taskId, turn: 0, model: 'rehearsal-1' } },
  {
    atMs: 2600,
    notice: { type: 'text.chunk', taskId, text: 'I look into the folder first, then I read each note in turn, ' },
  },
  { atMs: 2700, notice: { type: 'text.chunk', taskId, text: 'one after the other.' } },
  {
    atMs: 2705,
    notice: {
      type: 'turn.ended',
      taskId,
      turn: 0,
      decision: 'tool_call',
      durationMs: 3010,
      inputTokens: 1204,
      outputTokens: 56,
    },
  },
  { atMs: 2710, notice: { type: 'tool.started', taskId, turn: 0, callId: 'c1', name: 'list', input: '{"path":"."}' } },
  {
    atMs: 2722,
    notice: {
      type: 'tool.finished',
      taskId,
      callId: 'c1',
      name: 'list',
      status: 'ok',
      durationMs: 12,
      outputBytes: 40,
    },
  },
  {
    atMs: 2730,
    notice: {
      type: 'tool.started',
      taskId,
      turn: 0,
      callId: 'c2',
      name: 'read',
      input: '{"path":"monday\\u001b[2J.md","limit":9}',
    },
  },
  {
    atMs: 4530,
    notice: {
      type: 'tool.finished',
      taskId,
      callId: 'c2',
      name: 'read',
      status: 'error',
      durationMs: 1800,
      outputBytes: 0,
      error: 'no such file:\n\u001b]0;title\u0007monday.md',
    },
  },
  { atMs: 4550, notice: { type: 'turn.started', taskId, turn: 1, model: 'rehearsal-1' } },
  { atMs: 5000, notice: { type: 'text.chunk', taskId, text: answer } },
  {
    atMs: 5100,
    notice: {
      type: 'turn.ended',
      taskId,
      turn: 1,
      decision: 'end_turn',
      durationMs: 550,
      inputTokens: 1410,
      outputTokens: 20,
    },
  },
  { atMs: 5110, notice: { type: 'task.ended', taskId, status: 'ok', answer, turns: 2, durationMs: 3590 } },
  { atMs: 5120, notice: { type: 'session.draining', reason: 'finished' } },
  { atMs: 5200, notice: { type: 'session.ended', sessionId, status: 'ok' } },
];
