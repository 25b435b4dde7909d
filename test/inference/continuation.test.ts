import { describe, expect, test } from 'vitest';
import { type Continuation, reduceContinuation, usableContinuation } from '../../src/inference/index.js';

const held: Continuation = { id: 'r1', contextId: 'ctx_1', choice: 'primary', ackedLen: 4 };

describe('reduceContinuation (spec/drivers.md section 6)', () => {
  test('an answer with an id is held with its context, choice and length', () => {
    expect(
      reduceContinuation(undefined, {
        type: 'driver.answered',
        continuationId: 'r1',
        contextId: 'ctx_1',
        choice: 'primary',
        messageCount: 4,
      }),
    ).toEqual(held);
  });

  test.each([[undefined], ['']])('an answer with id %j drops what was held', (continuationId) => {
    const event = {
      type: 'driver.answered',
      continuationId,
      contextId: 'ctx_1',
      choice: 'primary',
      messageCount: 6,
    } as const;
    expect(reduceContinuation(held, event)).toBeUndefined();
  });

  test('a replaced context drops it', () => {
    expect(reduceContinuation(held, { type: 'context.replaced' })).toBeUndefined();
  });

  test('a recorded answer moves the mark past it, in its own context only', () => {
    const recorded = { type: 'answer.recorded', messageCount: 5 } as const;
    expect(reduceContinuation(held, { ...recorded, contextId: 'ctx_1' })?.ackedLen).toBe(5);
    expect(reduceContinuation(held, { ...recorded, contextId: 'ctx_1', messageCount: 7 })?.ackedLen).toBe(5);
    expect(reduceContinuation(held, { ...recorded, contextId: 'ctx_1', messageCount: 4 })?.ackedLen).toBe(4);
    expect(reduceContinuation(held, { ...recorded, contextId: 'ctx_2' })).toBe(held);
    expect(reduceContinuation(undefined, { ...recorded, contextId: 'ctx_1' })).toBeUndefined();
  });
});

describe('usableContinuation', () => {
  const next = { contextId: 'ctx_1', choice: 'primary', messageCount: 6 };

  test('the same context and choice send the tail', () => {
    expect(usableContinuation(held, next)).toEqual({ id: 'r1', from: 4 });
  });

  test.each([
    ['another context', { ...next, contextId: 'ctx_2' }],
    ['another choice', { ...next, choice: 'fast' }],
    ['no message behind the mark', { ...next, messageCount: 4 }],
    ['a shorter conversation', { ...next, messageCount: 3 }],
  ])('%s is a full resend', (_, call) => {
    expect(usableContinuation(held, call)).toBeUndefined();
  });

  test('nothing held is a full resend', () => {
    expect(usableContinuation(undefined, next)).toBeUndefined();
  });
});
