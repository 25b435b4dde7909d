import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { stopSession } from '../../src/effects/stop.js';
import { askToStop } from '../../src/effects/stop-door.js';
import { TraceTail } from '../../src/effects/stop-trace.js';
import type { RunningRecord, SignalOutcome } from '../../src/liveness/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { temporaryFolder } from '../home/temporary.js';
import { emptyHome, putRecord, record, startProcess, thisProcess } from '../liveness/fixture.js';

describe('stopping one session', () => {
  const never = (): SignalOutcome => {
    throw new Error('signalled');
  };

  test('that cannot be verified sends no signal, keeps the record and says why (E-RUN-024)', async () => {
    const home = emptyHome();
    const given = record(thisProcess());
    const path = putRecord(home, given);
    const reason = `pid ${given.pid}'s start time could not be read`;
    const output = await stopSession(home, given, {
      graceMs: 0,
      read: () => ({ verdict: 'Unverified', reason }),
      signal: never,
    });
    expect(output.fault).toEqual({
      code: 'E-RUN-024',
      message: `${given.session_id} could not be ended: ${reason}`,
    });
    expect(existsSync(path)).toBe(true);
  });

  test('that is refused keeps the record and says who refused', async () => {
    const home = emptyHome();
    const given = record(thisProcess());
    const path = putRecord(home, given);
    const refused = { outcome: 'Refused', reason: 'Operation not permitted (os error 1)' } as const;
    const output = await stopSession(home, given, { graceMs: 0, signal: () => refused });
    expect(output.fault?.message).toBe(
      `${given.session_id} could not be ended: SIGTERM to pid ${given.pid} was refused: Operation not permitted (os error 1)`,
    );
    expect(existsSync(path)).toBe(true);
  });

  test('signals once per step, never twice, and removes the record of what is gone', async () => {
    const home = emptyHome();
    const { child, ...identity } = await startProcess();
    const given = record(identity);
    const path = putRecord(home, given);
    const signals: string[] = [];
    const output = await stopSession(home, given, {
      graceMs: 10_000,
      signal: (_, signal) => {
        signals.push(signal);
        child.kill(signal);
        return { outcome: 'Sent', via: 'kill' };
      },
    });
    expect(output).toMatchObject({ signal: 'SIGTERM', via: 'kill', fault: null });
    expect([signals, existsSync(path)]).toEqual([['SIGTERM'], false]);
  });
});

describe('asking a door to stop', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.closeAllConnections();
  });

  /** A door that answers GET with the card of `sessionId` and POST with `reply`. */
  async function door(sessionId: string, reply: unknown, heard: (string | undefined)[] = []): Promise<string> {
    const server = createServer((request, response) => {
      heard.push(`${request.method} ${request.headers.authorization ?? '-'}`);
      response.end(JSON.stringify(request.method === 'GET' ? { session_id: sessionId } : reply));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const ask = (given: RunningRecord) => askToStop(given, new AbortController().signal);

  test('gives what was canceled and what goes on, and drops what is neither', async () => {
    const item = { kind: 'detached_shell', work_id: 'wrk_1' };
    const reply = { result: { canceled: ['tsk_a', 7], residue: [item, 'x', null] } };
    const url = await door(record().session_id, reply);
    expect(await ask(record({ url }))).toEqual({ ok: true, canceled: ['tsk_a'], residue: [item] });
  });

  test.each([
    [{ error: { code: -32601, message: 'method not found' } }, 'answered: method not found'],
    [[], 'answered 200'],
    ['x', 'answered 200'],
  ])('that answers %j is one that could not be asked', async (reply, reason) => {
    const url = await door(record().session_id, reply);
    expect(await ask(record({ url }))).toEqual({ ok: false, reason: `${url} ${reason}` });
  });

  test('of another session leaves that one alone', async () => {
    const heard: string[] = [];
    const url = await door('ses_other', { result: { canceled: [], residue: [] } }, heard);
    expect(await ask(record({ url }))).toEqual({
      ok: false,
      reason: `the capsule at ${url} answers for session ses_other`,
    });
    expect(heard).toEqual(['GET -']);
  });

  test('goes to nothing but host:port', async () => {
    expect(await ask(record({ url: '127.0.0.1:1/path' }))).toMatchObject({ ok: false });
  });
});

describe('the end of a trace', () => {
  const line = (event: object): string => `${JSON.stringify(event)}\n`;

  test('tells which canceled tasks ended: task_end, or a cancel while they were queued', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'trace.jsonl');
    writeFileSync(path, line({ event_type: 'task_end', task_id: 'old' }));
    const tail = new TraceTail(folder);
    const tasks = ['old', 'a', 'b', 'c'];
    expect(tail.unended(tasks)).toEqual(tasks);
    appendFileSync(path, line({ event_type: 'task_end', task_id: 'a' }));
    appendFileSync(path, line({ event_type: 'task_canceled', task_id: 'b', phase: 'queued' }));
    appendFileSync(path, line({ event_type: 'task_canceled', task_id: 'c', phase: 'inference' }));
    expect(tail.unended(tasks)).toEqual(['old', 'c']);
  });

  test('reads on over torn and damaged lines, long ones too', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'trace.jsonl');
    writeFileSync(path, '');
    const tail = new TraceTail(folder);
    const whole = line({ event_type: 'task_end', task_id: 'ü', padding: 'ü'.repeat(100_000) });
    const bytes = Buffer.from(`not json\nnull\n${whole}`);
    for (let at = 0; at < bytes.length; at += 33_333) {
      expect(tail.unended(['ü'])).toEqual(['ü']);
      appendFileSync(path, bytes.subarray(at, at + 33_333));
    }
    expect(tail.unended(['ü'])).toEqual([]);
  });

  test('of a session that records nothing exists for nobody', () => {
    const tail = new TraceTail(join(temporaryFolder(), 'nowhere'));
    expect([tail.exists, tail.unended(['a'])]).toEqual([false, ['a']]);
  });

  test('is waited for, by monotonic time, and not for long', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'trace.jsonl'), '');
    let passedMs = 0;
    const sleep = async (ms: number): Promise<void> => {
      passedMs += ms;
    };
    const clock = { ...systemClock, monotonic: () => passedMs, sleep };
    expect(await new TraceTail(folder).settled(['a'], clock, new AbortController().signal)).toEqual(['a']);
    expect(passedMs).toBe(5_000);
  });
});
