import fc from 'fast-check';
import { expect, it } from 'vitest';
import { supervise, workerSpec } from '../fixtures.js';

const id = fc.constantFrom('a', 'b', 'c', 'd');
const command = fc.oneof(
  fc.record({
    do: fc.constant('spawn' as const),
    id,
    restart: fc.constantFrom('permanent' as const, 'transient' as const, 'temporary' as const),
    shutdown: fc.constantFrom(0, 50, 500),
  }),
  fc.record({ do: fc.constantFrom('terminate' as const, 'crash' as const, 'finish' as const, 'stall' as const), id }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(200) }),
);

it('whatever happens, each start is followed by one exit and one release, one incarnation lives at a time, and a drain ends', () => {
  fc.assert(
    fc.property(
      fc.array(command, { maxLength: 40 }),
      fc.constantFrom('one_for_one' as const, 'one_for_all' as const, 'rest_for_one' as const),
      fc.constantFrom('reverse' as const, 'together' as const),
      fc.constantFrom(0, 30),
      (commands, strategy, stopOrder, delayMs) => {
        const t = supervise({
          strategy,
          stopOrder,
          backoff: () => delayMs,
          intensity: { maxRestarts: 5, withinMs: 100 },
        });
        for (const step of commands) {
          if (step.do === 'spawn') t.spawn(workerSpec(step.id, step));
          else if (step.do === 'wait') t.clock.increment(step.ms);
          else if (step.do === 'terminate') t.sup.send({ type: 'sup.terminate', id: step.id });
          else if (t.sup.getSnapshot().context.children.get(step.id)?.phase === 'running') {
            t.child(step.id).send(step.do === 'finish' ? { type: 'finish', output: 'bad' } : { type: step.do });
          }
        }
        t.drain(1_000);
        t.clock.increment(1_000);

        expect(t.status()).not.toBe('active');
        expect(t.ids()).toEqual([]);
        expect(t.sup.system.getSnapshot()._scheduledEvents).toEqual({});
        const alive = new Map<string, string>();
        for (const event of t.emitted) {
          if (!('generation' in event) || event.type === 'child.restarting') continue;
          const before = { 'child.started': undefined, 'child.exited': 'started', 'child.disposed': 'exited' }[
            event.type
          ];
          expect(alive.get(event.id)).toBe(before && `${before} ${event.generation}`);
          if (event.type === 'child.disposed') alive.delete(event.id);
          else alive.set(event.id, `${event.type.slice('child.'.length)} ${event.generation}`);
        }
        expect(alive.size).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});
