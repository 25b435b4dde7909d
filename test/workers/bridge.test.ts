import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { type BridgeHooks, HostBridge } from '../../src/wasm/bridge.js';
import type { GuestEvent } from '../../workers/protocol.js';

/** A real thread that runs `body` with `bridge`, the worker's side; main's side has `hooks`. */
function open(body: string, hooks: Partial<BridgeHooks>) {
  const bridge = new HostBridge({
    answer: async () => ({ status: 'value', value: undefined }),
    event: () => {},
    instantiating: () => {},
    ...hooks,
  });
  const code = `
    import { workerData, parentPort } from 'node:worker_threads';
    const { WorkerBridge } = await import(workerData.module);
    const bridge = new WorkerBridge(workerData.port, workerData.flags);
    const done = (value) => parentPort.postMessage(value);
    ${body}`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const module = new URL('../../dist/workers/bridge.js', import.meta.url).href;
  const worker = new Worker(url, {
    workerData: { module, port: bridge.guestPort, flags: bridge.flags },
    transferList: [bridge.guestPort],
  });
  threads.push(worker);
  return { bridge, worker, result: once(worker, 'message').then(([value]) => value as unknown) };
}

const threads: Worker[] = [];
afterEach(async () => {
  await Promise.all(threads.splice(0).map((worker) => worker.terminate()));
});

describe('bridge', () => {
  it('answers many thousand questions in a row: a late wake is not taken for a reply', {
    timeout: 60_000,
  }, async () => {
    // Each reply's notify races with the next wait; without re-reading the flag this loses a reply every few thousand.
    const { bridge, result } = open(
      'let sum = 0; for (let i = 0; i < 20000; i++) sum += bridge.call("add", i); done(sum);',
      { answer: async (_op, args) => ({ status: 'value', value: args }) },
    );
    expect(await result).toBe((20000 * 19999) / 2);
    bridge.close();
  });

  it('survives spurious wakes of the waiting thread', async () => {
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { bridge, result } = open('done(bridge.call("slow", 1));', {
      answer: async () => {
        for (let wake = 0; wake < 50; wake += 1) {
          Atomics.notify(new Int32Array(bridge.flags), 0);
          await new Promise((resolve) => setImmediate(resolve));
        }
        release();
        return { status: 'value', value: 'here' };
      },
    });
    await waiting;
    expect(await result).toBe('here');
    bridge.close();
  });

  it('loses no event that arrives after the result', async () => {
    const events: GuestEvent[] = [];
    const { bridge, result } = open(
      'for (let i = 0; i < 39; i++) bridge.post({ type: "chunk", text: String(i) }); done("result");',
      { event: (event) => events.push(event) },
    );
    await result;
    bridge.close();
    expect(events).toHaveLength(39);
  });

  it('hands nothing on after it is closed', async () => {
    const events: GuestEvent[] = [];
    const { bridge, worker, result } = open(
      `done('ready'); parentPort.once('message', () => { bridge.post({ type: 'chunk', text: 'late' }); done('posted'); });`,
      { event: (event) => events.push(event) },
    );
    await result;
    bridge.close();
    worker.postMessage('go');
    await once(worker, 'message');
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([]);
  });

  it('makes a flooding guest wait for main instead of filling its memory', async () => {
    let received = 0;
    const { bridge, result } = open(
      `const text = 'x'.repeat(100_000); let posted = 0; const at = performance.now();
       while (performance.now() - at < 300) { bridge.post({ type: 'chunk', text }); posted++; } done(posted);`,
      {
        event: () => {
          received += 1;
        },
      },
    );
    // Main handles nothing for a while: the thread must be asleep by then.
    const until = performance.now() + 200;
    while (performance.now() < until);
    expect(received).toBe(0);
    const posted = (await result) as number;
    bridge.close();
    expect(received).toBe(posted);
  });

  it('keeps the first fault: every later question fails the same way', async () => {
    const { bridge, result } = open(
      `const texts = []; for (const op of ['first', 'second']) { try { bridge.call(op); } catch (error) { texts.push(error.message); } }
       done([texts, bridge.fault.message]);`,
      { answer: async (op) => ({ status: 'fault', message: `${op} failed` }) },
    );
    expect(await result).toEqual([['first failed', 'first failed'], 'first failed']);
    bridge.close();
  });

  it('throws an err payload as it is', async () => {
    const { bridge, result } = open('try { bridge.call("x"); } catch (payload) { done(payload); }', {
      answer: async () => ({ status: 'payload', payload: { tag: 'denied' } }),
    });
    expect(await result).toEqual({ tag: 'denied' });
    bridge.close();
  });

  it('says so when arguments cannot be sent', async () => {
    const { bridge, result } = open('try { bridge.call("x", () => {}); } catch (error) { done(error.message); }', {});
    expect(await result).toContain('x: the arguments cannot be sent to the host');
    bridge.close();
  });
});
