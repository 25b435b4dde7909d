import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestEvent, ToolResult } from '../../workers/protocol.js';
import { answer } from '../fixtures/component/guests.js';
import { failureOf, openHost, resultOf, type TestHost } from './host.js';

let host: TestHost;
beforeAll(async () => {
  host = await openHost();
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

const passed = (data: string): ToolResult => ({ status: 'passed', data, truncated: false, metadata: [['a', 'b']] });

describe('streaming', () => {
  it('serves text/chunks of the first level', async () => {
    const events: GuestEvent[] = [];
    await host.call('chunks', { data: 'hi', host: { event: (event) => events.push(event) } });
    expect(events).toEqual([
      { type: 'chunk', text: 'hi' },
      { type: 'thinking', text: 'hi' },
    ]);
  });

  it('serves stream/events of the later level, with byte counts as numbers', async () => {
    const events: GuestEvent[] = [];
    await host.call('events', { data: 'hi', host: { event: (event) => events.push(event) } });
    expect(events).toEqual([
      { type: 'chunk', text: 'hi' },
      { type: 'tool-call-started', id: 'call-1', name: 'files' },
      { type: 'tool-call-input-bytes', id: 'call-1', bytes: 4096 },
    ]);
  });

  it('delivers chunks while the guest still runs', async () => {
    const stop = new AbortController();
    const outcome = await host.call('flood', {
      data: 'x',
      signal: stop.signal,
      host: { event: () => stop.abort() },
    });
    expect(failureOf(outcome).kind).toBe('aborted');
  });
});

it('rejects, with nothing left running, when the listener of the caller throws', async () => {
  const event = () => {
    throw new Error('bug in the listener');
  };
  await expect(host.call('flood', { data: 'x', host: { event } })).rejects.toThrow('bug in the listener');
  expect(resultOf(await host.call('echo', { data: 'x' }))?.data).toBe('x');
});

describe('tool-registry/invoke', () => {
  it('hands the call to the host one level deeper and its result back to the capsule', async () => {
    const seen: unknown[] = [];
    const outcome = await host.call('capsule', {
      host: {
        invoke: async (name, input, depth) => {
          seen.push(name, input, depth);
          return passed('done');
        },
      },
    });
    expect(seen).toEqual(['echo', { data: 'hello', logPath: undefined }, 1]);
    expect(outcome.status).toBe('returned');
  });

  it('runs a real tool for a real capsule', async () => {
    const echo = await host.load('echo');
    let answered: unknown;
    const outcome = await host.call('capsule', {
      host: {
        invoke: async (_name, input, depth) => {
          const inner = await host.call(echo, { depth, ...(input.data === undefined ? {} : { data: input.data }) });
          answered = resultOf(inner)?.data;
          return resultOf(inner)!;
        },
      },
    });
    expect(outcome.status).toBe('returned');
    expect(answered).toBe('hello');
  });

  /** A capsule that traps unless the call fails, and then prints the reason as a prompt nobody answers. */
  const needsErr = {
    kind: 'capsule',
    imports: ['invoke', 'getStdout', 'write'],
    literal: 'echohello',
    run: `(call $invoke (i32.const 1024) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0)
        (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 256))
      (if (i32.eqz (i32.load8_u (i32.const 256))) (then unreachable))
      (call $write (call $stdout) (i32.load (i32.const 260)) (i32.load (i32.const 264)) (i32.const 512))`,
  } as const;

  it.each([
    ['the bare text the host rejects with', 'no tool named "echo"'],
    ['the message of an error', new Error('no tool named "echo"')],
  ])('gives the guest %s', async (_what, reason) => {
    const outcome = await host.call(needsErr, { host: { invoke: () => Promise.reject(reason) } });
    expect(outcome).toMatchObject({ status: 'returned', stdout: 'no tool named "echo"' });
  });

  it('answers "not granted" when the host has none', async () => {
    const outcome = await host.call(needsErr);
    expect(outcome.stdout).toContain('not granted: tool-registry/invoke');
  });

  it('turns an answer that is not data into a trap that says so', async () => {
    const invoke = async () => ({ ...passed(''), metadata: [['f', () => {}]] }) as unknown as ToolResult;
    const failure = failureOf(await host.call('capsule', { host: { invoke } }));
    expect(failure.kind).toBe('trap');
    expect(failure.message).toContain("registry.invoke: the host's answer cannot be sent to the guest");
  });

  it('traps on an answer of the wrong shape', async () => {
    const invoke = async () => ({ ...passed(''), status: 'maybe' }) as unknown as ToolResult;
    expect(failureOf(await host.call('capsule', { host: { invoke } })).message).toContain(
      '"maybe" is not one of the cases',
    );
  });
});

describe('request-input', () => {
  it('gives the guest the reply', async () => {
    const outcome = await host.call('ask', {
      data: 'name?',
      host: { requestInput: async (prompt) => `${prompt} Ada` },
    });
    expect(resultOf(outcome)?.data).toBe('name? Ada');
  });

  it('traps with a clear text when no task waits', async () => {
    expect(failureOf(await host.call('ask'))).toEqual({
      kind: 'trap',
      message: 'tool "ask" trapped: request-input: no task is waiting for input in this session',
    });
  });

  it('traps with the reason the host gives', async () => {
    const outcome = await host.call('ask', {
      host: { requestInput: () => Promise.reject(new Error('input timeout')) },
    });
    expect(failureOf(outcome).message).toBe('tool "ask" trapped: request-input: input timeout');
  });
});

describe('the other capsule imports', () => {
  const errAt256 = (call: string, imports: readonly ('describe' | 'send' | 'shell')[]) =>
    ({
      kind: 'capsule',
      imports: [...imports, 'getStdout', 'write'],
      literal: 'name',
      run: `${call} (if (i32.eqz (i32.load8_u (i32.const 256))) (then unreachable))
        (call $write (call $stdout) (i32.load (i32.const 260)) (i32.load (i32.const 264)) (i32.const 512))`,
    }) as const;

  it.each([
    [
      'artifact-manager/manage',
      errAt256('(call $describe (i32.const 1024) (i32.const 4) (i32.const 256))', ['describe']),
    ],
    [
      'message/send',
      errAt256(
        `(call $send (i32.const 1024) (i32.const 4) (i32.const 1024) (i32.const 4) (i32.const 0) (i32.const 0)
          (i32.const 0) (i32.const 1024) (i32.const 4) (i32.const 256))`,
        ['send'],
      ),
    ],
    [
      'shell/execute',
      errAt256(
        `(call $shell (i32.const 1024) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)
          (i32.const 256))`,
        ['shell'],
      ),
    ],
  ])('%s answers "not granted" without a host function', async (what, guest) => {
    expect((await host.call(guest)).stdout).toContain(`not granted: ${what}`);
  });

  it('hands list to the host and its records to the guest', async () => {
    const guest = {
      kind: 'capsule',
      imports: ['list', 'getStdout', 'write'],
      run: `(call $list (i32.const 256)) (if (i32.ne (i32.load (i32.const 260)) (i32.const 1)) (then unreachable))
        (call $write (call $stdout) (i32.load (i32.load (i32.const 256)))
          (i32.load (i32.add (i32.load (i32.const 256)) (i32.const 4))) (i32.const 512))`,
    } as const;
    const manage = async () => [{ name: 'echo', version: '1.0.0', runtime: 'wasm' }];
    expect((await host.call(guest, { host: { manage } })).stdout).toBe('echo');
  });
});

it('passes what a tool reads and answers through unchanged, whatever the characters', async () => {
  const data = 'ünï \u0000 \u{1f600} \u2028 "quotes" \\ end';
  expect(resultOf(await host.call({ run: answer('(local.get $data)', '(local.get $dataLen)') }, { data }))?.data).toBe(
    data,
  );
});
