import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/errors/index.js';
import { parseRecord, publishRecord, type RunningRecord } from '../../src/liveness/index.js';
import { emptyHome, record } from './fixture.js';

const plain: Record<string, unknown> = { ...record() };
const parse = (value: unknown) => parseRecord(JSON.stringify(value));

test('the nine fields parse, in any order and beside keys of a later version', () => {
  expect(parse(plain)).toEqual(record());
  expect(parse(Object.fromEntries(Object.entries(plain).reverse()))).toEqual(record());
  expect(parse({ ...plain, mood: { of: ['the', 'day'] } })).toEqual(record());
});

test.each(Object.keys(plain))('L02 missing field: a record without %s does not parse', (key) => {
  const { [key]: _, ...rest } = plain;
  expect(parse(rest)).toBeUndefined();
});

test.each(Object.keys(plain))('a record whose %s has another type does not parse', (key) => {
  for (const wrong of [null, [], {}, key === 'outlives_launcher' ? 'true' : true, key === 'pid' ? '7' : 7]) {
    expect(parse({ ...plain, [key]: wrong })).toBeUndefined();
  }
});

test.each([0, 1, 2_147_483_648, 4_294_967_295])('pid %d parses', (pid) => {
  expect(parse({ ...plain, pid })?.pid).toBe(pid);
});

test.each([-1, 1.5, 4_294_967_296, 1e300])('pid %d does not parse', (pid) => {
  expect(parse({ ...plain, pid })).toBeUndefined();
});

test.each(['', '{', 'null', '[]', '7', '"x"', `${JSON.stringify(plain)}x`, `\ufeff${JSON.stringify(plain)}`])(
  'text that is no JSON object does not parse: %j',
  (text) => {
    expect(parseRecord(text)).toBeUndefined();
  },
);

test('a record cut anywhere does not parse, and one that is not UTF-8 does not either', () => {
  const bytes = Buffer.from(JSON.stringify(plain, null, 2));
  expect(parseRecord(bytes)).toEqual(record());
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), (length) => {
      expect(parseRecord(bytes.subarray(0, length))).toBeUndefined();
    }),
  );
  bytes[bytes.indexOf('demo')] = 0xff;
  expect(parseRecord(bytes)).toBeUndefined();
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      parseRecord(text);
    }),
  );
  expect(parseRecord(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBeUndefined();
});

const full: RunningRecord = record({
  door_token: new Secret('operator-token'),
  credentials: { beta: new Secret('b-token'), alpha: new Secret('a-token') },
  formation_id: `frm_${'0a'.repeat(16)}`,
  formation_lifeline: true,
  formation_launcher: { pid: 7, process_start: '42' },
  spawned_by: 'ses_0199c4e2f1b7712a9d3e4f5061728395',
});

test('L36 optional keys: they round-trip, sorted by name, and are left out when unset', () => {
  const home = emptyHome();
  const published = publishRecord(home, full);
  if (published.status === 'failed') throw new Error(published.reason);
  onTestFinished(() => published.guard.retire());
  const text = readFileSync(published.guard.path, 'utf8');
  expect(JSON.parse(text)).toEqual({
    ...plain,
    door_token: 'operator-token',
    credentials: { alpha: 'a-token', beta: 'b-token' },
    formation_id: full.formation_id,
    formation_lifeline: true,
    formation_launcher: { pid: 7, process_start: '42' },
    spawned_by: full.spawned_by,
  });
  expect(text.indexOf('alpha')).toBeLessThan(text.indexOf('beta'));
  const parsed = parseRecord(text)!;
  expect(parsed.door_token?.reveal()).toBe('operator-token');
  expect(Object.entries(parsed.credentials ?? {}).map(([name, token]) => [name, token.reveal()])).toEqual([
    ['alpha', 'a-token'],
    ['beta', 'b-token'],
  ]);
  expect(parsed).toMatchObject({
    formation_id: full.formation_id,
    formation_lifeline: true,
    spawned_by: full.spawned_by,
  });

  const bare = publishRecord(home, record({ credentials: {} }));
  if (bare.status === 'failed') throw new Error(bare.reason);
  onTestFinished(() => bare.guard.retire());
  expect(Object.keys(JSON.parse(readFileSync(bare.guard.path, 'utf8')))).toEqual(Object.keys(plain));
});

test('no printing of a parsed record shows a token', () => {
  const parsed = parse({ ...plain, door_token: 'operator-token', credentials: { alpha: 'a-token' } });
  expect(`${inspect(parsed, { depth: 9 })} ${JSON.stringify(parsed)}`).not.toMatch(/operator-token|a-token/);
});

test('optional keys that are null, empty or false count as absent', () => {
  const keys = ['door_token', 'credentials', 'formation_id', 'formation_lifeline', 'formation_launcher', 'spawned_by'];
  const nulls = Object.fromEntries(keys.map((key) => [key, null]));
  expect(parse({ ...plain, ...nulls })).toEqual(record());
  expect(parse({ ...plain, credentials: {}, formation_lifeline: false })).toEqual(record());
});

test.each([
  { door_token: 7 },
  { credentials: ['a'] },
  { credentials: { alpha: 7 } },
  { formation_id: 'frm_ABC' },
  { formation_id: `ses_${'0'.repeat(32)}` },
  { formation_lifeline: 'true' },
  { formation_launcher: 7 },
  { formation_launcher: { pid: 7 } },
  { formation_launcher: { pid: -7, process_start: '1' } },
  { formation_launcher: { pid: '7', process_start: '1' } },
  { spawned_by: 7 },
])('a malformed optional key makes the whole record unparseable: %j', (key) => {
  expect(parse({ ...plain, ...key })).toBeUndefined();
});
