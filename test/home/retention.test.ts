import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { murmurHome } from '../../src/home/murmur-home.js';
import { startToken } from '../../src/home/process-identity.js';
import { applyRetention } from '../../src/home/retention.js';
import { recordsGroup } from '../../src/home/session-folders.js';
import type { MurmurHome, RetainLimits, RetentionReport } from '../../src/home/types.js';
import { temporaryFolder } from './temporary.js';

const day = 86_400_000;
const now = Date.UTC(2026, 0, 31);

/** The id of a session minted so many days before now. */
const idOf = (daysAgo: number): string =>
  `ses_${(now - daysAgo * day).toString(16).padStart(12, '0')}7${'0'.repeat(3)}8${'0'.repeat(15)}`;

class Machine {
  readonly home: MurmurHome;
  readonly workdirs: string;
  readonly records: string;

  constructor(...daysAgo: number[]) {
    const user = temporaryFolder();
    this.home = murmurHome({ HOME: user });
    this.workdirs = join(user, 'project/workdir');
    this.records = join(this.home.records, recordsGroup(this.workdirs));
    mkdirSync(this.home.sessions);
    for (const days of daysAgo) {
      for (const store of [this.workdirs, this.records]) {
        mkdirSync(join(store, idOf(days)), { recursive: true });
        writeFileSync(join(store, idOf(days), 'file'), 'x');
      }
    }
  }

  retain(limits: RetainLimits, running = 0, createdWorkdirs: string | undefined = this.workdirs): RetentionReport {
    return applyRetention({
      home: this.home,
      folders: { sessionId: idOf(running), workdirRoot: this.workdirs, createdWorkdirs },
      limits,
      nowMs: now,
    });
  }

  lock(daysAgo: number, text: string): void {
    mkdirSync(join(this.home.sessions, idOf(daysAgo)));
    writeFileSync(join(this.home.sessions, idOf(daysAgo), '.lock'), text);
  }
}

test('max_sessions counts the running session', () => {
  const machine = new Machine(0, 1, 2, 3);
  expect(machine.retain({ maxSessions: 2 })).toEqual({
    outcomes: [{ store: 'sessions', reason: 'max_sessions', removed: 2, targets: [idOf(2), idOf(3)] }],
    failures: [],
  });
  expect(readdirSync(machine.records).sort()).toEqual([idOf(1), idOf(0)]);
  expect(readdirSync(machine.workdirs).sort()).toEqual([idOf(1), idOf(0)]);
});

test('max_age counts from the time inside the id', () => {
  const machine = new Machine(0, 5, 40);
  expect(machine.retain({ maxAgeMs: 30 * day }).outcomes[0]).toMatchObject({ reason: 'max_age', targets: [idOf(40)] });
});

test('a session is kept only while both limits hold', () => {
  const machine = new Machine(0, 1, 2, 40);
  const [outcome] = machine.retain({ maxSessions: 3, maxAgeMs: 1.5 * day }).outcomes;
  expect(outcome).toMatchObject({ reason: 'max_age, max_sessions', targets: [idOf(2), idOf(40)] });
});

test('reports nothing when nothing was removed, and removes nothing without limits', () => {
  const machine = new Machine(0, 1);
  expect(machine.retain({ maxSessions: 2 })).toEqual({ outcomes: [], failures: [] });
  expect(machine.retain({})).toEqual({ outcomes: [], failures: [] });
});

test('never removes the running session or a newer one', () => {
  const machine = new Machine(0, 1, 2);
  machine.retain({ maxSessions: 1, maxAgeMs: 1 }, 1);
  expect(readdirSync(machine.records).sort()).toEqual([idOf(1), idOf(0)]);
});

test('never removes a session whose process still runs, and does once it is gone', async () => {
  const machine = new Machine(0, 1);
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  machine.lock(1, `${child.pid} ${startToken(child.pid!) ?? ''}\n`);
  expect(machine.retain({ maxSessions: 1 }).outcomes).toEqual([]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(machine.retain({ maxSessions: 1 }).outcomes[0]).toMatchObject({ targets: [idOf(1)] });
});

test.runIf(process.platform === 'linux')('a lock whose pid is used by another process holds nothing', () => {
  const machine = new Machine(0, 1);
  machine.lock(1, `${process.pid} not-this-process\n`);
  expect(machine.retain({ maxSessions: 1 }).outcomes[0]).toMatchObject({ targets: [idOf(1)] });
});

test.each(['', 'garbage', '0 1', '-1 1', '4294967296 1'])(
  'a lock that names no process is not evidence: %j',
  (text) => {
    const machine = new Machine(0, 1);
    machine.lock(1, text);
    expect(machine.retain({ maxSessions: 1 }).outcomes).toEqual([]);
  },
);

test('leaves an operator’s folder, other names and links alone', () => {
  const machine = new Machine(0, 1);
  const outside = temporaryFolder();
  mkdirSync(join(machine.records, 'notes'));
  symlinkSync(outside, join(machine.records, idOf(3)));
  machine.retain({ maxSessions: 1 }, 0, undefined);
  expect(readdirSync(machine.records).sort()).toEqual([idOf(3), idOf(0), 'notes'].sort());
});

test('under --workdir only records are removed', () => {
  const machine = new Machine(0, 1);
  const report = applyRetention({
    home: machine.home,
    folders: { sessionId: idOf(0), workdirRoot: machine.workdirs, createdWorkdirs: undefined },
    limits: { maxSessions: 1 },
    nowMs: now,
  });
  expect(report.outcomes[0]).toMatchObject({ targets: [idOf(1)] });
  expect(readdirSync(machine.workdirs).sort()).toEqual([idOf(1), idOf(0)]);
});
