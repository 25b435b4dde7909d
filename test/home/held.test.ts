import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { holdDirectory } from '../../src/home/held.js';
import type { HeldDirectory } from '../../src/home/types.js';
import { codeOf, heldFolder, temporaryFolder } from './temporary.js';

const limit = { limitBytes: 1024 };
const anchors = process.platform === 'linux' ? (['descriptor', 'path'] as const) : (['path'] as const);

describe.each(anchors)('a held directory, walked by %s', (anchor) => {
  const held = (): HeldDirectory => heldFolder({ anchor });

  test('writes a file with its parents and exactly the mode asked for, and reads it back', () => {
    const root = held();
    root.writeFile('a/b/c.txt', 'hello', { mode: 0o755 });
    expect(root.readFile('a/b/c.txt', limit)?.toString()).toBe('hello');
    expect(statSync(join(root.path, 'a/b/c.txt')).mode & 0o777).toBe(0o755);
  });

  test('replaces a file in one step and leaves no staged file', () => {
    const root = held();
    root.writeFile('f', 'old');
    const before = statSync(join(root.path, 'f')).ino;
    root.writeFile('f', 'new');
    expect(statSync(join(root.path, 'f')).ino).not.toBe(before);
    expect(readdirSync(root.path)).toEqual(['f']);
  });

  test('leaves no staged file when the target is a folder', () => {
    const root = held();
    root.mkdir('taken/inside', 0o755);
    expect(codeOf(() => root.writeFile('taken', 'x'))).toBe('E-IO-003');
    expect(readdirSync(root.path)).toEqual(['taken']);
  });

  test('makes no parents when told not to', () => {
    expect(codeOf(() => held().writeFile('a/b', 'x', { mkdirs: false }))).toBe('E-IO-001');
  });

  test.each(['../x', 'a/../../x', '/etc/passwd', 'a\0b', '', '.'])('refuses to read %j and latches', (rel) => {
    const root = held();
    expect(codeOf(() => root.readFile(rel, limit))).toBe('E-RUN-906');
    expect(root.latch.refused).toBeDefined();
  });

  test('refuses a link as the last component, to a file, to nowhere and to a folder', () => {
    const root = held();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(join(outside, 'secret'), join(root.path, 'file'));
    symlinkSync(join(outside, 'made'), join(root.path, 'nowhere'));
    symlinkSync(outside, join(root.path, 'folder'));
    for (const name of ['file', 'nowhere']) {
      expect(codeOf(() => root.readFile(name, limit))).toBe('E-RUN-906');
      expect(codeOf(() => root.writeFile(name, 'x'))).toBe('E-RUN-906');
      expect(codeOf(() => root.openAppend(name, 0o600))).toBe('E-RUN-906');
    }
    for (const rel of ['folder', 'nowhere']) {
      expect(codeOf(() => root.list(rel))).toBe('E-RUN-906');
      expect(codeOf(() => root.openDirectory(rel))).toBe('E-RUN-906');
      expect(codeOf(() => root.mkdir(rel, 0o755))).toBe('E-RUN-906');
      expect(codeOf(() => root.hold(rel, { mode: 0o700 }))).toBe('E-RUN-906');
    }
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  test('refuses a link in the middle, also one that stays inside', () => {
    const root = held();
    root.writeFile('real/f', 'x');
    symlinkSync('real', join(root.path, 'alias'));
    expect(codeOf(() => root.readFile('alias/f', limit))).toBe('E-RUN-906');
    expect(codeOf(() => root.writeFile('alias/g', 'x'))).toBe('E-RUN-906');
    expect(codeOf(() => root.stat('alias/f'))).toBe('E-RUN-906');
    expect(readdirSync(join(root.path, 'real'))).toEqual(['f']);
  });

  test('tells the facts of a link itself, not of what it points to', () => {
    const root = held();
    symlinkSync('/etc/passwd', join(root.path, 'link'));
    expect(root.stat('link')).toMatchObject({ kind: 'link' });
    expect(root.list('.')).toEqual([{ name: 'link', kind: 'link' }]);
    expect(root.latch.refused).toBeUndefined();
  });

  test('a missing file reads as undefined, a missing folder does not list', () => {
    const root = held();
    expect(root.readFile('none', limit)).toBeUndefined();
    expect(root.readFile('none/deeper', limit)).toBeUndefined();
    expect(root.stat('none')).toBeUndefined();
    expect(codeOf(() => root.list('none'))).toBe('E-IO-001');
  });

  test('reads up to the limit and not one byte more', () => {
    const root = held();
    root.writeFile('f', 'x'.repeat(1024));
    expect(root.readFile('f', limit)).toHaveLength(1024);
    root.writeFile('f', 'x'.repeat(1025));
    expect(codeOf(() => root.readFile('f', limit))).toBe('E-IO-003');
  });

  test('a FIFO neither hangs a read nor an append', () => {
    const root = held();
    execFileSync('mkfifo', [join(root.path, 'pipe')]);
    // A read that waited would wait for ever.
    expect(codeOf(() => root.readFile('pipe', limit))).toBe('E-IO-003');
    expect(codeOf(() => root.openAppend('pipe', 0o600))).toBe('E-IO-003');
  });

  test('a socket is not read', async () => {
    const root = held();
    const server = createServer().listen(join(root.path, 's'));
    await once(server, 'listening');
    expect(codeOf(() => root.readFile('s', limit))).toBe('E-IO-003');
    server.close();
  });

  test('removes a tree without following links out of it', () => {
    const root = held();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'keep'), 'x');
    root.writeFile('tree/a/b', 'x');
    symlinkSync(outside, join(root.path, 'tree/out'));
    symlinkSync('nowhere', join(root.path, 'tree/dangling'));
    execFileSync('mkfifo', [join(root.path, 'tree/a/pipe')]);
    expect(root.remove('tree')).toBe(true);
    expect(root.remove('tree')).toBe(false);
    expect(readdirSync(outside)).toEqual(['keep']);
  });

  test('removes a tree far deeper than it may hold descriptors, with names that are no UTF-8', () => {
    const root = held();
    root.mkdir('deep', 0o755);
    // Step by step in a process of its own: a path this long cannot be given to the system at once.
    const steps = `const name='d'.repeat(40);for(let i=0;i<300;i++){fs.mkdirSync(name);process.chdir(name)}`;
    execFileSync(process.execPath, ['-e', steps], { cwd: join(root.path, 'deep') });
    mkdirSync(Buffer.concat([Buffer.from(`${root.path}/deep/`), Buffer.from([0xff, 0xfe])]));
    writeFileSync(Buffer.concat([Buffer.from(`${root.path}/deep/`), Buffer.from([0xff, 0xfe, 0x2f, 0xfd])]), 'x');
    expect(root.remove('deep')).toBe(true);
    expect(existsSync(join(root.path, 'deep'))).toBe(false);
  });

  test('holds a folder below with the mode asked for, narrowing what is wider on the way', () => {
    const root = held();
    mkdirSync(join(root.path, 'a'));
    chmodSync(join(root.path, 'a'), 0o777);
    const below = root.hold('a/b', { mode: 0o700 });
    expect(statSync(join(root.path, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(join(root.path, 'a/b')).mode & 0o777).toBe(0o700);
    expect(below.latch).toBe(root.latch);
    expect(below.path).toBe(join(root.path, 'a/b'));
    below.writeFile('f', 'x');
    expect(root.readFile('a/b/f', limit)?.toString()).toBe('x');
    below.close();
  });

  test('hands out a descriptor of a directory below', () => {
    const root = held();
    root.mkdir('scope', 0o755);
    const fd = root.openDirectory('scope');
    expect(fstatSync(fd).ino).toBe(statSync(join(root.path, 'scope')).ino);
    closeSync(fd);
  });

  test('does nothing once it is closed', () => {
    const root = holdDirectory(temporaryFolder(), { anchor });
    root.close();
    root.close();
    expect(codeOf(() => root.list('.'))).toBe('E-IO-003');
  });

  test('no relative path of any shape reaches a file outside', () => {
    const outer = temporaryFolder();
    mkdirSync(join(outer, 'in/sub'), { recursive: true });
    writeFileSync(join(outer, 'secret'), 'secret');
    symlinkSync('..', join(outer, 'in/up'));
    symlinkSync('../..', join(outer, 'in/sub/up'));
    symlinkSync(outer, join(outer, 'in/sub/abs'));
    const root = holdDirectory(join(outer, 'in'), { anchor });
    const piece = fc.constantFrom('..', '.', '', 'up', 'sub', 'abs', 'in', 'secret', '/', '\0', 'secret/..');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const rel = pieces.join('/');
        let read: Buffer | undefined;
        try {
          read = root.readFile(rel, limit);
        } catch {
          // A refusal is the right answer; reading is what must not happen.
        }
        expect(read).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    root.close();
  });
});

describe('a held directory', () => {
  test('stays the directory it was opened at when its name is taken by another', () => {
    const outer = temporaryFolder();
    mkdirSync(join(outer, 'work'));
    const root = holdDirectory(join(outer, 'work'));
    execFileSync('bash', ['-c', 'mv work moved && mkdir work && echo other > work/f'], { cwd: outer });
    if (process.platform === 'linux') expect(root.readFile('f', limit)).toBeUndefined();
    root.close();
  });

  test.runIf(process.platform === 'linux')('never reads outside while a component is swapped for a link', async () => {
    const outer = temporaryFolder();
    mkdirSync(join(outer, 'out'));
    mkdirSync(join(outer, 'work/real'), { recursive: true });
    writeFileSync(join(outer, 'out/f'), 'outside');
    writeFileSync(join(outer, 'work/real/f'), 'inside');
    const racer = spawn(
      process.execPath,
      [
        '-e',
        `const fs=require('fs');fs.symlinkSync('../out','link');process.stdout.write('go');
         for(;;){fs.renameSync('real','swap');fs.renameSync('swap','real');
                 fs.renameSync('real','kept');fs.renameSync('link','real');fs.renameSync('real','link');fs.renameSync('kept','real');}`,
      ],
      { cwd: join(outer, 'work'), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(racer.stdout, 'data');
    const root = holdDirectory(join(outer, 'work'));
    const seen = new Set<string>();
    const end = performance.now() + 1500;
    while (performance.now() < end) {
      try {
        seen.add(root.readFile('real/f', limit)?.toString() ?? 'missing');
      } catch (error) {
        seen.add((error as { code: string }).code);
      }
    }
    racer.kill('SIGKILL');
    await once(racer, 'exit');
    root.close();
    expect(seen).toContain('inside');
    expect(seen).not.toContain('outside');
  });

  test('announces the first refusal once', () => {
    const root = heldFolder();
    const heard = vi.fn();
    root.latch.onRefusal = heard;
    codeOf(() => root.readFile('../a', limit));
    codeOf(() => root.readFile('../b', limit));
    expect(heard).toHaveBeenCalledOnce();
    expect(root.latch.refused).toContain('..');
  });

  test('does not write through a hard link: the other name keeps its bytes', () => {
    const root = heldFolder();
    root.writeFile('a', 'old');
    linkSync(join(root.path, 'a'), join(root.path, 'b'));
    root.writeFile('a', 'new');
    expect(root.readFile('b', limit)?.toString()).toBe('old');
  });

  test('names the path it was opened at in errors, never a descriptor', () => {
    const root = heldFolder();
    expect(() => root.list('none')).toThrow(`cannot list ${join(root.path, 'none')}: no such file or directory`);
  });

  test('opens through a link in its own path, because that path is the caller’s', () => {
    const outer = temporaryFolder();
    mkdirSync(join(outer, 'real'));
    symlinkSync('real', join(outer, 'alias'));
    const root = holdDirectory(join(outer, 'alias'));
    root.writeFile('f', 'x');
    expect(readlinkSync(join(outer, 'alias'))).toBe('real');
    expect(readdirSync(join(outer, 'real'))).toEqual(['f']);
    root.close();
  });

  test('a folder that is missing or a file cannot be held', () => {
    const outer = temporaryFolder();
    writeFileSync(join(outer, 'f'), '');
    expect(codeOf(() => holdDirectory(join(outer, 'none')))).toBe('E-IO-001');
    expect(codeOf(() => holdDirectory(join(outer, 'f')))).toBe('E-IO-003');
  });
});
