import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../workers/wasi/fs/descriptor.js';
import { createWasi } from '../../../workers/wasi/index.js';
import { deafBridge, type Folder, openFolder } from './folder.js';

const now = { tag: 'now' } as const;

/** Every operation that changes something through `dir`, which holds `b.txt` and `sub`. */
function everyMutation(folder: Folder, dir: Descriptor): unknown[] {
  const write = { write: true, mutateDirectory: true };
  return [
    () => dir.openAt({}, 'b.txt', {}, write),
    () => dir.openAt({}, 'b.txt', { truncate: true }, { read: true }),
    () => dir.openAt({}, 'new', { create: true }, { read: true }),
    () => dir.createDirectoryAt('new'),
    () => dir.removeDirectoryAt('sub'),
    () => dir.unlinkFileAt('b.txt'),
    () => dir.renameAt('b.txt', dir, 'c.txt'),
    () => dir.linkAt({}, 'b.txt', dir, 'c.txt'),
    () => dir.symlinkAt('b.txt', 'c.txt'),
    () => dir.setTimesAt({}, 'b.txt', now, now),
    () => dir.setTimes(now, now),
  ].map((act) => folder.codeOf(act));
}

describe('a read-only preopen', () => {
  it('refuses every change, also through a directory opened in it, and still reads', () => {
    using folder = openFolder({ readOnly: true });
    const asked = folder.open('dir', { directory: true }, { read: true, mutateDirectory: true });
    const nested = asked.openAt({}, '.', {}, { read: true, mutateDirectory: true });
    for (const dir of [asked, nested]) {
      expect(everyMutation(folder, dir)).toEqual(Array.from({ length: 11 }, () => 'read-only'));
      expect(dir.getFlags().mutateDirectory).toBe(false);
    }
    expect(folder.read('dir/b.txt')).toBe('beta');
    expect(folder.codeOf(() => folder.open('a.txt').write(Uint8Array.of(1), 0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => folder.open('a.txt').setSize(0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => folder.open('a.txt').setTimes(now, now))).toBe('read-only');
  });

  it('gives nothing away to a writable one: no link out of it and no rename', () => {
    const base = mkdtempSync(join(tmpdir(), 'mur-two-'));
    mkdirSync(join(base, 'ro'));
    mkdirSync(join(base, 'rw'));
    writeFileSync(join(base, 'ro', 'rules'), 'kept');
    const fds = ['ro', 'rw'].map((name) => openSync(join(base, name), 'r'));
    const preopens = [
      { fd: fds[0]!, guestPath: '.', readOnly: true },
      { fd: fds[1]!, guestPath: 'state', readOnly: false },
    ];
    const wasi = createWasi({ env: [], args: [], preopens, captureLimitBytes: 0, bridge: deafBridge });
    const { getDirectories } = wasi.imports['wasi:filesystem/preopens'] as { getDirectories(): [Descriptor, string][] };
    const [[ro, first], [rw, second]] = getDirectories() as [[Descriptor, string], [Descriptor, string]];
    expect([first, second]).toEqual(['.', 'state']);
    expect(() => ro.linkAt({}, 'rules', rw, 'mine')).toThrow('read-only');
    expect(() => ro.renameAt('rules', rw, 'mine')).toThrow('read-only');
    expect(() => rw.renameAt('x', ro, 'x')).toThrow('read-only');
    expect(readFileSync(join(base, 'ro', 'rules'), 'utf8')).toBe('kept');
    wasi.close();
    for (const fd of fds) closeSync(fd);
    rmSync(base, { recursive: true });
  });
});

describe('a directory opened without the right to change it', () => {
  it('refuses to create, write, rename and remove below it, and does not pass the right on (reports 5)', () => {
    using folder = openFolder();
    const dir = folder.open('dir', { directory: true }, { read: true });
    const again = dir.openAt({}, '.', {}, { read: true, mutateDirectory: true });
    for (const each of [dir, again]) {
      expect(everyMutation(folder, each)).toEqual(Array.from({ length: 11 }, () => 'not-permitted'));
    }
  });

  it('is no target for a rename or a link from a directory that may be changed', () => {
    using folder = openFolder();
    const dir = folder.open('dir', { directory: true }, { read: true });
    expect(folder.codeOf(() => folder.root.renameAt('a.txt', dir, 'a.txt'))).toBe('not-permitted');
    expect(folder.codeOf(() => folder.root.linkAt({}, 'a.txt', dir, 'a.txt'))).toBe('not-permitted');
  });

  it('may be changed when it was asked for', () => {
    using folder = openFolder();
    const dir = folder.open('dir', { directory: true }, { read: true, mutateDirectory: true });
    dir.createDirectoryAt('new');
    dir.renameAt('b.txt', folder.root, 'c.txt');
    expect(folder.read('c.txt')).toBe('beta');
  });
});

describe('an open file', () => {
  it('does only what it was opened for', () => {
    using folder = openFolder();
    const reader = folder.open('a.txt', {}, { read: true });
    const writer = folder.open('a.txt', {}, { write: true });
    expect(folder.codeOf(() => reader.write(Uint8Array.of(1), 0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => reader.writeViaStream(0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => reader.appendViaStream())).toBe('bad-descriptor');
    expect(folder.codeOf(() => reader.setSize(0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => writer.read(1n, 0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => writer.readViaStream(0n))).toBe('bad-descriptor');
    expect(folder.codeOf(() => writer.openAt({}, 'x', {}, {}))).toBe('not-directory');
    expect(folder.codeOf(() => folder.root.read(1n, 0n))).toBe('is-directory');
    expect(folder.codeOf(() => folder.open('dir', {}, { write: true }))).toBe('is-directory');
    expect(folder.codeOf(() => folder.open('dir', { create: true }, {}))).toBe('is-directory');
    expect(folder.codeOf(() => folder.open('x', { create: true, directory: true }, {}))).toBe('invalid');
  });

  it('writes as the adapter of every Rust component asks: with the mutate-directory flag', () => {
    using folder = openFolder();
    const file = folder.open('new.txt', { create: true, truncate: true }, { write: true, mutateDirectory: true });
    expect(file.write(Buffer.from('written'), 0n)).toBe(7n);
    expect(readFileSync(join(folder.work, 'new.txt'), 'utf8')).toBe('written');
  });

  it('refuses what the host itself refuses, with its code', () => {
    using folder = openFolder();
    expect(folder.codeOf(() => folder.open('missing'))).toBe('no-entry');
    expect(folder.codeOf(() => folder.open('a.txt', { create: true, exclusive: true }, { write: true }))).toBe('exist');
    expect(folder.codeOf(() => folder.root.removeDirectoryAt('dir'))).toBe('not-empty');
    expect(folder.codeOf(() => folder.root.unlinkFileAt('dir'))).toBe('is-directory');
    expect(folder.codeOf(() => folder.root.createDirectoryAt('dir'))).toBe('exist');
    expect(folder.codeOf(() => folder.root.readlinkAt('a.txt'))).toBe('invalid');
    if (process.getuid?.() !== 0) {
      chmodSync(join(folder.work, 'a.txt'), 0);
      expect(folder.codeOf(() => folder.open('a.txt'))).toBe('access');
    }
  });

  it('reads, writes, appends and truncates by offset and as a stream', () => {
    using folder = openFolder();
    const file = folder.open('a.txt', {}, { read: true, write: true });
    expect(file.read(3n, 1n)).toEqual([Uint8Array.from(Buffer.from('lph')), false]);
    expect(file.read(10n, 3n)).toEqual([Uint8Array.from(Buffer.from('ha')), true]);
    expect(file.read(10n, 99n)).toEqual([new Uint8Array(0), true]);
    const append = file.appendViaStream();
    append.blockingWriteAndFlush(Buffer.from('-end'));
    const write = file.writeViaStream(5n);
    write.write(Buffer.from('!!'));
    write.blockingFlush();
    write.blockingWriteZeroesAndFlush(1n);
    expect(folder.read('a.txt')).toBe('alpha!!\0d');
    file.setSize(2n);
    expect(file.stat().size).toBe(2n);
    const read = file.readViaStream(1n);
    file[Symbol.dispose]();
    expect(Buffer.from(read.blockingRead(10n)).toString()).toBe('l');
    expect(folder.codeOf(() => read.read(10n))).toEqual({ tag: 'closed' });
    expect(folder.codeOf(() => folder.open('a.txt', {}, { write: true }).setSize(1n << 60n))).toBe('file-too-large');
  });

  it('hands out bounded chunks, however much is asked for', () => {
    using folder = openFolder();
    writeFileSync(join(folder.work, 'big'), Buffer.alloc(300_000, 7));
    const file = folder.open('big');
    expect(file.read(1n << 40n, 0n)[0]).toHaveLength(65_536);
    expect(file.readViaStream(0n).read(1n << 40n)).toHaveLength(65_536);
    const copy = folder.open('copy', { create: true }, { write: true }).writeViaStream(0n);
    const source = file.readViaStream(0n);
    let moved = 0n;
    expect(
      folder.codeOf(() => {
        for (;;) moved += copy.blockingSplice(source, 1n << 40n);
      }),
    ).toEqual({ tag: 'closed' });
    expect(moved).toBe(300_000n);
    expect(statSync(join(folder.work, 'copy')).size).toBe(300_000);
  });
});

describe('what a guest learns about files', () => {
  it('lists a directory with types, and says which name is not UTF-8', () => {
    using folder = openFolder();
    writeFileSync(Buffer.concat([Buffer.from(`${folder.work}/dir/`), Buffer.from([0xff, 0xfe])]), '');
    const stream = folder.open('dir').readDirectory();
    const seen: unknown[] = [];
    for (let count = 0; count < 5; count += 1) seen.push(folder.codeOf(() => seen.push(stream.readDirectoryEntry())));
    expect(seen).toContainEqual({ type: 'regular-file', name: 'b.txt' });
    expect(seen).toContainEqual({ type: 'directory', name: 'sub' });
    expect(seen).toContain('illegal-byte-sequence');
    expect(stream.readDirectoryEntry()).toBeUndefined();
  });

  it('stats and compares files, and gives a hash that holds no inode number', () => {
    using folder = openFolder();
    folder.root.linkAt({}, 'a.txt', folder.root, 'same');
    const [one, two, other] = ['a.txt', 'same', 'dir/b.txt'].map((path) => folder.open(path)) as [
      Descriptor,
      Descriptor,
      Descriptor,
    ];
    expect(one.isSameObject(two)).toBe(true);
    expect(one.isSameObject(other)).toBe(false);
    expect(one.metadataHash()).toEqual(folder.root.metadataHashAt({}, 'same'));
    expect(one.metadataHash()).not.toEqual(other.metadataHash());
    expect(one.metadataHash().lower).not.toBe(BigInt(statSync(join(folder.work, 'a.txt')).ino));
    expect(one.stat()).toMatchObject({ type: 'regular-file', size: 5n, linkCount: 2n });
    expect(folder.root.stat().type).toBe('directory');
  });

  it('sets times, each on its own', () => {
    using folder = openFolder();
    const at = { tag: 'timestamp', val: { seconds: 1_000_000_000n, nanoseconds: 500_000_000 } } as const;
    const file = folder.open('a.txt', {}, { write: true });
    file.setTimes({ tag: 'no-change' }, at);
    expect(file.stat().dataModificationTimestamp).toEqual(at.val);
    folder.root.setTimesAt({}, 'dir', at, { tag: 'no-change' });
    expect(folder.root.statAt({}, 'dir').dataAccessTimestamp).toEqual(at.val);
    folder.root.setTimes(at, now);
    expect(folder.root.stat().dataAccessTimestamp).toEqual(at.val);
    const bad = { tag: 'timestamp', val: { seconds: 1n, nanoseconds: 1_000_000_000 } } as const;
    expect(folder.codeOf(() => file.setTimes(bad, bad))).toBe('invalid');
  });
});
