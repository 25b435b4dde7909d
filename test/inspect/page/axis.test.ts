import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { axisOf, ticksOf } from '../../../src/inspect/page/store/axis.js';

const history = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 900 }) }, fc.integer({ min: 5_000, max: 3_600_000 })),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let time = 1_000;
    return steps.map((step) => {
      time += step;
      return time;
    });
  });

describe('the time axis', () => {
  test('goes forward, from 0 to 1, and back again to the same time', () => {
    fc.assert(
      fc.property(history, fc.nat(100_000), (times, later) => {
        const axis = axisOf(times, [], times.at(-1)! + later);
        expect(axis.position(axis.start)).toBe(0);
        expect(axis.position(axis.end)).toBe(1);
        let before = -1;
        for (const time of times) {
          const position = axis.position(time);
          expect(position).toBeGreaterThanOrEqual(before);
          expect(position).toBeLessThanOrEqual(1);
          expect(Math.abs(axis.time(position) - time)).toBeLessThan(1);
          before = position;
        }
      }),
    );
  });

  test('an hour of waiting takes less room than the seconds around it', () => {
    const axis = axisOf([0, 1_000, 2_000, 3_602_000, 3_603_000, 3_604_000], [], 3_604_000);
    expect(axis.gaps).toEqual([{ from: 2_000, to: 3_602_000 }]);
    expect(axis.position(3_602_000) - axis.position(2_000)).toBeLessThan(0.15);
  });

  test('a long call is never folded', () => {
    const axis = axisOf([0, 1_000, 61_000, 62_000], [{ from: 1_000, to: 61_000 }], 62_000);
    expect(axis.gaps).toEqual([]);
    expect(axis.position(31_000)).toBeCloseTo(0.5, 2);
  });

  test('waiting now is folded too, so that the past does not shrink while nothing happens', () => {
    const [soon, late] = [axisOf([0, 1_000, 2_000], [], 60_000), axisOf([0, 1_000, 2_000], [], 600_000)];
    expect(Math.abs(soon.position(2_000) - late.position(2_000))).toBeLessThan(0.01);
  });

  test('labels stand at round times, not inside a fold, and are few', () => {
    fc.assert(
      fc.property(history, (times) => {
        const axis = axisOf(times, [], times.at(-1)!);
        const ticks = ticksOf(axis, 0, 1, 10);
        expect(ticks.length).toBeLessThanOrEqual(22);
        for (const tick of ticks) expect(axis.gaps.some(({ from, to }) => tick > from && tick < to)).toBe(false);
      }),
    );
  });
});
