import { describe, expect, test } from 'vitest';
import { murmurMachine } from '../../machines/index.js';
import { broke, done, type Fact, fold, valueText } from './table.js';

const started: Fact = { type: 'session.started', id: 'a' };
const exited: Fact = { type: 'session.exited', id: 'a' };
const drained = done('sessions', undefined);
const term: Fact = { type: 'signal.received', signal: 'SIGTERM' };
const int: Fact = { type: 'signal.received', signal: 'SIGINT' };
const stop: Fact = { type: 'stop.requested' };
const late: Fact = { type: 'xstate.after.forceAfter.murmur.active.stopping' };
const failure = Object.assign(new Error('gave up'), { code: 'E-SUP-901' });

const then = (...facts: Fact[]) => at('drains', facts);
function at(firstSignal: 'drains' | 'forces', facts: Fact[]) {
  const { value, output } = fold(murmurMachine, { forceAfterMs: 19_000, firstSignal }, facts);
  return { state: valueText(value), output };
}

describe('the process', () => {
  test.each([
    ['ends with its last session', [started, exited, drained], { signal: null, forced: false }],
    ['drains at the first signal', [started, term, exited, drained], { signal: 'SIGTERM', forced: false }],
    ['is forced by the second, and tells of the first', [started, int, term], { signal: 'SIGINT', forced: true }],
    ['is forced when draining takes too long', [started, term, late], { signal: 'SIGTERM', forced: true }],
    ['is forced when a deadline takes too long', [started, stop, late], { signal: 'SIGTERM', forced: true }],
    ['drains at a deadline', [started, stop, exited, drained], { signal: null, forced: false }],
    ['is forced by the second signal after a deadline', [started, stop, int, term], { signal: 'SIGINT', forced: true }],
  ])('%s', (_, facts, output) => {
    expect(then(...facts).output).toEqual({ ...output, fault: null });
  });

  test('does not count a deadline as a signal', () => {
    expect(then(started, stop).state).toBe('active.stopping');
    expect(then(started, stop, term).state).toBe('active.stopping');
    expect(then(started, term, stop).state).toBe('active.stopping');
  });

  test('is forced by its first signal when its capsule cannot wind down, but not by a stop', () => {
    expect(at('forces', [started, term]).output).toEqual({ signal: 'SIGTERM', forced: true, fault: null });
    expect(at('forces', [started, stop]).state).toBe('active.stopping');
  });

  test('stays open while one of its sessions runs', () => {
    expect(then(started, { type: 'session.started', id: 'b' }, exited).state).toBe('active.open');
  });

  test('closes with the reason when the supervisor of sessions gives up', () => {
    expect(then(started, broke('sessions', failure))).toEqual({
      state: 'closed',
      output: { signal: null, forced: false, fault: { code: 'E-SUP-901', message: 'gave up' } },
    });
  });

  test('ends in order after an error nobody caught, and tells of the first', () => {
    const bug = (message: string): Fact => ({ type: 'bug.surfaced', error: { code: 'E-RUN-007', message } });
    const fault = { code: 'E-RUN-007', message: 'one' };
    expect(then(started, bug('one')).state).toBe('active.stopping');
    expect(then(started, bug('one'), bug('two'), exited, drained).output).toMatchObject({ forced: false, fault });
    expect(then(started, bug('one'), bug('two'), late).output).toMatchObject({ forced: true, fault });
    expect(then(started, exited, bug('one'), drained).output).toMatchObject({ forced: false, fault });
  });

  test('does not run on with sessions nobody can ask to stop', () => {
    const facts = [started, broke('signals', new Error('deaf'))];
    expect(then(...facts).state).toBe('active.stopping');
    expect(then(...facts, exited, drained).output).toMatchObject({ fault: { message: 'deaf' } });
  });
});
