import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Retention } from '../../src/task/retention.js';

test('the last tasks to end stay, as many as the bound has room for, one at least', () => {
  const bounds = fc.record({ tasks: fc.integer({ min: 1, max: 5 }), characters: fc.integer({ min: 0, max: 20 }) });
  fc.assert(
    fc.property(bounds, fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 }), (bound, sizes) => {
      const retention = new Retention(bound);
      let held: { readonly id: string; readonly size: number }[] = [];
      for (const [index, size] of sizes.entries()) {
        held.push({ id: `tsk_${index}`, size });
        const fits = (from: number) =>
          held.length - from <= bound.tasks &&
          held.slice(from).reduce((sum, one) => sum + one.size, 0) <= bound.characters;
        let from = 0;
        while (!fits(from) && from < held.length - 1) from += 1;
        expect(retention.add(`tsk_${index}`, size)).toEqual(held.slice(0, from).map(({ id }) => id));
        held = held.slice(from);
      }
    }),
  );
});
