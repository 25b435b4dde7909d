import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answer } from '../fixtures/component/guests.js';
import { failureOf, openHost, resultOf, type TestHost } from './host.js';

let host: TestHost;
beforeAll(async () => {
  host = await openHost();
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

describe('deadline', () => {
  it('stops a spinning guest', async () => {
    const outcome = await host.call('spin', { limits: { deadlineMs: 300 } });
    expect(failureOf(outcome)).toEqual({
      kind: 'deadline',
      limit: 'capabilities.limits.deadline_seconds',
      message:
        'tool "spin" exceeded its 0.3s execution deadline (capabilities.limits.deadline_seconds) and was interrupted',
    });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(299);
  });

  it('stops it within 50 ms, in a moment when the machine has time for it', async () => {
    let late = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 50 && late > 50; round += 1) {
      const outcome = await host.call('spin', { limits: { deadlineMs: 50 } });
      late = Math.min(late, outcome.durationMs - 50);
    }
    expect(late).toBeLessThanOrEqual(50);
  });

  it('speaks of the execution for a capsule', async () => {
    const outcome = await host.call(
      { kind: 'capsule', run: '(loop $again (br $again))' },
      { limits: { deadlineMs: 100 } },
    );
    expect(failureOf(outcome).message).toContain('capsule execution exceeded its 0.1s deadline');
  });

  it('bounds a start function too, which runs before the export', async () => {
    const guest = { fields: '(func $init (loop $again (br $again))) (start $init)', run: '' };
    expect(failureOf(await host.call(guest, { limits: { deadlineMs: 100 } })).kind).toBe('deadline');
  });

  it('is the only limit of time once a thread has begun: a call may take minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const over = new AbortController();
      const outcome = await host.call('capsule', {
        limits: { deadlineMs: 600_000 },
        signal: over.signal,
        host: {
          invoke: () => {
            vi.advanceTimersByTime(300_000);
            over.abort();
            return new Promise(() => {});
          },
        },
      });
      expect(failureOf(outcome).kind).toBe('aborted');
    } finally {
      vi.useRealTimers();
    }
  });

  it('fires while the guest is parked in a host import', async () => {
    let signal: AbortSignal | undefined;
    const outcome = await host.call('capsule', {
      limits: { deadlineMs: 150 },
      host: {
        invoke: (_name, _input, _depth, given) => {
          signal = given;
          return new Promise(() => {});
        },
      },
    });
    expect(failureOf(outcome).kind).toBe('deadline');
    // The import never returns.
    expect(signal?.aborted).toBe(true);
  });

  it('is paused while a person is asked', async () => {
    const outcome = await host.call('ask', {
      data: 'name?',
      limits: { deadlineMs: 500 },
      host: { requestInput: (prompt) => new Promise((resolve) => setTimeout(resolve, 800, `${prompt} Ada`)) },
    });
    expect(resultOf(outcome)?.data).toBe('name? Ada');
  });

  it('runs on after a person answered', async () => {
    const guest = {
      imports: ['ask'],
      run: '(call $ask (i32.const 0) (i32.const 0) (i32.const 256)) (loop $again (br $again))',
    } as const;
    const outcome = await host.call(guest, { limits: { deadlineMs: 100 }, host: { requestInput: async () => 'yes' } });
    expect(failureOf(outcome).kind).toBe('deadline');
  });

  it('leaves a call in another worker alone', async () => {
    const neighbour = host.call('chatty', { data: 'x'.repeat(2000) });
    expect(failureOf(await host.call('spin', { limits: { deadlineMs: 50 } })).kind).toBe('deadline');
    expect(resultOf(await neighbour)?.status).toBe('passed');
  });
});

describe('memory', () => {
  it('stops a growing guest at the growth, naming the limit', async () => {
    expect(failureOf(await host.call('balloon'))).toEqual({
      kind: 'resource-limit',
      limit: 'capabilities.limits.memory_bytes',
      message:
        'tool "balloon": linear memory growth to 67239936 bytes exceeds capabilities.limits.memory_bytes (67108864)',
    });
  });

  it('is fatal for a guest that would tolerate a refused growth', async () => {
    const outcome = await host.call('tolerant', { data: 'x'.repeat(20), limits: { memoryBytes: 1024 * 1024 } });
    expect(failureOf(outcome).message).toContain('linear memory growth to 1441792 bytes exceeds');
  });

  it('allows growth up to the limit exactly', async () => {
    const atLimit = { data: 'x'.repeat(14), limits: { memoryBytes: 1024 * 1024 } };
    expect(resultOf(await host.call('tolerant', atLimit))?.status).toBe('passed');
    const above = { ...atLimit, data: 'x'.repeat(15) };
    expect(failureOf(await host.call('tolerant', above)).kind).toBe('resource-limit');
  });

  it('refuses an initial size above the limit before anything is instantiated', async () => {
    const outcome = await host.call({ pages: 17, run: '' }, { limits: { memoryBytes: 1024 * 1024 } });
    expect(failureOf(outcome).message).toBe(
      'tool "guest": linear memory growth to 1114112 bytes exceeds capabilities.limits.memory_bytes (1048576)',
    );
  });

  it('covers a start function that grows', async () => {
    const guest = { fields: '(func $init (drop (memory.grow (i32.const 100)))) (start $init)', run: '' };
    expect(failureOf(await host.call(guest, { limits: { memoryBytes: 1024 * 1024 } })).kind).toBe('resource-limit');
    expect(resultOf(await host.call(guest))?.status).toBe('passed');
  });

  it('serves different limits from one compiled component', async () => {
    const component = await host.load('tolerant');
    const data = 'x'.repeat(40);
    expect(failureOf(await host.call(component, { data, limits: { memoryBytes: 1024 * 1024 } })).kind).toBe(
      'resource-limit',
    );
    expect(resultOf(await host.call(component, { data }))?.data).toBe(data);
  });
});

describe('tables and instances', () => {
  it('stops a growing table, naming the limit', async () => {
    const outcome = await host.call('tables', { data: 'x'.repeat(20), limits: { tableElements: 25 } });
    expect(failureOf(outcome)).toEqual({
      kind: 'resource-limit',
      limit: 'capabilities.limits.table_elements',
      message: 'tool "tables": table growth to 30 elements exceeds capabilities.limits.table_elements (25)',
    });
    expect(resultOf(await host.call('tables', { data: 'xxxxx', limits: { tableElements: 15 } }))?.status).toBe(
      'passed',
    );
  });

  it('refuses an initial table above the limit', async () => {
    const outcome = await host.call('tables', { limits: { tableElements: 9 } });
    expect(failureOf(outcome).message).toBe(
      'tool "tables": table growth to 10 elements exceeds capabilities.limits.table_elements (9)',
    );
  });

  it('counts core instances', async () => {
    // A component with imports has three: the guest and two that the component encoder adds.
    expect(failureOf(await host.call('chunks', { data: 'x', limits: { instances: 2 } }))).toMatchObject({
      kind: 'resource-limit',
      limit: 'capabilities.limits.instances',
    });
    expect(resultOf(await host.call('chunks', { data: 'x', limits: { instances: 3 } }))?.status).toBe('passed');
  });
});

describe('values that leave a guest', () => {
  const limits = { memoryBytes: 256 * 1024 * 1024 };

  it('refuses a string larger than 64 MiB', async () => {
    const failure = failureOf(await host.call('huge', { limits }));
    expect(failure.kind).toBe('resource-limit');
    expect(failure.message).toContain('a value larger than 67108864 bytes');
  });

  it('allows 64 MiB exactly', async () => {
    const guest = { pages: 1100, run: answer('(i32.const 65536)', '(i32.const 67108864)') };
    expect(resultOf(await host.call(guest, { limits }))?.data).toHaveLength(67108864);
  });

  it('counts one result as a whole, however often it points at the same bytes', async () => {
    const before = process.memoryUsage().rss;
    expect(failureOf(await host.call('amplifier', { limits })).kind).toBe('resource-limit');
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('counts each import call for itself', async () => {
    const guest = {
      imports: ['chunk'],
      pages: 700,
      locals: '(local $i i32)',
      run: `(loop $next (call $chunk (i32.const 65536) (i32.const 33554432))
        (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 4))))`,
    } as const;
    expect(resultOf(await host.call(guest, { limits }))?.status).toBe('passed');
  });
});
