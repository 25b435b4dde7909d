import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, openHost, resultOf, type TestHost } from '../wasm/host.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 60);
const megabyte = 1024 * 1024;
const osThreads = () => readdirSync('/proc/self/task').length;

let host: TestHost;
beforeAll(async () => {
  host = await openHost({ permits: 2, maxThreads: 64 });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

/** Resident memory after each tenth of the run, in bytes, the first two tenths left out as warm-up. */
async function memoryOver(work: () => Promise<void>): Promise<number[]> {
  const samples: number[] = [];
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const until = performance.now() + seconds * 100;
    while (performance.now() < until) await work();
    samples.push(process.memoryUsage.rss());
  }
  return samples.slice(2);
}

/** How much the second half's lowest value lies above the first half's: what the collector could not give back. */
function growth(samples: number[]): number {
  const half = samples.length / 2;
  return Math.min(...samples.slice(half)) - Math.min(...samples.slice(0, half));
}

describe('WASM host under load', () => {
  it('keeps memory flat over fresh instances of one component', async () => {
    const echo = await host.load('echo');
    const samples = await memoryOver(async () => {
      const calls = Array.from({ length: 8 }, () => host.call(echo, { data: 'x'.repeat(1000) }));
      for (const outcome of await Promise.all(calls)) expect(resultOf(outcome)?.status).toBe('passed');
    });
    expect(growth(samples)).toBeLessThan(60 * megabyte);
  });

  it('keeps memory flat while one guest makes host calls all the time', async () => {
    // Emits for as long as the run lasts: the generated code must keep no record per host call.
    const flood = await host.load('flood');
    const samples: number[] = [];
    const outcome = host.call(flood, { data: 'chunk', limits: { deadlineMs: seconds * 1000 } });
    for (let tenth = 0; tenth < 10; tenth += 1) {
      await sleep(seconds * 95);
      samples.push(process.memoryUsage.rss());
    }
    expect(failureOf(await outcome).kind).toBe('deadline');
    expect(growth(samples.slice(2))).toBeLessThan(60 * megabyte);
  });

  it('returns to its minimum of threads after bursts with idle gaps', async () => {
    const ask = await host.load('ask');
    await host.call('echo', { data: 'x' });
    const idle = osThreads();
    const bursts = Math.max(1, Math.floor(seconds / 30));
    for (let burst = 0; burst < bursts; burst += 1) {
      const calls = Array.from({ length: 30 }, () =>
        host.call(ask, { data: 'x', host: { requestInput: () => sleep(500, 'yes') } }),
      );
      for (const outcome of await Promise.all(calls)) expect(resultOf(outcome)?.data).toBe('yes');
      const until = performance.now() + 25_000;
      while (osThreads() > idle && performance.now() < until) await sleep(100);
      expect(osThreads()).toBeLessThanOrEqual(idle);
    }
  });
});
