import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GuestCall } from '../../src/wasm/call.js';
import type { CompiledComponent } from '../../src/wasm/compiled.js';
import { slotsPerDepth, WorkerPool } from '../../src/wasm/pool.js';
import type { CallRequest, Component, GuestHost } from '../../src/wasm/types.js';
import { failureOf, limits, openHost, resultOf, type TestHost } from './host.js';

let host: TestHost;
beforeAll(async () => {
  host = await openHost({ permits: 2, maxThreads: 16 });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

const osThreads = () => readdirSync('/proc/self/task').length;
const settled = async (isDone: () => boolean | Promise<boolean>) => {
  const until = performance.now() + 15_000;
  while (!(await isDone()) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Host functions of a capsule whose tool calls run on the same host. */
function registry(echo: Component): GuestHost {
  return {
    invoke: async (_name, input, depth, signal) => {
      const data = input.data ?? '';
      return resultOf(await host.call(echo, { depth, data, signal }))!;
    },
  };
}

describe('pool', () => {
  it('runs 100 capsules that each invoke a tool at once on 2 permits', { timeout: 60_000 }, async () => {
    const [echo, capsule] = await Promise.all([host.load('echo'), host.load('capsule')]);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => host.call(capsule, { host: registry(echo), limits: { deadlineMs: 50_000 } })),
    );
    expect(outcomes.filter(({ status }) => status === 'returned')).toHaveLength(100);
  });

  it('goes on while other guests are parked waiting for a person', async () => {
    const stop = new AbortController();
    const parked = Array.from({ length: 4 }, () =>
      host.call('ask', { signal: stop.signal, host: { requestInput: () => new Promise(() => {}) } }),
    );
    for (let call = 0; call < 5; call += 1) expect(resultOf(await host.call('echo', { data: 'x' }))?.data).toBe('x');
    stop.abort();
    for (const outcome of await Promise.all(parked)) expect(failureOf(outcome).kind).toBe('aborted');
  });

  it('refuses a call deeper than the table instead of letting it hang', async () => {
    expect(failureOf(await host.call('echo', { depth: 3 }))).toEqual({
      kind: 'resource-limit',
      message: 'tool "echo": call depth 3 is too deep; calls nest at most 2 below the first',
    });
  });

  it('never has more slots than threads', () => {
    for (let threads = 4; threads < 200; threads += 1) {
      expect(slotsPerDepth(threads).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(threads);
    }
  });

  it('stops a call in every phase when its signal aborts', async () => {
    const echo = await host.load('echo');
    const early = new AbortController();
    early.abort();
    expect(failureOf(await host.call(echo, { signal: early.signal })).kind).toBe('aborted');

    const running = new AbortController();
    const spin = host.call('spin', { signal: running.signal });
    setTimeout(() => running.abort(), 50);
    expect(failureOf(await spin)).toEqual({ kind: 'aborted', message: 'tool "spin" was stopped before it returned' });
  });

  it('stops calls that still wait for a permit, without disturbing the ones that run', async () => {
    const stop = new AbortController();
    const [spin, echo] = await Promise.all([host.load('spin'), host.load('echo')]);
    // Compiled already, so that the calls reach the permits in the order they are made.
    await Promise.all([spin, echo].map((component) => (component as CompiledComponent).ready()));
    const running = [host.call(spin, { signal: stop.signal }), host.call(spin, { signal: stop.signal })];
    const waiting = new AbortController();
    const queued = host.call(echo, { signal: waiting.signal });
    setTimeout(() => waiting.abort(), 30);
    expect(failureOf(await queued).kind).toBe('aborted');
    stop.abort();
    for (const outcome of await Promise.all(running)) expect(failureOf(outcome).kind).toBe('aborted');
    expect(resultOf(await host.call('echo', { data: 'x' }))?.data).toBe('x');
  });
});

describe('what a pool holds', () => {
  const request = (component: Component, guestHost: GuestHost, signal?: AbortSignal): CallRequest => ({
    component,
    kind: 'tool',
    name: 'ask',
    depth: 0,
    limits,
    env: [],
    preopens: [],
    egress: { handle: async () => ({}), close: () => {} },
    host: guestHost,
    ...(signal === undefined ? {} : { signal }),
  });

  it('gets every permit back when parked calls are aborted and their handlers finish later', async () => {
    const pool = new WorkerPool({ permits: 2, maxThreads: 16 });
    const ask = (await host.load('ask')) as CompiledComponent;
    const finishers: (() => void)[] = [];
    const stop = new AbortController();
    const requestInput = () => new Promise<string>((resolve) => finishers.push(() => resolve('too late')));
    const calls = Array.from({ length: 6 }, () =>
      new GuestCall(request(ask, { requestInput }, stop.signal), ask, pool).run(),
    );
    await settled(() => finishers.length === 6);
    expect(pool.permits.free).toBe(2);
    stop.abort();
    for (const outcome of await Promise.all(calls)) expect(failureOf(outcome).kind).toBe('aborted');
    for (const finish of finishers) finish();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pool.permits.free).toBe(2);
    expect(pool.slots.map((slot) => slot.free)).toEqual(pool.slots.map((slot) => slot.capacity));
    await pool.close();
  });

  it('replaces its threads after a number of calls, and neither a running nor a parked call notices', async () => {
    const pool = new WorkerPool({ permits: 2, maxThreads: 16, callsPerGeneration: 5 });
    const echo = (await host.load('echo')) as CompiledComponent;
    const ask = (await host.load('ask')) as CompiledComponent;
    const call = (component: CompiledComponent, guestHost: GuestHost = {}) =>
      new GuestCall(request(component, guestHost), component, pool).run();
    let answer: (text: string) => void = () => {};
    const asked = call(ask, { requestInput: () => new Promise((resolve) => (answer = resolve)) });
    for (let round = 0; round < 6; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => call(echo)));
      expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('returned'));
    }
    answer('Ada');
    expect((await asked).status).toBe('returned');
    await settled(async () => (await pool.threads()) <= 4);
    expect(await pool.threads()).toBeLessThanOrEqual(4);
    await pool.close();
    expect(await pool.threads()).toBe(0);
  });

  it('returns to its minimum of threads after many starts and aborts', { timeout: 60_000 }, async () => {
    const pool = new WorkerPool({ permits: 2, maxThreads: 16, idleTimeoutMs: 500 });
    const spin = (await host.load('spin')) as CompiledComponent;
    const echo = (await host.load('echo')) as CompiledComponent;
    for (let round = 0; round < 40; round += 1) {
      const stop = new AbortController();
      const call = new GuestCall(request(spin, {}, stop.signal), spin, pool).run();
      setTimeout(() => stop.abort(), round % 3);
      expect(failureOf(await call).kind).toBe('aborted');
    }
    expect((await new GuestCall(request(echo, {}), echo, pool).run()).status).toBe('returned');
    await settled(async () => (await pool.threads()) === 2);
    expect(await pool.threads()).toBe(2);
    await pool.close();
  });

  it('loses one call when a worker dies, and no neighbour', { timeout: 60_000 }, async () => {
    const pool = new WorkerPool({ permits: 2, maxThreads: 16, heapMb: 24 });
    // A list of pairs that fills the heap of its thread: it dies as in any out-of-memory.
    const bomb = (await host.load({
      pages: 1000,
      run: '(i32.store (i32.const 44) (i32.const 65536)) (i32.store (i32.const 48) (i32.const 4000000))',
    })) as CompiledComponent;
    const chatty = (await host.load('chatty')) as CompiledComponent;
    const input = { data: 'x'.repeat(5000) };
    const neighbour = new GuestCall({ ...request(chatty, {}), input }, chatty, pool).run();
    const failure = failureOf(await new GuestCall(request(bomb, {}), bomb, pool).run());
    expect(failure.kind).toBe('worker-lost');
    expect(failure.message).toContain('memory limit');
    expect(resultOf(await neighbour)?.status).toBe('passed');
    expect((await new GuestCall({ ...request(chatty, {}), input }, chatty, pool).run()).status).toBe('returned');
    await pool.close();
  });

  it('leaves no thread behind when it is closed right after an abort', async () => {
    const before = osThreads();
    const pool = new WorkerPool({ permits: 2, maxThreads: 16 });
    const spin = (await host.load('spin')) as CompiledComponent;
    const stop = new AbortController();
    const call = new GuestCall(request(spin, {}, stop.signal), spin, pool).run();
    setTimeout(() => stop.abort(), 100);
    await call;
    await pool.close();
    await settled(() => osThreads() <= before);
    expect(osThreads()).toBeLessThanOrEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(osThreads()).toBeLessThanOrEqual(before);
  });

  it('keeps memory flat over many calls', { timeout: 60_000 }, async () => {
    const echo = await host.load('echo');
    const round = async (calls: number) => {
      for (let call = 0; call < calls; call += 1) await host.call(echo, { data: 'x' });
      return process.memoryUsage().rss;
    };
    await round(300);
    const before = await round(300);
    const after = await round(600);
    expect(after - before).toBeLessThan(80 * 1024 * 1024);
  });
});

describe('closing', () => {
  it('aborts running calls, is idempotent and refuses what comes later', async () => {
    const mine = await openHost();
    const spin = mine.call('spin');
    await mine.call('echo', { data: 'x' });
    await Promise.all([mine.wasm.close(), mine.wasm.close()]);
    expect(failureOf(await spin).kind).toBe('aborted');
    await expect(mine.call('echo')).rejects.toThrow('the WASM host is closed');
    await mine[Symbol.asyncDispose]();
  });
});
