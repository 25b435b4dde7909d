import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  classify,
  identityOfThisProcess,
  type ProcessIdentity,
  pidIsAlive,
  processState,
  readProcess,
  startToken,
} from '../../src/liveness/index.js';
import { errnoError, kernel, startProcess, thisProcess, unheldPid } from './fixture.js';

const identity = (pid: number, process_start: string): ProcessIdentity => ({ pid, process_start });
const throwing =
  (code: string, errno = -1) =>
  () => {
    throw errnoError(code, errno);
  };

test('L03 self alive: this process with its own start reads as Alive', () => {
  expect(processState(thisProcess())).toEqual({ verdict: 'Alive' });
  expect(identityOfThisProcess()).toEqual(thisProcess());
});

test('L04 mismatched start: this pid with another start reads as Gone', () => {
  expect(processState(identity(process.pid, 'not-this-process'))).toEqual({
    verdict: 'Gone',
    reason: `pid ${process.pid} is held by a process that started at another time`,
  });
});

test('L05 pid 0: reads as Gone', () => {
  expect(processState(identity(0, '42'))).toEqual({ verdict: 'Gone', reason: 'no process holds pid 0' });
});

test('L06 token stable: two readings of one process are equal and not empty', () => {
  expect(startToken(process.pid)).toBe(startToken(process.pid));
  expect(startToken(process.pid)).not.toBe('');
});

test('L07 zombie: a process that exited and was not waited on reads as Gone', async () => {
  // The shell becomes a sleep, which never waits on the child it was given.
  const parent = spawn('sh', ['-c', 'sleep 0.2 >/dev/null & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  const given = identity(pid, startToken(pid)!);
  expect(processState(given)).toEqual({ verdict: 'Alive' });
  await vi.waitFor(() => expect(processState(given).verdict).toBe('Gone'), { timeout: 10_000, interval: 50 });
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(processState(given)).toEqual({ verdict: 'Gone', reason: `no process holds pid ${pid}` });
  expect(readProcess(given).evidence.map(({ says }) => says)).toEqual([`pid ${pid} has exited and was not waited on`]);
});

describe('the verdict over two readings', () => {
  test.each([undefined, '123', ''])('L11 dead pid any token: a dead pid is Gone, its token being %j', (token) => {
    expect(classify(identity(4242, '123'), false, token)).toEqual({
      verdict: 'Gone',
      reason: 'no process holds pid 4242',
    });
  });

  test('L12 match: a live pid with the recorded start is Alive', () => {
    expect(classify(identity(4242, '123'), true, '123')).toEqual({ verdict: 'Alive' });
  });

  test.each(['123', ''])('L13 other token, L14 empty recorded: a live pid recorded with %j is Gone', (recorded) => {
    expect(classify(identity(4242, recorded), true, '456')).toEqual({
      verdict: 'Gone',
      reason: 'pid 4242 is held by a process that started at another time',
    });
  });

  test.each([
    [undefined, '123'],
    ['', '123'],
    ['', ''],
  ])('L15 unreadable: a live pid whose start reads %j is Unverified, recorded %j', (fresh, recorded) => {
    expect(classify(identity(4242, recorded), true, fresh)).toEqual({
      verdict: 'Unverified',
      reason: "pid 4242's start time could not be read",
    });
  });

  test('Alive takes a live pid and two equal tokens; a failed reading is never Gone', () => {
    const token = fc.option(fc.constantFrom('', '1', '22'), { nil: undefined });
    fc.assert(
      fc.property(fc.boolean(), token, fc.constantFrom('', '1', '22'), (alive, fresh, recorded) => {
        const { verdict } = classify(identity(7, recorded), alive, fresh);
        expect(verdict === 'Alive').toBe(alive && fresh === recorded && recorded !== '');
        expect(verdict === 'Unverified').toBe(alive && !fresh);
      }),
    );
  });
});

describe('layer 1', () => {
  test('L28 EPERM counts as alive: another user holds the pid', () => {
    expect(processState(identity(1, '42'), { kernel: kernel({ kill: throwing('EPERM') }) }).verdict).toBe('Alive');
  });

  test('ESRCH is the only answer that proves that nobody holds the pid', () => {
    const dead = kernel({ kill: throwing('ESRCH', -3) });
    expect(pidIsAlive(77, dead)).toBe(false);
    const odd = kernel({ kill: throwing('EINVAL', -22), look: () => undefined });
    expect(processState(identity(77, '42'), { kernel: odd }).verdict).toBe('Unverified');
  });

  test.each([0, -0, -1, -process.pid, 2 ** 31, 4_294_967_295, 2 ** 32, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'L29 no call is made for %d, which is no pid',
    (pid) => {
      const system = kernel({});
      expect(pidIsAlive(pid, system)).toBe(false);
      expect(startToken(pid, system)).toBeUndefined();
      expect(processState(identity(pid, '42'), { kernel: system }).verdict).toBe('Gone');
      expect(system.asked).toEqual([]);
    },
  );

  test('the largest pid is asked for, and nobody holds it', () => {
    const system = kernel({});
    expect(pidIsAlive(unheldPid, system)).toBe(true);
    expect(system.asked).toEqual([[unheldPid, 0]]);
    expect(pidIsAlive(unheldPid)).toBe(false);
  });

  test('a zombie is not alive, and an unreadable process is no zombie', () => {
    expect(pidIsAlive(7, kernel({ look: () => ({ zombie: true, startToken: '42' }) }))).toBe(false);
    expect(pidIsAlive(7, kernel({ look: () => undefined }))).toBe(true);
  });
});

test('a child that ends goes from Alive to Gone', async () => {
  const running = await startProcess();
  expect(processState(running).verdict).toBe('Alive');
  running.child.kill('SIGKILL');
  await once(running.child, 'close');
  expect(processState(running)).toEqual({ verdict: 'Gone', reason: `no process holds pid ${running.pid}` });
});

describe('evidence', () => {
  const at = (system: ReturnType<typeof kernel>, recorded = '42') =>
    readProcess(identity(7, recorded), { kernel: system, now: () => 1_700 }).evidence;

  test('says what each layer read, and when', () => {
    expect(at(kernel({}))).toEqual([
      { layer: 1, says: 'pid 7 is held', at: 1_700 },
      { layer: 2, says: 'it started at 42, as recorded', at: 1_700 },
    ]);
    expect(at(kernel({ kill: throwing('EPERM') }), '41')).toEqual([
      { layer: 1, says: 'pid 7 is held (kill: EPERM)', at: 1_700 },
      { layer: 2, says: 'it started at 42, recorded is "41"', at: 1_700 },
    ]);
    expect(at(kernel({}), '').at(-1)?.says).toBe('it started at 42, recorded is nothing');
  });

  test('of a pid nobody holds has one layer', () => {
    expect(at(kernel({ kill: throwing('ESRCH', -3) })).map(({ says }) => says)).toEqual(['no process holds pid 7']);
  });

  test('of a reading that failed says so', () => {
    expect(at(kernel({ look: () => undefined })).at(-1)?.says).toBe("pid 7's start time could not be read");
  });
});
