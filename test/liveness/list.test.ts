import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { locateMurmurHome, murmurHome } from '../../src/home/index.js';
import { listRecords, runningDirLocation, scanRecords } from '../../src/liveness/index.js';
import { cpuMs } from '../cpu.js';
import { temporaryFolder } from '../home/temporary.js';
import { emptyHome, put, putRecord, record, sessionId } from './fixture.js';

const text = JSON.stringify(record());
const ids = (records: readonly { readonly session_id: string }[]) => records.map(({ session_id }) => session_id);

test('the directory is named without being made', () => {
  const user = temporaryFolder();
  expect(runningDirLocation({ HOME: user })).toBe(join(user, '.murmur', 'running'));
  expect(readdirSync(user)).toEqual([]);
  expect(() => runningDirLocation({})).toThrow('could not determine home directory');
  expect(() => runningDirLocation({ HOME: 'here' })).toThrow('not an absolute path');
});

test('L24 modes: listing narrows a wide home, and makes the directory, at 0700', () => {
  const user = temporaryFolder();
  mkdirSync(join(user, '.murmur'), { mode: 0o755 });
  chmodSync(join(user, '.murmur'), 0o755);
  const home = locateMurmurHome({ HOME: user });
  expect(listRecords(home)).toEqual({ records: [], pruned: [], unreadable: [] });
  expect([home.root, home.running].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
});

test('L25 list order: newest session first, and what is no record is removed', () => {
  const home = emptyHome();
  for (const time of [2, 3, 1]) putRecord(home, record({ session_id: sessionId(time) }));
  put(home, 'bad.json', '{');
  const listed = listRecords(home);
  expect(ids(listed.records)).toEqual([sessionId(3), sessionId(2), sessionId(1)]);
  expect(listed.records[0]?.file).toBe(`${sessionId(3)}.json`);
  expect(listed.pruned).toEqual(['bad.json']);
  expect(readdirSync(home.running)).not.toContain('bad.json');
});

test('L26 other names: only an ending of exactly .json is looked at', () => {
  const home = emptyHome();
  const others = ['.json', 'a.JSON', 'a.json.tmp', 'a.control', 'a.inspect', 'ajson'].sort();
  for (const name of others) put(home, name, 'not a record');
  expect(listRecords(home)).toEqual({ records: [], pruned: [], unreadable: [] });
  expect(readdirSync(home.running).sort()).toEqual(others);
});

test('L27 not a directory: an error that names the path and the reason, and nothing is removed', () => {
  const home = murmurHome({ HOME: temporaryFolder() });
  writeFileSync(home.running, 'mine');
  expect(() => listRecords(home)).toThrow(
    `the running-capsule records could not be read: ${home.running}: Not a directory (os error 20)`,
  );
  expect(() => scanRecords(home.running)).toThrow(expect.objectContaining({ code: 'E-RUN-028' }));
  expect(statSync(home.running).size).toBe(4);
});

test('a home that cannot be made is the same error, naming the home', () => {
  const user = temporaryFolder();
  writeFileSync(join(user, '.murmur'), '');
  expect(() => listRecords(locateMurmurHome({ HOME: user }))).toThrow(
    `the running-capsule records could not be read: ${join(user, '.murmur')}: Not a directory (os error 20)`,
  );
});

test('L37 malformed formation id: its record is pruned', () => {
  const home = emptyHome();
  put(home, 'a.json', JSON.stringify({ ...record(), formation_id: 'frm_ABC' }));
  expect(listRecords(home)).toEqual({ records: [], pruned: ['a.json'], unreadable: [] });
  expect(readdirSync(home.running)).toEqual([]);
});

test('L40 10 000 records list in under a second', () => {
  const home = emptyHome();
  for (let time = 0; time < 10_000; time += 1) putRecord(home, record({ session_id: sessionId(time) }));
  listRecords(home);
  const startedAt = cpuMs();
  const { records } = listRecords(home);
  expect(cpuMs() - startedAt).toBeLessThan(1_000);
  expect(records.length).toBe(10_000);
});

describe('what may lie in the directory', () => {
  test.each([
    ['half of a record', text.slice(0, text.length / 2)],
    ['nothing', ''],
    ['a record of 5 MB', JSON.stringify({ ...record(), filler: 'x'.repeat(5 * 1024 * 1024) })],
    ['bytes', Buffer.from([0xff, 0, 0xfe])],
  ])('%s is removed', (_, content) => {
    const home = emptyHome();
    put(home, 'x.json', content);
    expect(listRecords(home)).toEqual({ records: [], pruned: ['x.json'], unreadable: [] });
    expect(readdirSync(home.running)).toEqual([]);
  });

  test('a record with an extra field is listed', () => {
    const home = emptyHome();
    put(home, 'x.json', JSON.stringify({ ...record(), later: true }));
    expect(listRecords(home).records).toEqual([{ ...record(), file: 'x.json' }]);
  });

  test('a directory stays, with what is in it', () => {
    const home = emptyHome();
    mkdirSync(join(home.running, 'x.json'));
    writeFileSync(join(home.running, 'x.json', 'y'), '');
    expect(listRecords(home)).toEqual({ records: [], pruned: [], unreadable: [] });
    expect(readdirSync(join(home.running, 'x.json'))).toEqual(['y']);
  });

  test('a link is removed and what it leads to is not', () => {
    const home = emptyHome();
    const elsewhere = join(temporaryFolder(), 'record');
    writeFileSync(elsewhere, text);
    symlinkSync(elsewhere, join(home.running, 'live.json'));
    symlinkSync(join(home.running, 'nowhere'), join(home.running, 'dangling.json'));
    expect(listRecords(home)).toEqual({ records: [], pruned: ['dangling.json', 'live.json'], unreadable: [] });
    expect(statSync(elsewhere).size).toBe(text.length);
  });

  test('a FIFO nobody writes to is removed without waiting', () => {
    const home = emptyHome();
    execFileSync('mkfifo', [join(home.running, 'x.json')]);
    expect(listRecords(home).pruned).toEqual(['x.json']);
  });

  test.runIf(process.getuid?.() === 0)('a record of another user is listed like any', () => {
    const home = emptyHome();
    chownSync(putRecord(home, record()), 65_534, 65_534);
    expect(ids(listRecords(home).records)).toEqual([record().session_id]);
  });

  test.skipIf(process.getuid?.() === 0)('a record this user may not read is kept', () => {
    const home = emptyHome();
    chmodSync(put(home, 'x.json', text), 0);
    expect(listRecords(home)).toEqual({ records: [], pruned: [], unreadable: ['x.json'] });
    expect(readdirSync(home.running)).toEqual(['x.json']);
  });
});

describe('scanning', () => {
  test('lists the same and removes nothing', () => {
    const home = emptyHome();
    putRecord(home, record());
    put(home, 'bad.json', '{');
    expect(scanRecords(home.running)).toEqual({
      records: [{ ...record(), file: `${record().session_id}.json` }],
      unreadable: ['bad.json'],
    });
    expect(readdirSync(home.running)).toContain('bad.json');
  });

  test('takes a missing directory for an empty machine, and makes none', () => {
    const user = temporaryFolder();
    expect(scanRecords(runningDirLocation({ HOME: user }))).toEqual({ records: [], unreadable: [] });
    expect(readdirSync(user)).toEqual([]);
  });

  test('does not change modes', () => {
    const home = emptyHome();
    chmodSync(home.running, 0o755);
    scanRecords(home.running);
    expect(statSync(home.running).mode & 0o777).toBe(0o755);
    rmSync(home.running, { recursive: true });
  });
});
