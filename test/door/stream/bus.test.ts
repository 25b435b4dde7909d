import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventBus } from '../../../src/door/stream/bus.js';
import { Ring } from '../../../src/door/stream/ring.js';
import type { StreamEvent } from '../../../src/door/stream/types.js';

const chunk = (text = 'x'): StreamEvent => ({ type: 'text', taskId: 'tsk_a', text, final: false });

function busOf(limit: number, count: number): EventBus {
  const bus = new EventBus(limit);
  for (let at = 0; at < count; at++) bus.publish(chunk());
  return bus;
}

function replay(bus: EventBus, from: number): { first: number | undefined; ids: number[] } {
  const { firstAvailableId, events } = bus.since(from);
  return { first: firstAvailableId, ids: events.map(({ id }) => id) };
}

describe('spec/door.md 15.4, the replay table', () => {
  it.each([
    ['an empty buffer gives nothing', 2, 0, 0, undefined, []],
    ['a buffer of 2 with ids 1, 2, 3 from 0: gap, then 2 and 3', 2, 3, 0, 2, [2, 3]],
    ['ids 1, 2, 3 from 1: 2 and 3', 3, 3, 1, undefined, [2, 3]],
    ['ids 5 and 6 from 4: no gap', 2, 6, 4, undefined, [5, 6]],
    ['the last id: nothing', 3, 3, 3, undefined, []],
    ['the next id, never issued here: gap and everything', 3, 3, 4, 1, [1, 2, 3]],
    ['an id of another session: gap and everything', 3, 3, 900, 1, [1, 2, 3]],
  ])('%s', (_name, limit, count, from, first, ids) => {
    expect(replay(busOf(limit, count), from)).toEqual({ first, ids });
  });
});

describe('the bus', () => {
  it('whoever resumes from any id gets each event that is held exactly once, in order, and is told of a loss', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(120), fc.nat(130), (limit, count, from) => {
        const { first, ids } = replay(busOf(limit, count), from);
        const oldest = Math.max(1, count - limit + 1);
        const isLost = count > 0 && (from > count || from + 1 < oldest);
        const begin = isLost ? oldest : from + 1;
        expect(first).toBe(isLost ? oldest : undefined);
        expect(ids).toEqual(Array.from({ length: Math.max(0, count - begin + 1) }, (_, at) => begin + at));
      }),
    );
  });

  it('tells its listeners of each event, numbered from 1, until they leave or the bus ends', () => {
    const bus = new EventBus();
    const heard: (number | string)[] = [];
    const leave = bus.listen({ event: ({ id }) => heard.push(id), ended: () => heard.push('ended') });
    const early = bus.listen({ event: ({ id }) => heard.push(`early ${id}`), ended: () => heard.push('never') });
    bus.publish(chunk());
    early();
    bus.publish(chunk());
    bus.end();
    bus.end();
    bus.publish(chunk());
    leave();
    expect(heard).toEqual([1, 'early 1', 2, 'ended']);
    expect(bus.lastId).toBe(2);
    bus.listen({ event: () => heard.push('late'), ended: () => heard.push('over') });
    expect(heard.at(-1)).toBe('over');
  });
});

describe('the ring', () => {
  it('holds the last items in order and says when one had to go', () => {
    const step = fc.option(fc.nat(9), { nil: 'shift' as const });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 80 }), (limit, steps) => {
        const ring = new Ring<number>(limit);
        let model: number[] = [];
        for (const step of steps) {
          if (step === 'shift') {
            expect(ring.shift()).toBe(model[0]);
            model = model.slice(1);
          } else {
            expect(ring.push(step)).toBe(model.length === limit);
            model = [...model, step].slice(-limit);
          }
          expect([...ring]).toEqual(model);
          expect([ring.size, ring.oldest, ring.isFull]).toEqual([model.length, model[0], model.length === limit]);
        }
      }),
    );
  });
});
