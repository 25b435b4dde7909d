/**
 * What tests compiled, carried from test to test and from run to run. A test gets hard links into a folder of its own: the files
 * of an entry are never written in place, and every entry is checked before it is used, so what a test does to its folder
 * costs the others a compilation at most. Any number of test processes may lend and keep at once. Not a test.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kept = join(tmpdir(), `mur-test-compiled-${process.getuid?.() ?? 'user'}`);
const isKey = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/** Makes `folder`, with everything that is kept. */
export function lendCompiled(folder: string): void {
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  mkdirSync(folder, { mode: 0o700 });
  for (const key of readdirSync(kept).filter(isKey)) linkEntry(join(kept, key), join(folder, key));
}

/** Keeps what is new in `folder`, which may be gone: whole entries, and the code cache that V8 gave for an entry since. */
export function keepCompiled(folder: string): void {
  if (!existsSync(folder)) return;
  for (const key of readdirSync(folder).filter(isKey)) {
    const [used, held] = [join(folder, key), join(kept, key)];
    const [mine, theirs] = [used, held].map(manifestOf);
    if (mine === undefined) continue;
    if (mine === theirs) linkEntry(used, held);
    else replace(used, held);
  }
}

/** Which file the manifest is. An entry that was built anew, because the kept one did not pass its check, has another one. */
function manifestOf(entry: string): number | undefined {
  return statSync(join(entry, 'manifest.json'), { throwIfNoEntry: false })?.ino;
}

/** Links the files of `from` that `to` lacks. Another process may take either entry away meanwhile: the rest is compiled again. */
function linkEntry(from: string, to: string): void {
  meanwhile(() => {
    mkdirSync(to, { recursive: true, mode: 0o700 });
    const there = new Set(readdirSync(to));
    for (const file of readdirSync(from))
      if (!there.has(file)) meanwhile(() => linkOrCopy(join(from, file), join(to, file)));
  });
}

/** Hard links do not reach another file system, which the temporary folder of a machine may be. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

function replace(used: string, held: string): void {
  const aside = `${held}.${process.pid}`;
  meanwhile(() => renameSync(held, aside));
  meanwhile(() => renameSync(used, held));
  rmSync(aside, { recursive: true, force: true });
}

function meanwhile(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!['ENOENT', 'EEXIST', 'ENOTEMPTY', 'EXDEV'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
