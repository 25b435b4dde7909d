import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAdapted, catchAll, hasExceptions } from '../fixtures/component/guests.js';
import { failureOf, openHost, resultOf, type TestHost } from './host.js';

let host: TestHost;
beforeAll(async () => {
  host = await openHost();
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

describe('a call that returns', () => {
  it('gives every member of the tool result', async () => {
    expect(resultOf(await host.call('echo', { data: 'hello' }))).toEqual({
      status: 'passed',
      summary: undefined,
      data: 'hello',
      dataPath: undefined,
      truncated: false,
      metadata: [],
    });
  });

  it('runs on a fresh instance each time', async () => {
    // The bump allocator starts anew, so the guest's answer lies at the same address in every call.
    const guest = {
      run: `(i32.store8 (i32.const 40) (i32.ne (local.get $data) (i32.const 65536)))
            (i32.store8 (i32.const 16) (i32.const 1)) (i32.store (i32.const 20) (local.get $data)) (i32.store (i32.const 24) (local.get $dataLen))`,
    };
    for (let round = 0; round < 5; round += 1) {
      expect(resultOf(await host.call(guest, { data: 'x'.repeat(100) }))?.truncated).toBe(false);
    }
  });

  it('captures what the guest prints and reports how long it ran', async () => {
    const outcome = await host.call('print', { data: 'to standard output' });
    expect(outcome).toMatchObject({ stdout: 'to standard output', stderr: '', outputTruncated: false });
    expect(outcome.durationMs).toBeGreaterThan(0);
  });

  it('keeps a byte order mark in a string', async () => {
    expect(resultOf(await host.call('bom'))?.data).toBe('\ufeffx');
  });

  it('runs a tool of the shape compilers for the older system interface make', async () => {
    const component = await host.wasm.load('adapted', await buildAdapted());
    const outcome = await host.call(component, { data: 'hello', env: [['A', 'b']] });
    expect(resultOf(outcome)?.data).toBe('hello');
  });

  it('gives a capsule no result', async () => {
    const outcome = await host.call({ kind: 'capsule', run: '' });
    expect(outcome).toMatchObject({ status: 'returned', result: undefined });
  });
});

describe('a call that fails', () => {
  it.each([
    ['trap', 'tool "trap" trapped: wasm trap: wasm `unreachable` instruction executed'],
    ['overflow', 'tool "overflow" trapped: wasm trap: call stack exhausted'],
    ['badText', 'tool "badText" trapped: a string is not valid UTF-8'],
    ['badStatus', 'tool "badStatus" trapped: invalid discriminant specified for Status'],
  ] as const)('says why %s trapped', async (guest, message) => {
    expect(failureOf(await host.call(guest))).toEqual({ kind: 'trap', message });
  });

  it.each(['wildResult', 'wildString'] as const)('traps on the pointer of %s', async (guest) => {
    const failure = failureOf(await host.call(guest));
    expect(failure.kind).toBe('trap');
    expect(failure.message).toContain('is outside its memory');
  });

  it('tells exit from trap, also exit with success', async () => {
    expect(failureOf(await host.call('exit'))).toMatchObject({ kind: 'exit', exitCode: 1 });
    expect(failureOf(await host.call('exitZero'))).toMatchObject({ kind: 'exit', exitCode: 0 });
  });

  it('keeps what the guest printed before it failed', async () => {
    const guest = {
      imports: ['getStdout', 'write'],
      run: '(call $write (call $stdout) (local.get $data) (local.get $dataLen) (i32.const 256)) unreachable',
    } as const;
    expect(await host.call(guest, { data: 'last words' })).toMatchObject({ status: 'failed', stdout: 'last words' });
  });

  it('leaves the next call of the same component alone', async () => {
    const guest = { run: '(if (local.get $dataTag) (then unreachable))' };
    expect(failureOf(await host.call(guest, { data: 'x' })).kind).toBe('trap');
    expect(resultOf(await host.call(guest))?.status).toBe('passed');
  });
});

describe('resources', () => {
  const imports = ['getStdout', 'getStderr', 'drop', 'write'] as const;
  const write = (handle: string, at: number) =>
    `(call $write ${handle} (i32.const ${at}) (i32.const 1) (i32.const 256))`;

  it('keep their identity when others are dropped and made between', async () => {
    const guest = {
      imports,
      literal: 'OE',
      locals: '(local $out i32) (local $err i32)',
      run: `(local.set $out (call $stdout)) (local.set $err (call $stderr))
        (call $drop (local.get $out)) (local.set $out (call $stdout))
        ${write('(local.get $err)', 1025)} ${write('(local.get $out)', 1024)}
        (call $drop (local.get $err)) (local.set $err (call $stderr))
        ${write('(local.get $out)', 1024)} ${write('(local.get $err)', 1025)}`,
    };
    expect(await host.call(guest)).toMatchObject({ status: 'returned', stdout: 'OO', stderr: 'EE' });
  });

  it.each([
    ['a handle that was dropped', '(local.set $out (call $stdout)) (call $drop (local.get $out))'],
    ['a handle nobody gave out', '(local.set $out (i32.const 77))'],
  ])('trap on %s, and the next call is well', async (_what, make) => {
    const guest = {
      imports,
      literal: 'OE',
      locals: '(local $out i32)',
      run: `${make} ${write('(local.get $out)', 1024)}`,
    };
    expect(failureOf(await host.call(guest)).kind).toBe('trap');
    expect((await host.call('print', { data: 'fine' })).stdout).toBe('fine');
  });
});

describe.runIf(hasExceptions)('a guest that catches exceptions', () => {
  // The host's exception is swallowed and the guest claims success.
  const swallowing = async (call: string) => {
    const guest = { imports: ['ask', 'exit', 'chunk'], pages: 1200, run: catchAll(call) } as const;
    return host.load(guest);
  };
  const limits = { memoryBytes: 128 * 1024 * 1024 };

  it('cannot hide a failed import', async () => {
    const guest = await swallowing('(call $ask (i32.const 0) (i32.const 0) (i32.const 256))');
    const failure = failureOf(await host.call(guest, { limits }));
    expect(failure.kind).toBe('trap');
    expect(failure.message).toContain('no task is waiting for input');
  });

  it('cannot hide an exit', async () => {
    const guest = await swallowing('(call $exit (i32.const 1))');
    expect(failureOf(await host.call(guest, { limits }))).toMatchObject({ kind: 'exit', exitCode: 1 });
  });

  it('cannot hide a refused value', async () => {
    const guest = await swallowing('(call $chunk (i32.const 65536) (i32.const 68157440))');
    expect(failureOf(await host.call(guest, { limits })).kind).toBe('resource-limit');
  });
});
