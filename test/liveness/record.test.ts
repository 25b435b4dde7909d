import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type MurmurHome, murmurHome } from '../../src/home/index.js';
import {
  hasControllingTerminal,
  publishRecord,
  type RecordGuard,
  type RunningRecord,
  recordOfThisProcess,
  startToken,
} from '../../src/liveness/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { mintId } from '../../src/supervise/ids.js';
import { temporaryFolder } from '../home/temporary.js';

const record = (extra: Partial<RunningRecord> = {}): RunningRecord => ({
  session_id: 'ses_0199c4e2f1b7712a9d3e4f5061728394',
  url: '127.0.0.1:1',
  pid: 1,
  process_start: '42',
  capsule_name: 'demo',
  capsule_version: '0.1.0',
  workdir: '/tmp/demo',
  outlives_launcher: true,
  started_at: '2026-01-01T00:00:00Z',
  ...extra,
});

const home = (): MurmurHome => murmurHome({ HOME: temporaryFolder() });

function publish(at: MurmurHome, given: RunningRecord): RecordGuard {
  const outcome = publishRecord(at, given);
  if (outcome.status === 'failed') throw new Error(outcome.reason);
  onTestFinished(() => outcome.guard.retire());
  return outcome.guard;
}

test('L01 nine fields: exactly these, in this order, as pretty JSON of two spaces', () => {
  const { path } = publish(home(), { ...record(), anything: 'never' } as RunningRecord);
  expect(readFileSync(path, 'utf8')).toBe(`{
  "session_id": "ses_0199c4e2f1b7712a9d3e4f5061728394",
  "url": "127.0.0.1:1",
  "pid": 1,
  "process_start": "42",
  "capsule_name": "demo",
  "capsule_version": "0.1.0",
  "workdir": "/tmp/demo",
  "outlives_launcher": true,
  "started_at": "2026-01-01T00:00:00Z"
}`);
});

test('L24 modes: home and running are 0700 and the record 0600, also when they were wider', () => {
  const at = home();
  mkdirSync(at.running);
  chmodSync(at.running, 0o755);
  chmodSync(at.root, 0o755);
  const { path } = publish(at, record());
  expect([at.root, at.running, path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
});

test('a record is replaced whole and nothing else is left in the directory', () => {
  const at = home();
  publish(at, record());
  publish(at, record({ pid: 2 }));
  expect(readdirSync(at.running)).toEqual([`${record().session_id}.json`]);
  expect(JSON.parse(readFileSync(join(at.running, readdirSync(at.running)[0]!), 'utf8'))).toMatchObject({ pid: 2 });
});

test('retiring removes the record once and never throws', () => {
  const at = home();
  const guard = publish(at, record());
  guard.retire();
  expect(existsSync(guard.path)).toBe(false);
  const next = publish(at, record());
  guard.retire();
  expect(existsSync(next.path)).toBe(true);
});

test('many sessions in one process add one exit listener, and none when all have ended', () => {
  const before = process.listenerCount('exit');
  const at = home();
  const guards = Array.from({ length: 20 }, () => publish(at, record({ session_id: mintId('ses') })));
  expect(process.listenerCount('exit')).toBe(before + 1);
  for (const guard of guards) guard.retire();
  expect(process.listenerCount('exit')).toBe(before);
});

test('a record that cannot be written is an answer that names the path, not an error', () => {
  const at = home();
  writeFileSync(at.running, '');
  expect(publishRecord(at, record())).toEqual({
    status: 'failed',
    reason: `cannot hold the directory ${at.running}: not a directory`,
  });
});

test('a session id that is none names no file', () => {
  expect(publishRecord(home(), record({ session_id: '../../x' }))).toMatchObject({ status: 'failed' });
});

test('the record of this process names it, its start and the time in UTC', () => {
  const facts = {
    sessionId: mintId('ses'),
    url: 'localhost:7',
    capsuleName: 'a',
    capsuleVersion: '1',
    recordsDir: '/r',
  };
  expect(recordOfThisProcess(facts, { ...systemClock, now: () => Date.UTC(2026, 0, 1) })).toEqual({
    session_id: facts.sessionId,
    url: 'localhost:7',
    pid: process.pid,
    process_start: startToken(process.pid) ?? '',
    capsule_name: 'a',
    capsule_version: '1',
    workdir: '/r',
    outlives_launcher: !hasControllingTerminal(),
    started_at: '2026-01-01T00:00:00Z',
  });
});

const terminal = new URL('../../dist/src/liveness/terminal.js', import.meta.url);
const recorder = new URL('../../dist/src/liveness/index.js', import.meta.url);

// These run the built files in a process of their own. `npm test` builds first.
test.runIf(existsSync(terminal))(
  'a process has a controlling terminal whatever its streams are, and none in a session of its own',
  () => {
    const ask = `import('${terminal.href}').then((m)=>console.log(String(m.hasControllingTerminal())))`;
    const within = execFileSync(
      'script',
      ['-qec', `${process.execPath} -e "${ask}" < /dev/null 2> /dev/null`, '/dev/null'],
      { encoding: 'utf8' },
    );
    expect(within.trim()).toBe('true');
    expect(execFileSync('setsid', ['-w', process.execPath, '-e', ask], { encoding: 'utf8' }).trim()).toBe('false');
  },
);

test.runIf(existsSync(recorder))('a process that exits without retiring its record removes it on the way out', () => {
  const at = home();
  const leave = `
    const { publishRecord } = await import('${recorder.href}');
    publishRecord(${JSON.stringify(at)}, ${JSON.stringify(record())});
    process.exit(3);`;
  expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', leave])).toThrow();
  expect(readdirSync(at.running)).toEqual([]);
});
