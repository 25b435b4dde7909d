import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/wasm/gate.js';

const never = new AbortController().signal;

describe('gate', () => {
  it('lets waiters in by order, resumed ones first', async () => {
    const gate = new Gate(1);
    await gate.enter(never);
    const order: string[] = [];
    const waiting = [
      gate.enter(never).then(() => order.push('fresh 1')),
      gate.enter(never).then(() => order.push('fresh 2')),
      gate.enter(never, 'resumed').then(() => order.push('resumed')),
    ];
    for (let left = 3; left > 0; left -= 1) {
      gate.leave();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(waiting);
    expect(order).toEqual(['resumed', 'fresh 1', 'fresh 2']);
  });

  it('gives an aborted waiter no place', async () => {
    const gate = new Gate(1);
    await gate.enter(never);
    const abort = new AbortController();
    const waiting = gate.enter(abort.signal);
    abort.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    gate.leave();
    expect(gate.free).toBe(1);
    await expect(gate.enter(abort.signal)).rejects.toThrow('gone');
    expect(gate.free).toBe(1);
  });

  it('never lets more in than it has places and never loses one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom('enter', 'resume', 'leave', 'abort'), { maxLength: 60 }),
        async (capacity, steps) => {
          const gate = new Gate(capacity);
          let inside = 0;
          let entering: Promise<unknown>[] = [];
          let aborts: AbortController[] = [];
          const enter = (order: 'fresh' | 'resumed') => {
            const abort = new AbortController();
            aborts.push(abort);
            const entered = () => {
              inside += 1;
              aborts = aborts.filter((other) => other !== abort);
            };
            entering.push(gate.enter(abort.signal, order).then(entered, () => {}));
          };
          for (const step of steps) {
            if (step === 'enter') enter('fresh');
            else if (step === 'resume') enter('resumed');
            else if (step === 'abort') aborts.pop()?.abort();
            else if (inside > 0) {
              inside -= 1;
              gate.leave();
            }
            await new Promise((resolve) => setImmediate(resolve));
            expect(inside).toBeLessThanOrEqual(capacity);
            expect(gate.free + inside).toBe(capacity);
          }
          for (const abort of aborts) abort.abort();
          await Promise.all(entering);
          entering = [];
          expect(gate.free + inside).toBe(capacity);
        },
      ),
      { numRuns: 50 },
    );
  });
});
