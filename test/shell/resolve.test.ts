import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveProgram } from '../../src/shell/index.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mur-resolve-')));
  for (const folder of ['one', 'two', 'real']) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (file: string, mode = 0o755) => {
  writeFileSync(join(root, file), '#!/bin/sh\n');
  chmodSync(join(root, file), mode);
};
const path = (...folders: string[]) => folders.map((folder) => join(root, folder)).join(':');

test('the first executable regular file wins, with its links resolved', () => {
  put('one/plain', 0o644);
  mkdirSync(join(root, 'one/folder'));
  put('real/target');
  symlinkSync('../real/target', join(root, 'two/plain'));
  put('two/folder');
  expect(resolveProgram('plain', path('one', 'two'))).toBe(join(root, 'real/target'));
  expect(resolveProgram('folder', path('one', 'two'))).toBe(join(root, 'two/folder'));
});

test('nothing is found for other names, a dangling link, or a folder that is not there', () => {
  symlinkSync('nowhere', join(root, 'one/dangling'));
  put('one/tool');
  for (const name of ['', 'dangling', 'missing', join(root, 'one/tool'), './tool', 'to\0ol', '..']) {
    expect(resolveProgram(name, path('one', 'none'))).toBeUndefined();
  }
});

test('an empty or relative entry of the PATH is passed over', () => {
  put('one/tool');
  const before = process.cwd();
  process.chdir(join(root, 'one'));
  try {
    for (const each of ['', ':', '.', '../one']) expect(resolveProgram('tool', each)).toBeUndefined();
  } finally {
    process.chdir(before);
  }
});
