import { describe, expect, it } from 'vitest';
import type { GuestBridge } from '../../../workers/protocol.js';
import { createWasi, ExitError, type WasiOptions } from '../../../workers/wasi/index.js';
import type { Pollable } from '../../../workers/wasi/io/poll.js';
import type { InputStream, OutputStream } from '../../../workers/wasi/io/streams.js';
import { deafBridge } from './folder.js';

function hostWith(options: Partial<WasiOptions> = {}) {
  const wasi = createWasi({ env: [], args: [], preopens: [], captureLimitBytes: 1000, bridge: deafBridge, ...options });
  /** A function of the import object, untyped as generated code sees it. */
  const call = <T>(key: string, name: string, ...args: unknown[]): T =>
    (wasi.imports[key]![name] as (...args: unknown[]) => T)(...args);
  return { wasi, call };
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

describe('what a guest learns about the machine', () => {
  it('is nothing it was not given: no variable, argument, folder or terminal (reports 3, 4)', () => {
    const { wasi, call } = hostWith();
    expect(call('wasi:cli/environment', 'getEnvironment')).toEqual([]);
    expect(call('wasi:cli/environment', 'getArguments')).toEqual([]);
    expect(call('wasi:cli/environment', 'initialCwd')).toBeUndefined();
    expect(call('wasi:filesystem/preopens', 'getDirectories')).toEqual([]);
    for (const name of ['Stdin', 'Stdout', 'Stderr']) {
      expect(call(`wasi:cli/terminal-${name.toLowerCase()}`, `getTerminal${name}`)).toBeUndefined();
    }
    expect(Object.keys(wasi.imports).every((key) => !key.includes('@'))).toBe(true);
  });

  it('is exactly the environment and the arguments it was given, in order', () => {
    const env: [string, string][] = [
      ['B', '2'],
      ['A', ''],
    ];
    const { call } = hostWith({ env, args: ['tool', '--x'] });
    expect(call('wasi:cli/environment', 'getEnvironment')).toEqual(env);
    expect(call('wasi:cli/environment', 'getArguments')).toEqual(['tool', '--x']);
  });

  it('is not carried from one call to the next', () => {
    const first = hostWith({ env: [['TOKEN', 'x']] });
    const out = first.call<OutputStream>('wasi:cli/stdout', 'getStdout');
    out.blockingWriteAndFlush(Buffer.from('first'));
    const second = hostWith();
    expect(second.call('wasi:cli/environment', 'getEnvironment')).toEqual([]);
    expect(second.wasi.stdout()).toBe('');
    expect(first.wasi.stdout()).toBe('first');
    expect(second.call<bigint>('wasi:clocks/monotonic-clock', 'now')).toBeLessThan(1_000_000_000n);
  });
});

describe('the standard streams', () => {
  it('are a closed stdin', () => {
    const stdin = hostWith().call<InputStream>('wasi:cli/stdin', 'getStdin');
    expect(thrownBy(() => stdin.blockingRead(10n))).toEqual({ tag: 'closed' });
    expect(stdin.subscribe().ready()).toBe(true);
  });

  it('keep output up to the limit, each on its own, and never fail the guest', () => {
    const { wasi, call } = hostWith({ captureLimitBytes: 8 });
    const stdout = call<OutputStream>('wasi:cli/stdout', 'getStdout');
    const stderr = call<OutputStream>('wasi:cli/stderr', 'getStderr');
    stdout.blockingWriteAndFlush(Buffer.from('12345678'));
    expect(wasi.outputTruncated()).toBe(false);
    for (let count = 0; count < 1000; count += 1) stdout.blockingWriteAndFlush(Buffer.alloc(4096, 'x'));
    stderr.write(Buffer.from('err'));
    expect([wasi.stdout(), wasi.stderr(), wasi.outputTruncated()]).toEqual(['12345678', 'err', true]);
  });

  it('copy what they keep: the memory of the guest moves on', () => {
    const { wasi, call } = hostWith();
    const memory = Buffer.from('before');
    call<OutputStream>('wasi:cli/stdout', 'getStdout').write(memory);
    memory.fill('x');
    expect(wasi.stdout()).toBe('before');
  });

  it('cut between characters at any limit', () => {
    const text = 'aé€😀'.repeat(4);
    for (let captureLimitBytes = 0; captureLimitBytes <= 40; captureLimitBytes += 1) {
      const { wasi, call } = hostWith({ captureLimitBytes });
      call<OutputStream>('wasi:cli/stdout', 'getStdout').blockingWriteAndFlush(Buffer.from(text));
      const kept = wasi.stdout();
      expect(text.startsWith(kept)).toBe(true);
      expect(captureLimitBytes - Buffer.byteLength(kept)).toBeLessThan(captureLimitBytes < 40 ? 4 : 1);
    }
  });

  it('show bytes that are no UTF-8 as replacement characters', () => {
    const { wasi, call } = hostWith();
    call<OutputStream>('wasi:cli/stdout', 'getStdout').write(Uint8Array.of(0x61, 0xff, 0x62));
    expect(wasi.stdout()).toBe('a\ufffdb');
  });
});

describe('exit', () => {
  it.each([
    ['exit', { tag: 'ok' }, 0],
    ['exit', { tag: 'err' }, 1],
    ['exitWithCode', 7, 7],
  ])('%s(%o) throws with code %i and ends nothing else', (name, argument, exitCode) => {
    const thrown = thrownBy(() => hostWith().call('wasi:cli/exit', name, argument));
    expect(thrown).toBeInstanceOf(ExitError);
    expect(thrown).toMatchObject({ exitCode });
  });
});

describe('clocks', () => {
  it('never go back, start with the call, and tell the time of day', () => {
    const { call } = hostWith();
    const times = Array.from({ length: 100 }, () => call<bigint>('wasi:clocks/monotonic-clock', 'now'));
    expect([...times].sort((a, b) => (a < b ? -1 : 1))).toEqual(times);
    const { seconds, nanoseconds } = call<{ seconds: bigint; nanoseconds: number }>('wasi:clocks/wall-clock', 'now');
    expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(30);
    expect(nanoseconds).toBeLessThan(1_000_000_000);
  });

  it('sleep short waits on the thread, and ask main for longer ones so that the permit is free', () => {
    const asked: unknown[] = [];
    const bridge: GuestBridge = {
      call: <T>(op: string, args: unknown) => {
        asked.push([op, args]);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, (args as { timeoutMs: number }).timeoutMs);
        return [] as T;
      },
      post: () => {},
    };
    const { call } = hostWith({ bridge });
    const sleep = (ns: bigint) => {
      const from = call<bigint>('wasi:clocks/monotonic-clock', 'now');
      call<Pollable>('wasi:clocks/monotonic-clock', 'subscribeDuration', ns).block();
      expect(call<bigint>('wasi:clocks/monotonic-clock', 'now') - from).toBeGreaterThanOrEqual(ns);
    };
    sleep(1_000_000n);
    expect(asked).toEqual([]);
    sleep(10_000_000n);
    expect(asked[0]).toMatchObject(['http.poll', { waits: [] }]);
  });

  it('are ready at once for an instant that has passed, and not for one to come', () => {
    const { call } = hostWith();
    const past = call<Pollable>('wasi:clocks/monotonic-clock', 'subscribeInstant', 0n);
    const future = call<Pollable>('wasi:clocks/monotonic-clock', 'subscribeDuration', 60_000_000_000n);
    expect([past.ready(), future.ready()]).toEqual([true, false]);
    expect([...call<Uint32Array>('wasi:io/poll', 'poll', [future, past, past])]).toEqual([1, 2]);
  });

  it('trap a guest that waits for nothing', () => {
    expect(() => hostWith().call('wasi:io/poll', 'poll', [])).toThrow('poll of an empty list');
  });
});

describe('random', () => {
  it('differs every time and has the length asked for', () => {
    const { call } = hostWith();
    const [one, two] = [1, 2].map(() => call<Uint8Array>('wasi:random/random', 'getRandomBytes', 32n)) as [
      Uint8Array,
      Uint8Array,
    ];
    expect(one).toHaveLength(32);
    expect(Buffer.compare(one, two)).not.toBe(0);
    expect(call('wasi:random/random', 'getRandomU64')).not.toBe(call('wasi:random/insecure', 'getInsecureRandomU64'));
    expect(call<bigint[]>('wasi:random/insecure-seed', 'insecureSeed')).toHaveLength(2);
  });

  it('traps a guest that asks for more than one call may allocate', () => {
    expect(() => hostWith().call('wasi:random/random', 'getRandomBytes', 1n << 40n)).toThrow('the most is');
  });
});

describe('sockets', () => {
  it('link and are refused', () => {
    const { call } = hostWith();
    const network = call('wasi:sockets/instance-network', 'instanceNetwork');
    expect(thrownBy(() => call('wasi:sockets/tcp-create-socket', 'createTcpSocket', 'ipv4'))).toBe('access-denied');
    expect(thrownBy(() => call('wasi:sockets/udp-create-socket', 'createUdpSocket', 'ipv6'))).toBe('access-denied');
    expect(thrownBy(() => call('wasi:sockets/ip-name-lookup', 'resolveAddresses', network, 'x'))).toBe('access-denied');
  });
});

describe('a request body written before its request is sent', () => {
  it('fails past what is kept for it, instead of waiting for ever', () => {
    const { wasi } = hostWith();
    // biome-ignore lint/suspicious/noExplicitAny: untyped, as generated code sees it
    const { Fields, OutgoingRequest, httpErrorCode } = wasi.imports['wasi:http/types'] as any;
    const stream: OutputStream = new OutgoingRequest(new Fields()).body().write();
    const thrown = thrownBy(() => {
      for (;;) stream.blockingWriteAndFlush(new Uint8Array(1024 * 1024));
    }) as { tag: string; val: unknown };
    expect(thrown.tag).toBe('last-operation-failed');
    expect(httpErrorCode(thrown.val)).toMatchObject({ tag: 'HTTP-request-body-size' });
    expect(thrownBy(() => stream.write(Uint8Array.of(1)))).toEqual({ tag: 'closed' });
  });
});
