import { execFileSync } from 'node:child_process';
import { linkSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linuxTree, portableTree } from '../../../workers/wasi/fs/tree.js';
import { type Folder, openDescriptors, openFolder, secret } from './folder.js';

/** Every read-like and write-like way to use a path; none may reach what the path must not name. */
function everyUse(folder: Folder, path: string): unknown[] {
  const { root } = folder;
  const write = { write: true, mutateDirectory: true };
  return [
    () => folder.open(path),
    () => folder.open(path, { directory: true }),
    () => folder.open(path, { create: true }, write),
    () => folder.open(path, { truncate: true }, write),
    () => folder.open(path, { create: true, exclusive: true }, write),
    () => root.statAt({ symlinkFollow: true }, path),
    () => root.metadataHashAt({ symlinkFollow: true }, path),
    () => root.setTimesAt({ symlinkFollow: true }, path, { tag: 'now' }, { tag: 'now' }),
  ].map((act) => folder.codeOf(act));
}

/** As above, for operations that act on the name itself and never follow. */
function everyChange(folder: Folder, path: string): unknown[] {
  const { root } = folder;
  return [
    () => root.createDirectoryAt(path),
    () => root.removeDirectoryAt(path),
    () => root.unlinkFileAt(path),
    () => root.renameAt('a.txt', root, path),
    () => root.renameAt(path, root, 'moved'),
    () => root.linkAt({}, 'a.txt', root, path),
    () => root.linkAt({}, path, root, 'linked'),
    () => root.symlinkAt('a.txt', path),
    () => root.readlinkAt(path),
  ].map((act) => folder.codeOf(act));
}

const only = (code: string, count: number): string[] => Array.from({ length: count }, () => code);

for (const [name, tree] of [
  ['by descriptor', linuxTree],
  ['by path', portableTree],
] as const) {
  describe(`a guest, with directories held ${name}`, () => {
    it.each([
      ['an absolute path', '/etc/passwd'],
      ['a path above the folder', '../outside/secret.txt'],
      ['the parent itself', '..'],
      ['a path that leaves after entering', 'dir/../../outside/secret.txt'],
      ['a path that leaves and comes back in (reports 15)', 'dir/../../work/a.txt'],
      ['a path through the root and back', 'dir/sub/../../../work/dir/b.txt'],
    ])('is refused %s', (_, path) => {
      using folder = openFolder({ tree });
      expect(everyUse(folder, path)).toEqual(only('not-permitted', 8));
      expect(everyChange(folder, path)).toEqual(only('not-permitted', 9));
      expect(readFileSync(join(folder.outside, 'secret.txt'), 'utf8')).toBe(secret);
    });

    it.each([
      ['a relative link to a file outside', '../outside/secret.txt', 'link'],
      ['an absolute link to a file outside', '/etc/passwd', 'link'],
      ['a link to a directory outside', '../outside', 'link/secret.txt'],
      ['an absolute link to a directory outside', '/etc', 'link/passwd'],
      ['a link to the process root', '/proc/self/root', 'link/etc/passwd'],
      ['a link out and back in', '../work/a.txt', 'link'],
      ['a link to the parent', '..', 'link/outside/secret.txt'],
      ['a dangling link outside', '../outside/new.txt', 'link'],
    ])('is refused %s', (_, target, path) => {
      using folder = openFolder({ tree });
      symlinkSync(target, join(folder.work, 'link'));
      // A new file is refused the name that the link has already; everything else is refused by the walk.
      const whenNew = path === 'link' ? 'exist' : 'not-permitted';
      expect(everyUse(folder, path)).toEqual([...only('not-permitted', 4), whenNew, ...only('not-permitted', 3)]);
      expect(readFileSync(join(folder.outside, 'secret.txt'), 'utf8')).toBe(secret);
      expect(folder.codeOf(() => lstatSync(join(folder.outside, 'new.txt')))).toMatchObject({ code: 'ENOENT' });
    });

    it('is refused a link to the outside that lies behind another link and in a subfolder', () => {
      using folder = openFolder({ tree });
      symlinkSync('../../outside', join(folder.work, 'dir', 'out'));
      symlinkSync('dir', join(folder.work, 'alias'));
      symlinkSync('alias/out', join(folder.work, 'chain'));
      for (const path of ['dir/out/secret.txt', 'alias/out/secret.txt', 'chain/secret.txt']) {
        expect(everyUse(folder, path).filter((code) => code !== 'not-permitted')).toEqual([]);
      }
    });

    it('follows links that stay inside, also up and down again', () => {
      using folder = openFolder({ tree });
      symlinkSync('../a.txt', join(folder.work, 'dir', 'up'));
      symlinkSync('dir', join(folder.work, 'alias'));
      symlinkSync('dir/sub/../b.txt', join(folder.work, 'beta'));
      expect(folder.read('dir/up')).toBe('alpha');
      expect(folder.read('alias/b.txt')).toBe('beta');
      expect(folder.read('alias/../a.txt')).toBe('alpha');
      expect(folder.read('beta')).toBe('beta');
    });

    it('is told of a loop of links, and of a link it did not want followed', () => {
      using folder = openFolder({ tree });
      symlinkSync('two', join(folder.work, 'one'));
      symlinkSync('one', join(folder.work, 'two'));
      symlinkSync('a.txt', join(folder.work, 'link'));
      expect(folder.codeOf(() => folder.open('one'))).toBe('loop');
      expect(folder.codeOf(() => folder.open('one/x'))).toBe('loop');
      expect(folder.codeOf(() => folder.open('link', {}, { read: true }, false))).toBe('loop');
    });

    it('is given an error code, not a host exception, for a NUL, an empty path and a name that is too long (reports 6)', () => {
      using folder = openFolder({ tree });
      expect(everyUse(folder, 'a\0b')).toEqual(only('invalid', 8));
      expect(everyChange(folder, 'a\0b')).toEqual(only('invalid', 9));
      expect(everyUse(folder, '')).toEqual(only('no-entry', 8));
      expect(folder.codeOf(() => folder.open('n'.repeat(300)))).toBe('name-too-long');
      expect(folder.codeOf(() => folder.open('d/'.repeat(3000)))).toBe('name-too-long');
      expect(folder.codeOf(() => folder.root.symlinkAt('a\0b', 'link'))).toBe('invalid');
    });

    it('may open the folder by every spelling of itself, without the directory flag (reports 6)', () => {
      using folder = openFolder({ tree });
      for (const path of ['.', './', './.', 'dir/..', 'dir/sub/../..', './/dir/./../']) {
        expect(folder.open(path).getType()).toBe('directory');
      }
    });

    it('is told that a file is no directory when the path ends in a slash', () => {
      using folder = openFolder({ tree });
      symlinkSync('a.txt', join(folder.work, 'link'));
      for (const path of ['a.txt/', 'a.txt/.', 'link/', 'a.txt/x']) {
        expect(
          folder.codeOf(() => folder.open(path)),
          path,
        ).toBe('not-directory');
      }
      expect(folder.codeOf(() => folder.root.unlinkFileAt('a.txt/'))).toBe('not-directory');
      expect(folder.codeOf(() => folder.root.renameAt('a.txt', folder.root, 'c/'))).toBe('not-directory');
      expect(folder.open('dir/').getType()).toBe('directory');
    });

    it('cannot name its own folder to remove, rename or link it', () => {
      using folder = openFolder({ tree });
      for (const path of ['.', './', 'dir/..']) {
        expect(folder.codeOf(() => folder.root.removeDirectoryAt(path))).toBe('invalid');
        expect(folder.codeOf(() => folder.root.renameAt(path, folder.root, 'x'))).toBe('invalid');
        expect(folder.codeOf(() => folder.root.renameAt('dir', folder.root, path))).toBe('invalid');
        expect(folder.codeOf(() => folder.root.createDirectoryAt(path))).toBe('exist');
      }
    });

    it('cannot leave a directory it opened, though the folder around it is its own', () => {
      using folder = openFolder({ tree });
      symlinkSync('../a.txt', join(folder.work, 'dir', 'up'));
      const dir = folder.open('dir', { directory: true });
      expect(folder.codeOf(() => dir.openAt({}, '../a.txt', {}, { read: true }))).toBe('not-permitted');
      expect(folder.codeOf(() => dir.openAt({ symlinkFollow: true }, 'up', {}, { read: true }))).toBe('not-permitted');
    });

    it('is not told where an absolute link points, and may not make one', () => {
      using folder = openFolder({ tree });
      symlinkSync('/etc/passwd', join(folder.work, 'absolute'));
      symlinkSync('dir/b.txt', join(folder.work, 'relative'));
      expect(folder.codeOf(() => folder.root.readlinkAt('absolute'))).toBe('not-permitted');
      expect(folder.root.readlinkAt('relative')).toBe('dir/b.txt');
      expect(folder.codeOf(() => folder.root.symlinkAt('/etc', 'mine'))).toBe('not-permitted');
    });

    it('may make a link that leads outside and cannot use it', () => {
      using folder = openFolder({ tree });
      folder.root.symlinkAt('../outside/secret.txt', 'mine');
      expect(everyUse(folder, 'mine').filter((code) => code !== 'not-permitted')).toEqual(['exist']);
    });

    it('never opens a FIFO, a socket or a device, and never waits for one (reports 1)', async () => {
      using folder = openFolder({ tree });
      execFileSync('mkfifo', [join(folder.work, 'fifo')]);
      symlinkSync('fifo', join(folder.work, 'link'));
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(folder.work, 'socket'), resolve));
      // One that waited would wait for ever.
      for (const path of ['fifo', 'link', 'socket']) {
        for (const flags of [{ read: true }, { write: true }, { read: true, write: true }]) {
          expect(
            folder.codeOf(() => folder.open(path, {}, flags)),
            path,
          ).toBe('not-permitted');
          expect(
            folder.codeOf(() => folder.open(path, { create: true }, flags)),
            path,
          ).toBe('not-permitted');
        }
        expect(folder.root.statAt({}, path).type).not.toBe('regular-file');
      }
      server.close();
    });

    it('leaves no descriptor open, whatever failed on the way', () => {
      using folder = openFolder({ tree });
      symlinkSync('../outside', join(folder.work, 'dir', 'sub', 'out'));
      symlinkSync('loop', join(folder.work, 'loop'));
      const before = openDescriptors();
      for (const path of [
        'dir/sub/out/x',
        'loop/x',
        'dir/sub/../../..',
        'dir/sub/missing/x',
        'dir/b.txt/x',
        'dir/sub',
      ]) {
        everyUse(folder, path);
        everyChange(folder, path);
      }
      folder.close();
      expect(openDescriptors()).toBe(before);
    });
  });
}

describe('a guest on Linux', () => {
  it('links a symbolic link as itself, so the new name leads no further than the old one', () => {
    using folder = openFolder();
    symlinkSync('../outside/secret.txt', join(folder.work, 'out'));
    folder.root.linkAt({}, 'out', folder.root, 'copy');
    expect(lstatSync(join(folder.work, 'copy')).isSymbolicLink()).toBe(true);
    expect(folder.codeOf(() => folder.open('copy'))).toBe('not-permitted');
    expect(folder.codeOf(() => folder.root.linkAt({ symlinkFollow: true }, 'out', folder.root, 'c'))).toBe('invalid');
  });

  it('is refused a device that stands in its folder', () => {
    using folder = openFolder();
    try {
      execFileSync('mknod', [join(folder.work, 'zero'), 'c', '1', '5'], { stdio: 'ignore' });
    } catch {
      // Only root may make a device node; where this test cannot, no guest's neighbour can either.
      return;
    }
    expect(folder.codeOf(() => folder.open('zero'))).toBe('not-permitted');
    expect(folder.root.statAt({}, 'zero').type).toBe('character-device');
  });

  it('keeps working on the directory it opened when somebody renames it away and puts a link in its place', () => {
    using folder = openFolder();
    const dir = folder.open('dir', { directory: true });
    folder.root.renameAt('dir', folder.root, 'gone');
    symlinkSync('../outside', join(folder.work, 'dir'));
    const [bytes] = dir.openAt({}, 'b.txt', {}, { read: true }).read(100n, 0n);
    expect(Buffer.from(bytes).toString()).toBe('beta');
    expect(folder.codeOf(() => folder.open('dir/secret.txt'))).toBe('not-permitted');
  });

  it('reads through a hard link to an outside file that somebody else made: stated, not stopped', () => {
    using folder = openFolder();
    linkSync(join(folder.outside, 'secret.txt'), join(folder.work, 'hard'));
    expect(folder.read('hard')).toBe(secret);
  });

  it('cannot take more than its share of the descriptors of the process', () => {
    using folder = openFolder();
    const opened: unknown[] = [];
    const code = folder.codeOf(() => {
      for (let count = 0; count < 1000; count += 1) opened.push(folder.open('a.txt'));
    });
    expect(code).toBe('insufficient-memory');
    expect(opened).toHaveLength(256);
  });

  it('is told when a path is deeper than the walk goes', () => {
    using folder = openFolder();
    let deep = folder.work;
    for (let level = 0; level < 300; level += 1) deep = join(deep, 'd');
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'x'), '');
    expect(folder.codeOf(() => folder.open(`${'d/'.repeat(300)}x`))).toBe('name-too-long');
    expect(folder.open('d/'.repeat(200)).getType()).toBe('directory');
  });
});
