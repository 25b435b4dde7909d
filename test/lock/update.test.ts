import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownStartToken } from '../../src/home/holder.js';
import { exclusively, removeIfAbandoned } from '../../src/lock/exclusive.js';
import {
  createLock,
  type PinRequest,
  parseLock,
  pin,
  readLock,
  serializeLock,
  updateLock,
} from '../../src/lock/index.js';
import { startPinner } from './pinner.js';

function projectFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mur-lock-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const want = (name: string, more: Partial<PinRequest> = {}): PinRequest => ({
  name,
  version: '1.0.0',
  sha256: 'ab'.repeat(32),
  origin: 'operator',
  ...more,
});
const names = (dir: string): string[] => (readLock(dir)?.artifacts ?? []).map(({ name }) => name);
const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );
/** A holder whose process has the pid of a process that is gone. */
async function gonePid(dir: string): Promise<number> {
  const { spawnSync } = await import('node:child_process');
  return spawnSync(process.execPath, ['-e', '0'], { cwd: dir }).pid;
}

describe('Lock: reading', () => {
  test('a project without a lock has none; one that is a folder is E-IO-003', async () => {
    const dir = projectFolder();
    expect(readLock(dir)).toBeUndefined();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(dir, 'murmur.lock'));
    expect(() => readLock(dir)).toThrow(/failed to read .*murmur\.lock: is a directory/);
  });
});

describe('Lock: writing', () => {
  test('a pin is written, read back, and nothing else is left in the folder', async () => {
    const dir = projectFolder();
    const after = await updateLock(dir, (lock) => pin(lock, want('a')));
    expect(readLock(dir)).toEqual(after);
    expect(readdirSync(dir)).toEqual(['murmur.lock']);
    expect(readFileSync(join(dir, 'murmur.lock'), 'utf8')).toBe(serializeLock(after));
  });

  test('a change that changes nothing writes nothing', async () => {
    const dir = projectFolder();
    expect(await updateLock(dir, (lock) => lock)).toEqual({ artifacts: [] });
    expect(readdirSync(dir)).toEqual([]);
    await updateLock(dir, (lock) => pin(lock, want('a')));
    const before = statSync(join(dir, 'murmur.lock'));
    expect(await updateLock(dir, (lock) => lock)).toEqual(readLock(dir));
    await updateLock(dir, (lock) => pin(lock, want('a')));
    expect(statSync(join(dir, 'murmur.lock')).ino).toBe(before.ino);
  });

  test('a conflict, a lock that cannot be read, and one that could not be read again leave the file alone', async () => {
    const dir = projectFolder();
    await updateLock(dir, (lock) => pin(lock, want('a')));
    const before = readFileSync(join(dir, 'murmur.lock'), 'utf8');
    expect(await code(updateLock(dir, (lock) => pin(lock, want('a', { version: '2' }))))).toBe('E-REG-005');
    expect(await code(updateLock(dir, (lock) => pin(lock, want(' '))))).toBe('E-RUN-003');
    expect(await code(updateLock(dir, (lock) => pin(lock, want('b', { session: 'ses_1' }))))).toBe('E-RUN-003');
    expect(readFileSync(join(dir, 'murmur.lock'), 'utf8')).toBe(before);
    writeFileSync(join(dir, 'murmur.lock'), 'lock_version: 1\n');
    expect(await code(updateLock(dir, (lock) => pin(lock, want('b'))))).toBe('E-RUN-003');
    expect(readFileSync(join(dir, 'murmur.lock'), 'utf8')).toBe('lock_version: 1\n');
    expect(readdirSync(dir)).toEqual(['murmur.lock']);
  });

  test('the mode of the file stays, and a link of that name is replaced, never written through', async () => {
    const dir = projectFolder();
    await updateLock(dir, (lock) => pin(lock, want('a')));
    chmodSync(join(dir, 'murmur.lock'), 0o640);
    await updateLock(dir, (lock) => pin(lock, want('b')));
    expect(statSync(join(dir, 'murmur.lock')).mode & 0o777).toBe(0o640);
    const other = projectFolder();
    symlinkSync(join(dir, 'murmur.lock'), join(other, 'murmur.lock'));
    await updateLock(other, (lock) => pin(lock, want('c')));
    expect(lstatSync(join(other, 'murmur.lock')).isFile()).toBe(true);
    expect(names(other)).toEqual(['a', 'b', 'c']);
    expect(names(dir)).toEqual(['a', 'b']);
  });

  test('a launch creates a lock where there is none, and never refreshes one', async () => {
    const dir = projectFolder();
    await createLock(dir, [want('a'), want('b', { platform: 'linux-x86_64' })]);
    expect(names(dir)).toEqual(['a', 'b']);
    await createLock(dir, [want('c')]);
    expect(names(dir)).toEqual(['a', 'b']);
  });

  test('a folder that is not there is an error of the path', async () => {
    expect(await code(updateLock(join(projectFolder(), 'nowhere'), (lock) => pin(lock, want('a'))))).toBe('E-IO-001');
  });

  test('what a crash left is removed by the next change', async () => {
    const dir = projectFolder();
    writeFileSync(join(dir, '.murmur.lock.0123456789abcdef.tmp'), 'half');
    writeFileSync(join(dir, '.murmur.lock.notes.tmp'), 'mine');
    const gone = await gonePid(dir);
    symlinkSync(`${gone}-1-0123456789abcdef@${hostname()}`, join(dir, '.murmur.lock.held.fedcba9876543210'));
    await updateLock(dir, (lock) => pin(lock, want('a')));
    expect(readdirSync(dir).sort()).toEqual(['.murmur.lock.notes.tmp', 'murmur.lock']);
  });
});

describe('Lock: one process at a time', () => {
  const own = (pid: number, token: string, host = hostname()): string => `${pid}-${token}-0123456789abcdef@${host}`;

  test('callers of one process take turns', async () => {
    const dir = projectFolder();
    const all = Array.from({ length: 20 }, (_, index) => `a${String(index).padStart(2, '0')}`);
    await Promise.all(all.map((name) => updateLock(dir, (lock) => pin(lock, want(name)))));
    expect(names(dir)).toEqual(all);
  });

  test('a living holder is waited for, however long ago it began, then named', async () => {
    const path = join(projectFolder(), 'held');
    symlinkSync(own(process.pid, ownStartToken()), path);
    await expect(exclusively(path, 30, () => 1)).rejects.toMatchObject({
      code: 'E-IO-003',
      message: `${path} is held by process ${process.pid} on ${hostname()}`,
    });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    const waiting = exclusively(path, 10_000, () => 'in');
    rmSync(path);
    expect(await waiting).toBe('in');
  });

  test.each(['gone', 'another'] as const)('a holder whose process is %s is taken over at once', async (kind) => {
    const dir = projectFolder();
    const path = join(dir, 'held');
    const holder = kind === 'gone' ? own(await gonePid(dir), '1') : own(process.pid, '1');
    symlinkSync(holder, path);
    expect(await exclusively(path, 0, () => readdirSync(dir))).toEqual(['held']);
    expect(readdirSync(dir)).toEqual([]);
  });

  test.each([
    ['of another host', () => own(1, '1', 'elsewhere.example')],
    ['that says nothing', () => 'nobody'],
  ])('a holder %s is never judged', async (_, holder) => {
    const path = join(projectFolder(), 'held');
    symlinkSync(holder(), path);
    await expect(exclusively(path, 20, () => 1)).rejects.toMatchObject({ code: 'E-IO-003' });
    await removeIfAbandoned(path, 20);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test('a file of that name that is not ours is refused, and kept', async () => {
    const path = join(projectFolder(), 'held');
    writeFileSync(path, 'mine');
    await expect(exclusively(path, 20, () => 1)).rejects.toMatchObject({
      code: 'E-IO-003',
      message: `${path} was not made by mur; remove it`,
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('work that fails gives the lock back; one that lost it removes nobody else', async () => {
    const dir = projectFolder();
    const path = join(dir, 'held');
    await expect(exclusively(path, 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(path)).toBe(false);
    await exclusively(path, 0, () => {
      rmSync(path);
      symlinkSync(own(process.pid, ownStartToken()), path);
    });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    await removeIfAbandoned(join(dir, 'nothing'), 0);
  });

  test('processes that pin at once leave a whole lock with every entry', async () => {
    const dir = projectFolder();
    const prefixes = ['a', 'b', 'c', 'd'];
    const ended = await Promise.all(prefixes.map((prefix) => startPinner(dir, prefix, 10).ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(names(dir)).toHaveLength(40);
    expect(readdirSync(dir)).toEqual(['murmur.lock']);
  });

  test('kill -9 at every step leaves the state from before or after, and the next change works at once', async () => {
    const dir = projectFolder();
    await updateLock(dir, (lock) => pin(lock, want('a')));
    const before = readFileSync(join(dir, 'murmur.lock'), 'utf8');
    const steps = Number((await startPinner(dir, 'b', 1).ended).stdout);
    const after = readFileSync(join(dir, 'murmur.lock'), 'utf8');
    expect(steps).toBeGreaterThan(6);
    let killed = 0;
    for (let step = 1; step <= steps; step += 1) {
      writeFileSync(join(dir, 'murmur.lock'), before);
      const { signal } = await startPinner(dir, 'b', 1, step).ended;
      if (signal === 'SIGKILL') killed += 1;
      expect([before, after]).toContain(readFileSync(join(dir, 'murmur.lock'), 'utf8'));
      await updateLock(dir, (lock) => pin(lock, want('c')));
      expect(readdirSync(dir)).toEqual(['murmur.lock']);
      expect(
        parseLock(readFileSync(join(dir, 'murmur.lock'), 'utf8'), dir).artifacts.map(({ name }) => name),
      ).toContain('c');
    }
    expect(killed).toBe(steps);
  });
});
