import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMurError, Secret } from '../../src/errors/index.js';
import type { GoneRecord, ListedRecord, ProcessState } from '../../src/liveness/index.js';
import { didNotAnswer, notEnded, resolveAddress, tokenOf } from '../../src/liveness/index.js';
import { record, sessionId } from './fixture.js';

const listed = (session_id: string): ListedRecord => ({ ...record({ session_id }), file: `${session_id}.json` });
const running = (ids: readonly string[], state: ProcessState = { verdict: 'Alive' }) =>
  ids.map((id) => ({ record: listed(id), state }));
const ended = (id: string, reason = 'no process holds pid 7'): GoneRecord => ({
  record: listed(id),
  reason,
  evidence: [],
  pruned: true,
});

const [newest, middle, oldest] = [sessionId(3, 'cafe'), sessionId(2, 'beef'), sessionId(1, '1beef')];
const machine = { running: running([newest!, middle!, oldest!]), gone: [ended(sessionId(9, 'dead'))] };

const resolved = (address: string, on = machine) => resolveAddress(address, on).session_id;

function refusal(address: string, on: Parameters<typeof resolveAddress>[1] = machine): string {
  try {
    resolveAddress(address, on);
  } catch (error) {
    if (!isMurError(error)) throw error;
    expect(error.code).toBe('E-RUN-022');
    return error.message;
  }
  throw new Error(`'${address}' was resolved`);
}

test('@N counts from the newest', () => {
  expect([resolved('@1'), resolved('@2'), resolved('@03')]).toEqual([newest, middle, oldest]);
});

test('@N counts a session whose process is Unverified', () => {
  const [first] = running([newest!], { verdict: 'Unverified', reason: 'x' });
  expect(resolved('@2', { running: [first!, ...running([middle!])], gone: [] })).toBe(middle);
});

test('a whole id names its session', () => {
  expect(resolved(middle!)).toBe(middle);
});

test('a suffix of four characters names the one session that ends in it, in any case', () => {
  expect(resolved('cafe')).toBe(newest);
  expect(resolved('CAFE')).toBe(newest);
  expect(resolved('1BeeF')).toBe(oldest);
  expect(resolved(newest!.toUpperCase())).toBe(newest);
});

describe('an address is refused', () => {
  test.each(['a/b', '/x', 'localhost:80', 'trace.jsonl', './ses.jsonl'])('that looks like a path: %s', (address) => {
    expect(refusal(address)).toBe(`'${address}' is not a session address`);
  });

  test.each(['@', '@x', '@-1', '@1.5', '@ 1', '@1a'])('whose ordinal is none: %j', (address) => {
    expect(refusal(address)).toBe(`invalid ordinal '${address}' — expected @1, @2, ...`);
  });

  test.each(['@0', '@00'])('that counts from zero: %s', (address) => {
    expect(refusal(address)).toBe('ordinal must be @1 or higher');
  });

  test.each(['', 'a', 'afe'])('that is too short: %j', (address) => {
    expect(refusal(address)).toBe(`'${address}' is too short to name a session`);
  });

  test('that fits several, which are listed', () => {
    expect(refusal('beef')).toBe(
      `'beef' matches 2 running sessions — provide more characters\n  ${middle}\n  ${oldest}`,
    );
  });

  test('that fits a session which ended, with the reason', () => {
    expect(refusal('dead')).toBe(`${sessionId(9, 'dead')} is not running: no process holds pid 7`);
    expect(refusal(sessionId(9, 'dead'))).toBe(`${sessionId(9, 'dead')} is not running: no process holds pid 7`);
  });

  test('that fits nothing, with what runs', () => {
    const ids = `${newest}, ${middle}, ${oldest}`;
    expect(refusal('0000f')).toBe(`0000f names no running session — 3 running: ${ids}`);
    expect(refusal('@4')).toBe(`@4 names no running session — 3 running: ${ids}`);
  });

  test('on a machine where nothing runs', () => {
    const empty = { running: [], gone: [] };
    expect(refusal('@1', empty)).toBe('no capsule is running on this machine');
    expect(refusal('cafe', empty)).toBe('no capsule is running on this machine');
  });
});

test('a session that runs comes before one that ended with the same suffix', () => {
  expect(resolved('beef', { running: running([middle!]), gone: [ended(sessionId(8, 'beef'))] })).toBe(middle);
});

test('any text is resolved or refused with E-RUN-022', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `@${text}`),
      ),
      (address) => {
        try {
          expect([newest, middle, oldest]).toContain(resolved(address));
        } catch (error) {
          expect(isMurError(error) && error.code).toBe('E-RUN-022');
        }
      },
    ),
  );
});

test('what became of an addressed session has its own codes', () => {
  expect(didNotAnswer(listed(newest!), 'socket hang up')).toMatchObject({
    code: 'E-RUN-023',
    message: `${newest} is running but its capsule did not answer at 127.0.0.1:1: socket hang up`,
  });
  expect(notEnded(listed(newest!), 'SIGTERM to pid 1 was refused: x')).toMatchObject({
    code: 'E-RUN-024',
    message: `${newest} could not be ended: SIGTERM to pid 1 was refused: x`,
  });
});

describe('the token of a door', () => {
  const locked = record({
    door_token: new Secret('operator-token'),
    credentials: { zeta: new Secret('z'), alpha: new Secret('a') },
  });

  test('is the operator token unless a credential is named', () => {
    expect(tokenOf(locked).reveal()).toBe('operator-token');
    expect(tokenOf(locked, 'operator').reveal()).toBe('operator-token');
    expect(tokenOf(locked, 'alpha').reveal()).toBe('a');
  });

  test('of a public door is E-RUN-048', () => {
    expect(() => tokenOf(record())).toThrow(expect.objectContaining({ code: 'E-RUN-048' }));
  });

  test.each(['beta', 'constructor', '__proto__', ''])(
    'of an unknown name is E-RUN-049, which lists the known: %j',
    (name) => {
      expect(() => tokenOf(locked, name)).toThrow(
        expect.objectContaining({
          code: 'E-RUN-049',
          message: `the door of ${locked.session_id} has no credential '${name}': it has operator, alpha, zeta`,
        }),
      );
    },
  );
});
