import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/errors/index.js';
import { type AttemptEnding, redactor, resultFiles, resultText } from '../../src/inference/index.js';

describe('resultText (spec/session.md 6.5)', () => {
  test.each<[AttemptEnding, string]>([
    [{ type: 'answered', text: 'a\nb', stopReason: 'end_turn' }, 'a\nb'],
    [{ type: 'answered', text: '', stopReason: 'max_tokens' }, ''],
    [{ type: 'failed', reason: 'HTTP 500' }, 'error: HTTP 500'],
    [{ type: 'turns_exceeded', maxTurns: 10 }, 'error: inference loop exceeded 10 turns'],
    [{ type: 'ceiling_reached', reason: 'session ceiling of 5 tokens' }, 'error: session ceiling of 5 tokens'],
    [{ type: 'no_answer', reason: 'nobody home' }, 'no answer: nobody home'],
    [{ type: 'canceled' }, 'canceled: the task was canceled before it completed, so it has no result'],
  ])('%j', (ending, text) => {
    expect(resultText(ending)).toBe(text);
  });

  test('credentials are replaced, the longer one first', () => {
    const redact = redactor([new Secret('key'), new Secret('key-long'), new Secret('')]);
    const ending = { type: 'answered', text: 'key-long and key and key', stopReason: 'end_turn' } as const;
    expect(resultText(ending, redact)).toBe('[redacted] and [redacted] and [redacted]');
  });

  test('a threaded task with an id has a file of its own beside the common one', () => {
    expect(resultFiles('stateless', 'tsk_1')).toEqual(['result.txt']);
    expect(resultFiles('threaded', undefined)).toEqual(['result.txt']);
    expect(resultFiles('threaded', 'tsk_1')).toEqual(['result.txt', 'result_tsk_1.txt']);
  });
});
