import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ResourceScope, scopeFaults } from '../../src/supervise/index.js';
import { gate, settle } from './fixtures.js';

/** Time that moves only when told to. */
function handClock() {
  let nowMs = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const sleeper = { at: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
    pass: async (ms: number) => {
      await settle();
      nowMs += ms;
      for (const sleeper of [...sleepers]) {
        if (sleeper.at > nowMs) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settle();
    },
    sleeping: () => sleepers.size,
  };
}

const never = () => new Promise(() => undefined);

describe('closing a scope', () => {
  it('releases last in first out, each after the one before has finished', async () => {
    const order: string[] = [];
    const scope = new ResourceScope('session');
    const door = gate();
    scope.use('records', () => order.push('records'));
    scope.use('door', async () => {
      order.push('door closing');
      await door.opened;
      order.push('door closed');
    });
    scope.use('pool', () => order.push('pool'));
    const closing = scope.close('done');
    await settle();
    expect(order).toEqual(['pool', 'door closing']);
    door.open();
    expect(await closing).toEqual({
      scope: 'session',
      reason: 'done',
      released: ['pool', 'door', 'records'],
      late: [],
      failed: [],
    });
    expect(order).toEqual(['pool', 'door closing', 'door closed', 'records']);
  });

  it('collects errors, synchronous and not, and still releases the rest', async () => {
    const scope = new ResourceScope('session');
    scope.use('a', () => undefined);
    scope.use('b', () => {
      throw new Error('sync');
    });
    scope.use('c', () => Promise.reject(new Error('async')));
    const report = await scope.close();
    expect(report.released).toEqual(['a']);
    expect(report.failed).toEqual([
      { name: 'c', error: new Error('async') },
      { name: 'b', error: new Error('sync') },
    ]);
    expect(scopeFaults(report)).toEqual(['session: c failed to release: async', 'session: b failed to release: sync']);
  });

  it('W-RUN-903: goes on after the deadline of a disposer that never finishes, and leaves no timer behind', async () => {
    const clock = handClock();
    const scope = new ResourceScope('session', { clock });
    scope.use('a', () => undefined);
    scope.use('stuck', never, { deadlineMs: 100 });
    const closing = scope.close();
    await clock.pass(100);
    const report = await closing;
    expect(report).toMatchObject({ released: ['a'], late: ['stuck'] });
    expect(scopeFaults(report)).toEqual(['session: stuck did not release in time']);
    expect(clock.sleeping()).toBe(0);
  });

  it('keeps one budget for all, and still asks every resource (reports row 67)', async () => {
    const clock = handClock();
    const asked: string[] = [];
    const scope = new ResourceScope('session', { clock });
    scope.use('quick', () => asked.push('quick'));
    for (const name of ['a', 'b', 'c']) {
      scope.use(name, () => {
        asked.push(name);
        return never();
      });
    }
    const closing = scope.close('signal', { deadlineMs: 150 });
    await clock.pass(150);
    await clock.pass(0);
    await clock.pass(0);
    expect(await closing).toMatchObject({ released: ['quick'], late: ['c', 'b', 'a'] });
    expect(asked).toEqual(['c', 'b', 'a', 'quick']);
  });

  it('twice returns the same report, and disposers run once', async () => {
    const dispose = vi.fn();
    const scope = new ResourceScope('session');
    scope.use('a', dispose);
    const first = scope.close('first');
    expect(scope.close('second')).toBe(first);
    await first;
    expect(dispose.mock.calls).toEqual([['first']]);
  });

  it('again with a deadline shortens it: the rest is asked at once, and nothing waited for outlives it', async () => {
    const clock = handClock();
    const asked: string[] = [];
    const scope = new ResourceScope('session', { clock });
    scope.use('folders', () => asked.push('folders'));
    const task = scope.child('task');
    task.use('file', () => asked.push('file'));
    task.use('stuck', never, { deadlineMs: 60_000 });
    scope.use('door', never, { deadlineMs: 60_000 });
    const closing = scope.close('signal');
    await clock.pass(10);
    expect(scope.close('forced', { deadlineMs: 100 })).toBe(closing);
    void scope.close('later', { deadlineMs: 5_000 });
    await clock.pass(100);
    await clock.pass(0);
    expect(asked).toEqual(['file', 'folders']);
    expect(await closing).toMatchObject({ reason: 'signal', late: ['door', 'task/stuck'] });
    expect(clock.sleeping()).toBe(0);
  });

  it('again while a child scope is being closed shortens that too', async () => {
    const clock = handClock();
    const asked: string[] = [];
    const scope = new ResourceScope('session', { clock });
    scope.use('folders', () => asked.push('folders'));
    const task = scope.child('task');
    task.use('file', () => asked.push('file'));
    task.use('stuck', never, { deadlineMs: 60_000 });
    const closing = scope.close('signal');
    await clock.pass(10);
    void scope.close('forced', { deadlineMs: 100 });
    await clock.pass(100);
    expect(await closing).toMatchObject({ released: ['task/file', 'folders'], late: ['task/stuck'] });
    expect(asked).toEqual(['file', 'folders']);
    expect(clock.sleeping()).toBe(0);
  });

  it('again without a deadline, or after the end, leaves no timer behind', async () => {
    const clock = handClock();
    const scope = new ResourceScope('session', { clock });
    scope.use('a', () => undefined);
    const closing = scope.close();
    void scope.close('forced', { deadlineMs: 100 });
    await closing;
    void scope.close('forced', { deadlineMs: 50 });
    expect(clock.sleeping()).toBe(0);
  });

  it('from inside a disposer does not hang', async () => {
    const clock = handClock();
    const scope = new ResourceScope('session', { clock });
    scope.use('a', () => scope.close(), { deadlineMs: 100 });
    const closing = scope.close();
    await clock.pass(100);
    expect((await closing).late).toEqual(['a']);
  });

  it('aborts the signals of the whole tree before anything is released', async () => {
    const seen: boolean[] = [];
    const scope = new ResourceScope('session');
    const turn = scope.child('turn');
    scope.use('a', () => seen.push(scope.signal.aborted, turn.signal.aborted));
    const closing = scope.close('why');
    expect(turn.signal.reason).toBe('why');
    await closing;
    expect(seen).toEqual([true, true]);
  });

  it('is not confused by a wall clock that steps back or forth (reports row 68)', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (const stepMs of [-3_600_000, 3_600_000]) {
        const scope = new ResourceScope('session');
        scope.use('slow', () => new Promise((resolve) => setTimeout(resolve, 10)), { deadlineMs: 5_000 });
        scope.use('stuck', never, { deadlineMs: 10 });
        const closing = scope.close('signal', { deadlineMs: 10_000 });
        vi.setSystemTime(Date.now() + stepMs);
        expect(await closing).toMatchObject({ released: ['slow'], late: ['stuck'] });
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('releasing early', () => {
  it('releases once, out of order, and the close knows it', async () => {
    const order: string[] = [];
    const scope = new ResourceScope('session');
    const release = scope.use('a', (reason) => order.push(`a ${reason}`));
    scope.use('b', () => order.push('b'));
    await release('early');
    await release('again');
    expect(scope.size).toBe(1);
    expect((await scope.close()).released).toEqual(['a', 'b']);
    expect(order).toEqual(['a early', 'b']);
  });

  it('rejects with what the disposer threw, and the report has it too', async () => {
    const scope = new ResourceScope('session');
    const release = scope.use('a', () => Promise.reject(new Error('stuck')));
    await expect(release()).rejects.toThrow('stuck');
    expect((await scope.close()).failed).toEqual([{ name: 'a', error: new Error('stuck') }]);
  });

  it('while the scope closes waits for the release that is under way', async () => {
    const { opened, open } = gate();
    const scope = new ResourceScope('session');
    const release = scope.use('a', () => opened);
    const closing = scope.close();
    let released = false;
    const early = release().then(() => {
      released = true;
    });
    await settle();
    expect(released).toBe(false);
    open();
    await Promise.all([early, closing]);
    expect((await closing).released).toEqual(['a']);
  });
});

describe('a child scope', () => {
  it('closes at its place in the order of its parent', async () => {
    const scope = new ResourceScope('session');
    scope.use('a', () => undefined);
    const turn = scope.child('turn');
    scope.use('b', () => undefined);
    turn.use('pipe', () => undefined);
    turn.use('file', () => Promise.reject(new Error('busy')));
    expect(await scope.close()).toMatchObject({
      released: ['b', 'turn/pipe', 'a'],
      failed: [{ name: 'turn/file', error: new Error('busy') }],
    });
  });

  it('that closes alone leaves its parent as it was', async () => {
    const scope = new ResourceScope('session');
    for (let turn = 0; turn < 100; turn += 1) {
      const child = scope.child(`turn ${turn}`);
      child.use('pipe', () => undefined);
      expect((await child.close()).released).toEqual(['pipe']);
    }
    expect(scope.size).toBe(0);
    expect(scope.signal.aborted).toBe(false);
    expect((await scope.close()).released).toEqual([]);
  });

  it('that is already closing is waited for by its parent, within the budget of the parent', async () => {
    const clock = handClock();
    const scope = new ResourceScope('session', { clock });
    const turn = scope.child('turn');
    turn.use('stuck', never, { deadlineMs: 60_000 });
    void turn.close();
    const closing = scope.close('signal', { deadlineMs: 100 });
    await clock.pass(100);
    expect((await closing).late).toEqual(['turn']);
  });
});

describe('a resource opened while the scope closes', () => {
  it('is released in that close, and its opener is told', async () => {
    const scope = new ResourceScope('session');
    const { opened, open } = gate();
    const dispose = vi.fn();
    scope.use('slow', () => opened);
    const closing = scope.close('why');
    expect(() => scope.use('late', dispose)).toThrow(expect.objectContaining({ code: 'E-SUP-904' }));
    expect(() => scope.child('turn')).toThrow(expect.objectContaining({ code: 'E-SUP-904' }));
    open();
    expect((await closing).released).toEqual(['slow', 'late']);
    expect(dispose).toHaveBeenCalledExactlyOnceWith('why');
  });

  it('is released at once when the scope is closed', async () => {
    const scope = new ResourceScope('session');
    await scope.close();
    const dispose = vi.fn();
    expect(() => scope.use('late', dispose)).toThrow(expect.objectContaining({ code: 'E-SUP-904' }));
    expect(dispose).toHaveBeenCalledOnce();
  });
});

it.each([Number.POSITIVE_INFINITY, Number.NaN, -1])('refuses the deadline %d', (deadlineMs) => {
  const scope = new ResourceScope('session');
  expect(() => scope.use('a', () => undefined, { deadlineMs })).toThrow(RangeError);
});

it('whatever its disposers do, a close settles and accounts for every resource exactly once', async () => {
  const behaviour = fc.constantFrom('sync', 'async', 'throws', 'rejects', 'hangs', 'fails late');
  await fc.assert(
    fc.asyncProperty(fc.array(behaviour, { maxLength: 12 }), fc.option(fc.nat(300)), async (behaviours, deadlineMs) => {
      const clock = handClock();
      const scope = new ResourceScope('s', { clock });
      behaviours.forEach((kind, index) => {
        scope.use(
          `${index}`,
          () => {
            if (kind === 'throws') throw new Error(kind);
            if (kind === 'rejects') return Promise.reject(new Error(kind));
            if (kind === 'async') return Promise.resolve();
            if (kind === 'hangs') return never();
            if (kind === 'fails late') return clock.sleep(200).then(() => Promise.reject(new Error(kind)));
            return undefined;
          },
          { deadlineMs: 100 },
        );
      });
      const closing = scope.close('x', deadlineMs === null ? {} : { deadlineMs });
      for (let pass = 0; pass <= behaviours.length; pass += 1) await clock.pass(100);
      const { released, late, failed } = await closing;
      const names = [...released, ...late, ...failed.map(({ name }) => name)];
      expect(names.sort()).toEqual(behaviours.map((_, index) => `${index}`).sort());
    }),
    { numRuns: 60 },
  );
});
