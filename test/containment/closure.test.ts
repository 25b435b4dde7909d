import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalFile, closureOf } from '../../src/containment/closure.js';
import { craftElf } from './craft-elf.js';

const linux = process.platform === 'linux' && existsSync('/usr/bin/ldd');
const programs = [
  '/bin/bash',
  '/usr/bin/git',
  '/usr/bin/curl',
  '/usr/bin/python3',
  '/usr/bin/perl',
  process.execPath,
].filter((path) => existsSync(path));

/** What the loader itself would load, by its own word. */
function byLoader(path: string): string[] {
  const text = execFileSync('ldd', [path], { encoding: 'utf8' });
  const paths = [...text.matchAll(/(\/\S+) \(0x/g)].map(([, found]) => realpathSync(found!));
  return [...new Set(paths)].sort();
}

describe.runIf(linux)('the closure of a program of this machine', () => {
  test.each(programs)('%s: what its loader lists', (path) => {
    const { loaders, libraries } = closureOf([realpathSync(path)]);
    expect([...loaders, ...libraries].sort()).toEqual(byLoader(path));
  });
});

describe('the closure of a made program', () => {
  let root: string;
  const put = (path: string, content: Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return join(root, path);
  };
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'mur-closure-')));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('follows $ORIGIN, links, the loader, and libraries of libraries by the search path of what asked for them', () => {
    const program = put(
      'bin/p',
      craftElf({ interpreter: join(root, 'ld.so'), needed: ['liba.so'], rpath: '$ORIGIN/../lib:relative' }),
    );
    const loader = put('ld.so.1', craftElf({}));
    symlinkSync('ld.so.1', join(root, 'ld.so'));
    const a = put('lib/liba.so.1', craftElf({ needed: ['libb.so', 'libgone.so'] }));
    symlinkSync('liba.so.1', join(root, 'lib/liba.so'));
    const b = put('lib/libb.so', craftElf({ needed: ['liba.so'] }));
    expect(closureOf([program])).toEqual({ loaders: [loader], libraries: [a, b] });
  });

  test('a RUNPATH of its own replaces what was inherited, and is not inherited', () => {
    const program = put('q', craftElf({ needed: ['libc1.so'], runpath: `${root}/one` }));
    const c = put('one/libc1.so', craftElf({ needed: ['libd1.so'] }));
    put('one/libd1.so', craftElf({}));
    expect(closureOf([program]).libraries).toEqual([c]);
  });

  test('passes over a library for another machine', () => {
    const program = put('r', craftElf({ needed: ['libe.so'], runpath: `${root}/arm:${root}/x64` }));
    put('arm/libe.so', craftElf({ machine: 183 }));
    const right = put('x64/libe.so', craftElf({}));
    expect(closureOf([program]).libraries).toEqual([right]);
  });

  test('of a script, a 32-bit program, a missing file and a folder is nothing', () => {
    const script = put('script', Buffer.from('#!/bin/bash\n'));
    const old = put('old', craftElf({ needed: ['libc.so.6'] }).with(4, 1));
    expect(closureOf([script, old, join(root, 'none'), root])).toEqual({ loaders: [], libraries: [] });
    expect(canonicalFile(root)).toBeUndefined();
  });
});
