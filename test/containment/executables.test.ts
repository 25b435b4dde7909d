import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compilerHelpers } from '../../src/containment/compilers.js';
import { type ExecutablesAsked, resolveExecutables } from '../../src/containment/executables.js';
import { deriveInterpreter } from '../../src/containment/interpreter.js';
import { networkFileGrants, networkFiles } from '../../src/containment/trust-store.js';
import { craftElf } from './craft-elf.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mur-exec-')));
  for (const folder of ['one', 'two', 'three']) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: string | Uint8Array, mode = 0o755): string {
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
  return join(root, path);
}

const resolve = (allow: readonly string[], more: Partial<ExecutablesAsked> = {}) =>
  resolveExecutables({
    allow,
    path: `relative::${root}/one:${root}/two:${root}/none`,
    interpreterRuntime: [],
    stagedRuntime: [],
    ...more,
  });

const linux = process.platform === 'linux';

describe('the programs of an allowed name', () => {
  test('are all of that name in PATH, links followed, each once; only the first is what it starts', async () => {
    const first = put('one/tool', craftElf({}));
    const second = put('two/tool.real', craftElf({}));
    symlinkSync('tool.real', join(root, 'two/tool'));
    symlinkSync(first, join(root, 'two/same'));
    const { binaries, executable } = await resolve(['tool', 'same', 'absent', '../one/tool']);
    expect(binaries).toEqual([
      { name: 'tool', path: first, first: true, image: 'elf' },
      { name: 'tool', path: second, first: false, image: 'elf' },
      { name: 'same', path: first, first: true, image: 'elf' },
    ]);
    expect(executable).toEqual([first, second]);
  });

  test('are read once, and again when the file is another', async () => {
    const tool = put('one/tool', craftElf({}));
    expect((await resolve(['tool'])).reused).toEqual([]);
    expect((await resolve(['tool'])).reused).toEqual([tool]);
    put('one/tool', craftElf({ needed: ['libx.so'], runpath: root }));
    const library = put('libx.so', craftElf({}));
    const again = await resolve(['tool']);
    expect(again.reused).toEqual([]);
    expect(again.readable.map(({ path }) => path)).toContain(library);
  });

  test('are not folders and not files without the right to execute', async () => {
    mkdirSync(join(root, 'one/tool'));
    put('two/tool', craftElf({}), 0o644);
    expect((await resolve(['tool'])).binaries).toEqual([]);
  });

  test('give a loader the right to run and a library only to be read', async () => {
    const loader = put('ld.so', craftElf({}));
    const library = put('libx.so', craftElf({}));
    const tool = put('one/tool', craftElf({ interpreter: loader, needed: ['libx.so'], runpath: root }));
    const found = await resolve(['tool']);
    expect(found.executable).toEqual([loader, tool].sort());
    expect(found.readable).toContainEqual({ path: library, access: 'read', list: false, required: false });
  });

  test('do not bring the interpreter of a script with them; that it is missing is told', async () => {
    const script = put('one/tool', '#!/bin/sh\n');
    const found = await resolve(['tool']);
    expect(found.executable).toEqual([script]);
    expect(found.binaries[0]).toMatchObject({ image: 'script', missing: [realpathSync('/bin/sh')] });
    const both = await resolve(['tool', 'sh'], { path: `${root}/one:/usr/bin:/bin` });
    expect(both.binaries[0]).not.toHaveProperty('missing');
  });
});

describe('a script that a composed root would leave without its packages', () => {
  const runtime = (binary: string, path: string) => [{ binary, dirs: [{ path, listDir: true }] }];
  test('is named with its interpreter, all of them; programs are not', async () => {
    const [a, b] = [put('one/a', '#!/usr/bin/env -S python3 -u\n'), put('two/b', '#!/opt/x/ruby\n')];
    put('one/c', craftElf({}));
    expect((await resolve(['a', 'b', 'c'])).unreachableScripts).toEqual([
      { name: 'a', path: a, interpreter: 'python3' },
      { name: 'b', path: b, interpreter: 'ruby' },
    ]);
  });
  test.each([
    ['a grant for the name', () => ({ interpreterRuntime: runtime('a', '/opt/x') })],
    ['a grant for its interpreter', () => ({ interpreterRuntime: runtime('python3', '/opt/x') })],
    ['a granted folder around it', () => ({ interpreterRuntime: runtime('other', root) })],
    ['a pinned runtime', () => ({ stagedRuntime: [{ binary: 'a', sourcePath: '/opt/x', pin: '1' }] })],
  ])('is reachable by %s', async (_, more) => {
    put('one/a', '#!/usr/bin/env python3\n');
    expect((await resolve(['a'], more())).unreachableScripts).toEqual([]);
  });
  test.runIf(existsSync('/usr/bin/ldd'))('is reachable below /usr', async () => {
    expect((await resolve(['ldd'], { path: '/usr/bin' })).unreachableScripts).toEqual([]);
  });
});

test('declared folders run and list as declared, pinned trees must be there', async () => {
  const { readable } = await resolve([], {
    interpreterRuntime: [{ binary: 'x', dirs: [{ path: '/opt/x', listDir: false }] }],
    stagedRuntime: [{ binary: 'y', sourcePath: '/opt/y', pin: '1' }],
  });
  expect(readable).toEqual([
    { path: '/opt/y', access: 'execute', list: true, required: true },
    { path: '/opt/x', access: 'execute', list: false, required: false },
  ]);
});

describe('an interpreter is asked where its library is', () => {
  test.runIf(linux && existsSync('/usr/bin/python3'))('CPython', async () => {
    const binary = realpathSync('/usr/bin/python3');
    const derived = (await deriveInterpreter(binary))!;
    const standard = execFileSync(binary, ['-I', '-c', 'import os; print(os.path.dirname(os.__file__))'], {
      encoding: 'utf8',
    });
    expect(derived.dirs).toContain(realpathSync(standard.trim()));
    expect(derived.dirs.some((dir) => dir.endsWith('lib-dynload'))).toBe(true);
    expect(derived.libraries.every((path) => existsSync(path))).toBe(true);
    expect(await deriveInterpreter(binary)).toBe(derived);
  });
  test.runIf(linux && existsSync('/usr/bin/perl'))('Perl', async () => {
    const derived = (await deriveInterpreter(realpathSync('/usr/bin/perl')))!;
    expect(derived.dirs.some((dir) => existsSync(join(dir, 'strict.pm')))).toBe(true);
  });
  test('nothing else is, whatever its name or its symbols', async () => {
    const mark = join(root, 'ran');
    const script = put('one/python3', `#!/bin/sh\ntouch ${mark}\n`);
    const embedding = put('one/gdb', craftElf({ symbols: ['Py_BytesMain'] }));
    const named = put('two/perl', craftElf({}));
    for (const path of [script, embedding, named]) expect(await deriveInterpreter(path)).toBeUndefined();
    expect(existsSync(mark)).toBe(false);
  });
  test('one that cannot start has no folders', async () => {
    const broken = put('one/python3', craftElf({ symbols: ['Py_BytesMain'] }));
    expect(await deriveInterpreter(broken)).toBeUndefined();
  });
  test.runIf(linux && existsSync('/usr/bin/perl'))(
    'not in a folder the session writes, and not when it is pinned',
    async () => {
      const perl = realpathSync('/usr/bin/perl');
      const options = { path: '/usr/bin' };
      expect((await resolve(['perl'], options)).derived.map(({ binary }) => binary)).toEqual([perl]);
      expect((await resolve(['perl'], { ...options, writable: ['/usr/bin'] })).derived).toEqual([]);
      const pinned = { ...options, stagedRuntime: [{ binary: 'perl', sourcePath: '/opt/perl', pin: '5' }] };
      expect((await resolve(['perl'], pinned)).derived).toEqual([]);
    },
  );
});

describe('helpers of a compiler', () => {
  const driver = (text: string) => put('one/cc', `#!/bin/sh\n${text}\n`);
  const ask = async (grantedFolders: readonly string[] = [], allow = ['cc'], writable: readonly string[] = []) => {
    const dirs = grantedFolders.map((path) => ({ path, listDir: false }));
    const executables = await resolve(allow, { interpreterRuntime: [{ binary: 'cc', dirs }] });
    return compilerHelpers({ executables, path: `${root}/one:${root}/two`, writable });
  };
  test('are named when nothing lets them run: absolute answers, and bare ones by PATH', async () => {
    const cc1 = put('two/cc1', craftElf({}));
    const ld = put('two/ld', craftElf({}));
    driver(`case "$1" in *=cc1) echo ${cc1};; *=ld) echo ld;; *=as) echo as;; *) echo odd answer;; esac`);
    const uncovered = [
      { driver: 'cc', helper: 'cc1', path: cc1, folder: join(root, 'two') },
      { driver: 'cc', helper: 'ld', path: ld, folder: join(root, 'two') },
    ];
    expect(await ask()).toEqual({ uncovered, unasked: [] });
    expect(await ask([join(root, 'two')])).toEqual({ uncovered: [], unasked: [] });
    expect((await ask([], ['cc', 'ld'])).uncovered).toEqual(uncovered.slice(0, 1));
  });
  test.runIf(existsSync('/usr/bin/gcc'))('of a compiler of this machine', async () => {
    const executables = await resolve(['gcc'], { path: '/usr/bin' });
    const { uncovered, unasked } = await compilerHelpers({ executables, path: '/usr/bin', writable: [] });
    expect(unasked).toEqual([]);
    expect(uncovered.map(({ helper }) => helper)).toEqual(expect.arrayContaining(['cc1', 'as', 'ld', 'collect2']));
  });
  test('a driver that fails is told as one that could not be asked', async () => {
    driver('exit 3');
    expect(await ask()).toMatchObject({
      uncovered: [],
      unasked: [{ driver: 'cc', why: expect.stringContaining('3') }],
    });
  });
  test('a driver the session could have written is not run outside of a box', async () => {
    driver(`echo run > ${root}/was-run; echo as`);
    expect((await ask([], ['cc'], [join(root, 'one')])).unasked).toEqual([
      { driver: 'cc', why: expect.stringContaining('where the session can write') },
    ]);
    expect(existsSync(join(root, 'was-run'))).toBe(false);
  });
  test('an allowed name covers the file it stands for and no other of that name', async () => {
    const own = put('three/as', craftElf({}));
    put('two/as', craftElf({}));
    driver(`case "$1" in *=as) echo ${own};; *) echo odd answer;; esac`);
    expect((await ask([], ['cc', 'as'])).uncovered).toMatchObject([{ helper: 'as', path: own }]);
    const linked = join(root, 'granted');
    symlinkSync(join(root, 'three'), linked);
    expect((await ask([linked])).uncovered).toEqual([]);
  });
});

describe('certificates and resolver files', () => {
  test('are looked for only when there are both commands and a network', () => {
    const nothing = { trustStore: [], nameResolution: [] };
    expect(networkFiles({ commands: ['curl'], networkAllow: [] })).toEqual(nothing);
    expect(networkFiles({ commands: [], networkAllow: ['a.example'] })).toEqual(nothing);
  });
  test('are those this host has, links followed, and only read', () => {
    const files = networkFiles({ commands: ['curl'], networkAllow: ['a.example'] });
    for (const { path } of [...files.trustStore, ...files.nameResolution]) expect(realpathSync(path)).toBe(path);
    if (existsSync('/etc/ssl')) {
      expect(files.trustStore).toContainEqual({ path: realpathSync('/etc/ssl'), kind: 'directory' });
    }
    expect(networkFileGrants(files).every(({ access, required }) => access === 'read' && !required)).toBe(true);
  });
});
