/** A real process that swaps a name between a directory inside and a link to the outside, as fast as it can. Not a test. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Folder } from './folder.js';

const script = `
const fs = require('node:fs');
process.chdir(process.argv[1]);
process.stdout.write('ready');
for (let n = 0; ; n += 1) {
  fs.renameSync('swap', 'inside');
  fs.renameSync('link', 'swap');
  fs.renameSync('swap', 'link');
  fs.renameSync('inside', 'swap');
  fs.renameSync('file', 'plain');
  fs.renameSync('filelink', 'file');
  fs.renameSync('file', 'filelink');
  fs.renameSync('plain', 'file');
}`;

export interface Swapper {
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Starts the swapping of `swap` (directory/link to the outside) and `file` (file/link to the outside) in the work folder. */
export async function startSwapper(folder: Pick<Folder, 'work' | 'outside'>): Promise<Swapper> {
  mkdirSync(join(folder.work, 'swap'));
  writeFileSync(join(folder.work, 'swap', 'secret.txt'), 'inside');
  writeFileSync(join(folder.work, 'file'), 'inside');
  symlinkSync(folder.outside, join(folder.work, 'link'));
  symlinkSync(join('..', 'outside', 'secret.txt'), join(folder.work, 'filelink'));
  const child = spawn(process.execPath, ['-e', script, folder.work], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the swapper ended early with ${code}`)));
  });
  child.removeAllListeners('exit');
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

export interface RaceCount {
  tries: number;
  /** Reached the inside. */
  inside: number;
  /** Reached, changed or learned something outside. Must stay 0. */
  leaks: number;
}

/** For `durationMs`, uses every operation on the swapped names. */
export async function race(folder: Folder, outsideText: string, durationMs: number): Promise<RaceCount> {
  const swapper = await startSwapper(folder);
  const count: RaceCount = { tries: 0, inside: 0, leaks: 0 };
  const secretFile = join(folder.outside, 'secret.txt');
  const outsideBefore = statSync(secretFile, { bigint: true });
  const read = (path: string): void => {
    count.tries += 1;
    const code = folder.codeOf(() => {
      const file = folder.open(path);
      const text = Buffer.from(file.read(100n, 0n)[0]).toString();
      file[Symbol.dispose]();
      if (text === outsideText) count.leaks += 1;
      else count.inside += 1;
    });
    if (code !== undefined && typeof code !== 'string') throw code;
  };
  const attempts: (() => unknown)[] = [
    () => folder.open('swap/made', { create: true }, { write: true })[Symbol.dispose](),
    () => folder.root.createDirectoryAt('swap/madedir'),
    () => folder.root.renameAt('a.txt', folder.root, 'swap/a.txt'),
    () => folder.root.renameAt('swap/a.txt', folder.root, 'a.txt'),
    () => folder.root.unlinkFileAt('swap/made'),
    () => folder.root.removeDirectoryAt('swap/madedir'),
    () => folder.root.linkAt({}, 'swap/secret.txt', folder.root, 'stolen'),
    () => folder.root.symlinkAt('x', 'swap/madelink'),
    () => folder.root.setTimesAt({ symlinkFollow: true }, 'file', { tag: 'now' }, { tag: 'now' }),
    () => folder.open('file', { truncate: true }, { write: true }, true)[Symbol.dispose](),
    () => folder.root.statAt({ symlinkFollow: true }, 'swap/secret.txt'),
  ];
  try {
    const until = performance.now() + durationMs;
    for (let round = 0; performance.now() < until; round += 1) {
      read('swap/secret.txt');
      read('file');
      const code = folder.codeOf(attempts[round % attempts.length]!);
      if (code !== undefined && typeof code !== 'string') throw code;
      if (folder.codeOf(() => folder.root.statAt({}, 'stolen')) === undefined) {
        if (folder.read('stolen') === outsideText) count.leaks += 1;
        folder.root.unlinkFileAt('stolen');
      }
      if (round % 500 === 0 && !swapper.isRunning()) throw new Error('the swapper ended');
    }
  } finally {
    await swapper.stop();
  }
  const after = statSync(secretFile, { bigint: true });
  const untouched = readFileSync(secretFile, 'utf8') === outsideText && after.mtimeNs === outsideBefore.mtimeNs;
  if (!untouched || readdirSync(folder.outside).length !== 1) count.leaks += 1;
  return count;
}
