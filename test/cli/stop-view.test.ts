import { describe, expect, test } from 'vitest';
import type { Asked, StopOutput } from '../../machines/stop/types.js';
import { stoppedJson, stoppedLines } from '../../src/cli/stop-view.js';
import { record } from '../liveness/fixture.js';

const { session_id } = record();
const asked = (over: Partial<Asked & { ok: true }> = {}): Asked => ({ ok: true, canceled: [], residue: [], ...over });
const output = (over: Partial<StopOutput> = {}): StopOutput => ({
  sessionId: session_id,
  asked: asked(),
  unended: [],
  signal: 'SIGTERM',
  via: 'pidfd',
  fault: null,
  ...over,
});

describe('the block of a stopped session', () => {
  test('says what was stopped, by what, and that nothing is left', () => {
    expect(stoppedLines(record(), output(), false)).toEqual([
      `stopped: ${session_id}`,
      'capsule: demo@0.1.0',
      'signal:  SIGTERM',
      'residue: nothing else was left running',
    ]);
  });

  test('says how the signal was delivered when asked', () => {
    expect(stoppedLines(record(), output(), true)).toContain('via:     pidfd');
    expect(stoppedLines(record(), output({ signal: null, via: null }), true).join()).not.toContain('via:');
  });

  test('says that no signal was needed', () => {
    expect(stoppedLines(record(), output({ signal: null }), false)).toContain(
      'signal:  none — the process had already exited',
    );
  });

  test('names canceled tasks, and those whose ending nobody recorded', () => {
    const lines = stoppedLines(
      record(),
      output({ asked: asked({ canceled: ['tsk_a', 'tsk_b'] }), unended: ['tsk_b'] }),
      false,
    );
    expect(lines.slice(3, 6)).toEqual([
      'canceled: tsk_a',
      'canceled: tsk_b',
      'unended: tsk_b  the trace does not record how this task ended',
    ]);
  });

  test('tells what ends with the session from what goes on', () => {
    const shell = { kind: 'detached_shell', work_id: 'wrk_1', command: 'make\nall' };
    const residue = [
      shell,
      { ...shell, work_id: 'wrk_2', ends_with_session: true },
      { kind: 'delegation', delegation_id: 'dlg_1', capsule: 'child', version: '1.0.0' },
      { kind: 'of a later version' },
    ];
    expect(stoppedLines(record(), output({ asked: asked({ residue }) }), false).slice(3)).toEqual([
      'running: wrk_1  detached shell  make all',
      'ended:   wrk_2  detached shell  make all',
      'ended:   dlg_1  delegation  child@1.0.0',
      'running: {"kind":"of a later version"}',
    ]);
  });

  test('does not pretend to know what a silent capsule left', () => {
    expect(stoppedLines(record(), output({ asked: { ok: false, reason: 'timed out' } }), false).at(-1)).toBe(
      'residue: unknown — the capsule could not be asked: timed out',
    );
  });
});

test('a stop as JSON tells success from failure', () => {
  expect(stoppedJson(record(), output())).toEqual({
    session_id,
    capsule: 'demo',
    version: '0.1.0',
    status: 'stopped',
    signal: 'SIGTERM',
    via: 'pidfd',
    canceled: [],
    unended: [],
    residue: [],
  });
  const fault = { code: 'E-RUN-024', message: 'no' };
  expect(stoppedJson(record(), output({ asked: { ok: false, reason: 'x' }, fault, signal: null }))).toMatchObject({
    status: 'not_stopped',
    residue: null,
    unasked: 'x',
    error: fault,
  });
});
