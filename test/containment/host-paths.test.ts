import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkHostPaths, hostPathGrants, resolveHostPaths } from '../../src/containment/host-paths.js';

let root: string;
const at = (name: string) => join(root, name);
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mur-lent-')));
  for (const folder of ['home/.ssh', 'home/.murmur', 'home/docs', 'data/inner', 'work/sub']) {
    mkdirSync(at(folder), { recursive: true });
  }
  writeFileSync(at('file'), '');
  symlinkSync(at('data'), at('link'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const resolve = (...entries: [path: string, access?: 'read' | 'read-write'][]) =>
  resolveHostPaths(
    entries.map(([path, access = 'read']) => ({ declared: path, path, access })),
    { userHome: at('home'), murmurHome: at('home/.murmur'), workFolder: at('work') },
  );

test('links are followed, the spelling is kept, and what is lent is required, listable and never executable', () => {
  const paths = resolve([at('link'), 'read-write']);
  const { dev, ino } = statSync(at('data'), { bigint: true });
  const lent = { path: at('data'), access: 'read-write', identity: { dev, ino } };
  expect(paths).toEqual([{ ...lent, declared: at('link'), credentialLocations: [] }]);
  expect(hostPathGrants(paths)).toEqual([{ ...lent, list: true, required: true }]);
});

describe('not lent', () => {
  test.each<[string, () => [string, ('read' | 'read-write')?][], RegExp]>([
    ['a missing folder', () => [[at('none')]], /no such folder/],
    ['a file', () => [[at('file')]], /no folder/],
    ['a system folder', () => [['/etc']], /belongs to the system/],
    ['the root', () => [['/']], /belongs to the system/],
    ['where a system link leads', () => [['/bin']], /belongs to the system/],
    ['anything of the kernel', () => [['/proc/self']], /belongs to the system/],
    ['all homes', () => [['/root']], /belongs to the system/],
    ['the home of mur, writable', () => [[at('home/.murmur'), 'read-write']], /home of mur/],
    ['what holds the home of mur, writable', () => [[at('home'), 'read-write']], /home of mur/],
    [
      'a folder inside of a writable one',
      () => [
        [at('data'), 'read-write'],
        [at('data/inner'), 'read'],
      ],
      /replace \S+inner by a link/,
    ],
    [
      'a writable folder around one',
      () => [
        [at('data/inner'), 'read'],
        [at('data'), 'read-write'],
      ],
      /replace \S+inner by a link/,
    ],
    ['a part of the work folder', () => [[at('work/sub')]], /work folder/],
    [
      'the same folder twice, by another name',
      () => [[at('data')], [at('link')]],
      /host_paths\[1\].*same folder as host_paths\[0\]/,
    ],
  ])('%s', (_, entries, why) => {
    expect(() => resolve(...entries())).toThrow(
      expect.objectContaining({ code: 'E-CAP-901', message: expect.stringMatching(why) }),
    );
  });
});

test('what holds the work folder is not lent for writing: a command could replace the work folder by a link', () => {
  mkdirSync(at('projects/work'), { recursive: true });
  const lend = (access: 'read' | 'read-write') =>
    resolveHostPaths([{ declared: at('projects'), path: at('projects'), access }], {
      userHome: at('home'),
      murmurHome: at('home/.murmur'),
      workFolder: at('projects/work'),
    });
  expect(() => lend('read-write')).toThrow(/work folder, which a command could replace/);
  expect(lend('read')).toHaveLength(1);
});

test('credentials that a folder is, lies in or holds are named', () => {
  expect(resolve([at('home')], [at('home/.ssh')], [at('home/docs')]).map((each) => each.credentialLocations)).toEqual([
    ['~/.ssh', '~/.murmur'],
    ['~/.ssh'],
    [],
  ]);
});

describe('a writable folder over what the session runs is refused', () => {
  const session = (over: object) => ({ executables: { executable: [], readable: [], ...over } });
  const grant = (path: string) => ({ path, access: 'read' as const, list: false, required: false });
  test('a program, a library, a folder of an interpreter, an executable work folder', () => {
    const paths = resolve([at('data'), 'read-write']);
    const refused = expect.objectContaining({ code: 'E-CAP-901', message: expect.stringContaining('host_paths[0]') });
    expect(() => checkHostPaths(paths, session({ executable: [at('data/inner/tool')] }))).toThrow(refused);
    expect(() => checkHostPaths(paths, session({ readable: [grant(at('data/libx.so'))] }))).toThrow(refused);
    expect(() => checkHostPaths(paths, session({ readable: [grant(root)] }))).toThrow(refused);
    expect(() => checkHostPaths(paths, { ...session({}), executableWorkFolder: at('data/inner') })).toThrow(refused);
    expect(() => checkHostPaths(paths, session({ executable: ['/usr/bin/env'] }))).not.toThrow();
  });
  test('one that is only read is not', () => {
    expect(() => checkHostPaths(resolve([at('data')]), session({ executable: [at('data/tool')] }))).not.toThrow();
  });
});
