import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executablesOf, nativeEntrypoint } from '../../src/containment/entrypoint.js';
import { craftElf } from './craft-elf.js';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mur-entrypoint-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, content: string | Uint8Array, mode = 0o644): string => {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, content);
  chmodSync(full, mode);
  return full;
};
const image = '/run/tools/probe/probe';
const needsOf = (content: string | Uint8Array, change: { writable?: string[]; searchPath?: string } = {}) => {
  const bytes = Buffer.from(content);
  const source = {
    size: bytes.length,
    read: (offset: number, length: number) => bytes.subarray(offset, offset + length),
  };
  return nativeEntrypoint(source, { path: image, searchPath: '/usr/bin:/bin', writable: [], ...change });
};
const paths = (grants: readonly { readonly path: string }[]) => grants.map(({ path }) => path);

describe.runIf(process.platform === 'linux')('what an image needs of this host (spec/shell.md 7.1)', () => {
  const sh = realpathSync('/bin/sh');

  test('a script: its interpreter, executable, with the loader and libraries of that one', async () => {
    const needs = await needsOf('#!/bin/sh -e\necho hi\n');
    expect(needs).toMatchObject({ image: 'script', interpreters: [sh], missing: [] });
    expect(needs.runs.some((path) => path.includes('ld-'))).toBe(true);
    expect(paths(needs.readable).some((path) => path.includes('libc'))).toBe(true);
    const box = executablesOf(image, needs);
    expect(box.executable).toEqual([image, ...needs.runs]);
    expect(paths(box.binaries)).toEqual([sh]);
  });

  test('behind env: env, and what it finds in the PATH of the runtime, through any number of scripts', async () => {
    const bin = dirname(put('path/shim', '#!/usr/bin/env sh\n', 0o755));
    const { interpreters } = await needsOf('#!/usr/bin/env -S shim -x\n', { searchPath: `${bin}:/usr/bin:/bin` });
    expect(interpreters).toEqual([join(bin, 'shim'), realpathSync('/usr/bin/env'), sh].sort());
    expect((await needsOf(`#!/usr/bin/env ${sh}\n`)).interpreters).toContain(sh);
  });

  test.each([
    ['is not there', '#!/no/such/program\n', '/no/such/program'],
    ['is not in PATH', '#!/usr/bin/env no-such-program\n', 'no-such-program'],
    ['means another file in every folder', '#!bin/sh\n', 'bin/sh'],
  ])('an interpreter that %s is missing', async (_, text, missing) => {
    expect((await needsOf(text)).missing).toEqual([missing]);
  });

  test('an interpreter that may not be executed, or that a session could have written, is not granted', async () => {
    const plain = put('work/plain', 'hunter2');
    const planted = put('work/planted', craftElf({}), 0o755);
    expect(await needsOf(`#!${plain}\n`)).toMatchObject({ runs: [], readable: [], missing: [plain] });
    const writable = [join(root, 'work')];
    expect(await needsOf(`#!${planted}\n`, { writable })).toMatchObject({ runs: [], missing: [planted] });
    expect(await needsOf(`#!${planted}\n`)).toMatchObject({ runs: [planted], missing: [] });
  });

  test.runIf(existsSync('/usr/bin/python3'))(
    'only an interpreter of the PATH is run to be asked for its folders',
    async () => {
      mkdirSync(join(root, 'py'));
      const own = join(root, 'py', 'python3');
      copyFileSync(realpathSync('/usr/bin/python3'), own);
      const folders = async (searchPath: string) =>
        (await needsOf(`#!${own}\n`, { searchPath })).readable.filter(({ list }) => list).length;
      expect(await folders('/usr/bin:/bin')).toBe(0);
      expect(await folders(dirname(own))).toBeGreaterThan(0);
    },
  );

  test('a program: its loader, executable, and libraries that are libraries, whatever else it names', async () => {
    const loader = put('lib/ld.so', craftElf({}), 0o755);
    const library = put('lib/liba.so', craftElf({}));
    const secret = put('secret', 'hunter2');
    const planted = put('work/libb.so', craftElf({}));
    const needed = ['liba.so', 'libb.so', secret, planted, 'libgone.so'];
    const bytes = craftElf({ interpreter: loader, needed, runpath: `${root}/lib:${root}/work:$ORIGIN` });
    const needs = await needsOf(bytes, { writable: [join(root, 'work')] });
    expect(needs).toMatchObject({ image: 'elf', runs: [loader], interpreters: [] });
    expect(paths(needs.readable).filter((path) => path.startsWith(root))).toEqual([library]);
    expect(needs.missing).toEqual(['libb.so', secret, planted, 'libgone.so'].sort());
  });

  test('a loader that is none, and anything that is neither program nor script, get nothing', async () => {
    const secret = put('secret', 'hunter2');
    expect(await needsOf(craftElf({ interpreter: secret }))).toMatchObject({
      runs: [],
      readable: [],
      missing: [secret],
    });
    for (const bytes of ['', 'plain text', new Uint8Array([0x7f, 0x45, 0x4c, 0x46]), new Uint8Array(64)]) {
      expect(await needsOf(bytes)).toEqual({ image: 'other', runs: [], interpreters: [], readable: [], missing: [] });
    }
  });
});
