import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kitOf } from '../../src/sandbox/kit.js';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'mur-kit-')));
  for (const folder of ['bin', 'tool/bin']) mkdirSync(join(home, folder), { recursive: true });
  for (const file of ['bin/mine', 'tool/bin/main']) writeFileSync(join(home, file), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const readOf = (name: string) =>
  kitOf(name, join(home, 'bin'), home).read.filter(
    (folder) => `${home}/`.startsWith(`${folder}/`) || folder.startsWith(home),
  );

describe('the kit of a script', () => {
  test('holds the package it belongs to, wherever the link of PATH lies', () => {
    writeFileSync(join(home, 'tool/package.json'), '{}');
    symlinkSync('../tool/bin/main', join(home, 'bin/tool'));
    expect(readOf('tool')).toEqual([join(home, 'tool')]);
  });

  test('never holds the home of the user, nor what is above it, though a package.json lies there', () => {
    writeFileSync(join(home, 'package.json'), '{}');
    expect(readOf('mine')).toEqual([]);
    const inside = join(home, 'deeper', 'home');
    mkdirSync(inside, { recursive: true });
    expect(kitOf('mine', join(home, 'bin'), inside).read).not.toContain(home);
  });
});
