import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../workers/wasi/fs/descriptor.js';
import { portableTree } from '../../../workers/wasi/fs/tree.js';
import { type Folder, openFolder } from './folder.js';

const now = { tag: 'now' } as const;
const write = { read: true, write: true };
const mutable = { read: true, mutateDirectory: true };

/** `rules` and `a/rules` are protected, `new/rules` is not there, `linked` leads to `target`. */
function openProtected(rest: Parameters<typeof openFolder>[0] = {}): Folder {
  return openFolder({
    protect: ['rules', 'a/rules', 'new/rules', 'linked', 'target', 'one.txt'],
    prepare: (work) => {
      for (const folder of ['rules/deep', 'a/rules', 'target']) mkdirSync(join(work, folder), { recursive: true });
      for (const file of ['rules/f', 'rules/deep/f', 'a/rules/f', 'target/f', 'one.txt', 'free']) {
        writeFileSync(join(work, file), 'kept');
      }
      symlinkSync('rules', join(work, 'alias'));
      symlinkSync('rules/deep/f', join(work, 'file-alias'));
      symlinkSync('target', join(work, 'linked'));
      linkSync(join(work, 'rules', 'f'), join(work, 'second-name'));
    },
    ...rest,
  });
}

/** Everything that changes the file `f`, or something beside it, in `dir`. */
function changes(dir: Descriptor, free: Descriptor, prefix = ''): readonly (() => unknown)[] {
  const f = `${prefix}f`;
  return [
    () => dir.openAt({}, f, {}, { write: true }),
    () => dir.openAt({}, f, { truncate: true }, { read: true }),
    () => dir.openAt({}, f, { create: true }, { read: true }),
    () => dir.openAt({}, `${prefix}new`, { create: true, exclusive: true }, { write: true }),
    () => dir.createDirectoryAt(`${prefix}new`),
    () => dir.unlinkFileAt(f),
    () => dir.removeDirectoryAt(`${prefix}f`),
    () => dir.renameAt(f, free, 'out'),
    () => free.renameAt('free', dir, `${prefix}in`),
    () => dir.linkAt({}, f, free, 'out'),
    () => free.linkAt({}, 'free', dir, `${prefix}in`),
    () => dir.symlinkAt('free', `${prefix}in`),
    () => dir.setTimesAt({}, f, now, now),
  ];
}

for (const [name, tree] of [
  ['by descriptor', undefined],
  ['by name', portableTree],
] as const) {
  const open = () => openProtected(tree === undefined ? {} : { tree });
  describe(`a protected path, walked ${name}`, () => {
    it.each([
      'rules/',
      './rules/deep/../',
      'a/../rules/',
      'alias/',
      'a/rules/',
      'linked/',
      'target/',
      'linked/../target/',
    ])('is read and not changed as %s', (prefix) => {
      using folder = open();
      const { root } = folder;
      expect(folder.read(`${prefix}f`)).toBe('kept');
      const codes = changes(root, root, prefix).map((act) => folder.codeOf(act));
      expect(codes).toEqual(codes.map(() => 'read-only'));
      expect(folder.codeOf(() => root.openAt({ symlinkFollow: true }, `${prefix}f`, {}, { write: true }))).toBe(
        'read-only',
      );
    });

    it.each(['rules', 'alias', 'a/rules', 'linked'])('stays so through a directory opened as %s', (path) => {
      using folder = open();
      const dir = folder.open(path, { directory: true }, mutable);
      const again = dir.openAt({}, '.', { directory: true }, mutable);
      for (const each of [dir, again]) {
        const codes = changes(each, folder.root).map((act) => folder.codeOf(act));
        expect(codes).toEqual(codes.map(() => 'read-only'));
        expect(folder.codeOf(() => each.setTimes(now, now))).toBe('read-only');
        expect(each.getFlags().mutateDirectory).toBe(false);
      }
    });

    it('is itself not moved, replaced, linked or removed, and neither is what it lies in', () => {
      using folder = open();
      const { root } = folder;
      const acts = [
        () => root.renameAt('rules', root, 'old'),
        () => root.renameAt('a', root, 'old'),
        () => root.renameAt('dir', root, 'rules'),
        () => root.renameAt('dir', root, 'a'),
        () => root.renameAt('dir', root, 'new'),
        () => root.symlinkAt('dir', 'new'),
        () => root.removeDirectoryAt('rules'),
        () => root.unlinkFileAt('one.txt'),
        () => root.unlinkFileAt('linked'),
        () => root.renameAt('linked', root, 'old'),
        () => root.renameAt('free', root, 'one.txt'),
        () => root.openAt({}, 'one.txt', {}, { write: true }),
        () => root.openAt({ symlinkFollow: true }, 'file-alias', {}, { write: true }),
        () => root.setTimesAt({}, 'rules', now, now),
        () => root.setTimesAt({ symlinkFollow: true }, 'alias', now, now),
      ];
      const codes = acts.map((act) => folder.codeOf(act));
      expect(codes).toEqual(codes.map(() => 'read-only'));
      expect(existsSync(join(folder.work, 'a', 'rules', 'f'))).toBe(true);
    });

    it('is not made where there is none, but what it lies in is', () => {
      using folder = open();
      const { root } = folder;
      root.createDirectoryAt('new');
      root.createDirectoryAt('new/other');
      expect(folder.codeOf(() => root.createDirectoryAt('new/rules'))).toBe('read-only');
      const dir = folder.open('new', { directory: true }, mutable);
      expect(folder.codeOf(() => dir.createDirectoryAt('rules'))).toBe('read-only');
      expect(folder.codeOf(() => dir.openAt({}, 'rules', { create: true }, write))).toBe('read-only');
      expect(folder.codeOf(() => root.renameAt('new', root, 'old'))).toBe('read-only');
      expect(folder.codeOf(() => root.createDirectoryAt('rules'))).toBe('exist');
      expect(existsSync(join(folder.work, 'new', 'rules'))).toBe(false);
    });

    it('leaves everything else as writable as it was', () => {
      using folder = open();
      const { root } = folder;
      expect(
        changes(root, root, 'dir/')
          .map((act) => folder.codeOf(act))
          .filter((code) => code === 'read-only'),
      ).toEqual([]);
      const file = root.openAt({}, 'a/new', { create: true }, write);
      file.write(Buffer.from('x'), 0n);
      root.unlinkFileAt('alias');
      root.createDirectoryAt('rules2');
      root.renameAt('rules2', root, 'a/rules2');
      expect(readFileSync(join(folder.work, 'a', 'new'), 'utf8')).toBe('x');
    });

    it('does not stop a second name that was there before', () => {
      using folder = open();
      folder.root.openAt({}, 'second-name', {}, { write: true }).write(Buffer.from('gone'), 0n);
      expect(readFileSync(join(folder.work, 'rules', 'f'), 'utf8')).toBe('gone');
    });
  });
}
