import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PageCursor, pageOf, TaskRegistry, type TaskRequest } from '../../src/task/index.js';

const request = (taskId: string): TaskRequest => ({
  taskId,
  contextId: 'ctx',
  text: 'go',
  origin: 'event',
  trust: 'untrusted',
  source: 'a2a',
  receivedAtMs: 1,
});

describe('a listing read page by page while tasks come and go (spec/door.md 6)', () => {
  it('shows nothing twice, and every task that was there before and did not change', () => {
    // What happens between two pages: a task comes, the oldest that waits ends, time passes; or none of these.
    const happening = fc.constantFrom('come', 'end', 'wait' as const);
    const between = fc.array(fc.array(happening, { maxLength: 6 }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 7 }), between, (count, size, rounds) => {
        let now = 1_000;
        let minted = 0;
        const ended = { tasks: 12, characters: 1_000_000 };
        const tasks = new TaskRegistry({ acceptance: 'queue', queueDepth: 100, now: () => now, ended });
        const happen = (what: 'come' | 'end' | 'wait') => {
          const [oldest] = tasks.list().filter(({ state }) => state === 'submitted');
          // Ids grow with time, as those of a door do.
          if (what === 'come') tasks.enqueue(request(`t${String(++minted).padStart(4, '0')}`));
          else if (what === 'wait') now += 1;
          else if (oldest !== undefined) tasks.cancel(oldest.taskId);
        };
        for (let at = 0; at < count; at++) {
          happen('come');
          if (at % 3 === 0) happen('wait');
          if (at % 4 === 0) happen('end');
        }
        const before = new Map(tasks.list().map((task) => [task.taskId, task]));
        const seen: string[] = [];
        let after: PageCursor | undefined;
        for (let at = 0; ; at++) {
          const page = pageOf(tasks.list(), {}, { size, ...(after && { after }) });
          expect(page.tasks.length).toBeLessThanOrEqual(size);
          expect(page.total).toBe(tasks.list().length);
          seen.push(...page.tasks.map(({ taskId }) => taskId));
          if (page.next === undefined) break;
          after = page.next;
          for (const what of rounds[at] ?? []) happen(what);
        }
        expect(new Set(seen).size).toBe(seen.length);
        // Unchanged is the same snapshot: one is made for each change.
        const unchanged = tasks.list().filter((task) => before.get(task.taskId) === task);
        for (const { taskId } of unchanged) expect(seen).toContain(taskId);
      }),
      { numRuns: 300 },
    );
  });
});
