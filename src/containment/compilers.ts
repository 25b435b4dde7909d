/**
 * Programs that an allowed compiler driver starts and a composed root would not let it (spec/containment.md 9.5), for the warnings
 * `W-SEC-012` and `W-SEC-029`.
 */
import { execFile } from 'node:child_process';
import { basename, dirname, isAbsolute } from 'node:path';
import { canonicalFile } from './closure.js';
import type { Executables } from './executables.js';
import { canonical } from './host-files.js';
import { findInPath } from './path-search.js';
import { isWithin } from './within.js';

const helpers: Readonly<Record<string, readonly string[]>> = {
  cc: ['cc1', 'cc1plus', 'as', 'ld', 'collect2'],
  gcc: ['cc1', 'cc1plus', 'as', 'ld', 'collect2'],
  'g++': ['cc1plus', 'as', 'ld', 'collect2'],
  'c++': ['cc1plus', 'as', 'ld', 'collect2'],
};
const patienceMs = 5000;

export interface CompilerHelpers {
  /** `folder`: what to grant so that it runs. */
  readonly uncovered: readonly { driver: string; helper: string; path: string; folder: string }[];
  /** Drivers that gave no usable answer. */
  readonly unasked: readonly { driver: string; why: string }[];
}

/**
 * The helpers of allowed drivers that a box would not execute: neither the file of an allowed name nor under a folder whose files may be
 * executed. Lying under `/usr` does not count. A driver runs outside of containment to be asked, so one that the session could have
 * written is not.
 */
export async function compilerHelpers(asked: {
  readonly executables: Pick<Executables, 'binaries' | 'executable' | 'readable'>;
  readonly path: string;
  /** Folders the session may write to. */
  readonly writable: readonly string[];
}): Promise<CompilerHelpers> {
  const { binaries, executable, readable } = asked.executables;
  const granted = readable
    .filter(({ access }) => access === 'execute')
    // Absent ones are left out of a box, too.
    .flatMap(({ path }) => canonical(path) ?? []);
  const drivers = binaries.filter(({ name, first }) => first && Object.hasOwn(helpers, name));
  const uncovered = new Map<string, CompilerHelpers['uncovered'][number]>();
  const unasked: { driver: string; why: string }[] = [];
  for (const { name: driver, path: program } of drivers) {
    if (asked.writable.some((folder) => isWithin(program, folder))) {
      unasked.push({ driver, why: 'it lies where the session can write, so it is not run outside of a box' });
      continue;
    }
    const answers = await Promise.all(helpers[driver]!.map((helper) => locate(program, helper, asked.path)));
    const failed = answers.find((answer) => 'why' in answer);
    if (failed !== undefined && 'why' in failed) unasked.push({ driver, why: failed.why });
    for (const [index, answer] of answers.entries()) {
      const helper = helpers[driver]![index]!;
      if (!('path' in answer) || answer.path === undefined) continue;
      const { path } = answer;
      const isCovered = executable.includes(path) || granted.some((folder) => isWithin(path, folder));
      if (!isCovered && !uncovered.has(path)) uncovered.set(path, { driver, helper, path, folder: dirname(path) });
    }
  }
  return { uncovered: [...uncovered.values()], unasked };
}

/** An absolute path is the helper; the bare name back means that PATH is searched. */
function locate(driver: string, helper: string, path: string): Promise<{ path: string | undefined } | { why: string }> {
  return new Promise((resolve) => {
    execFile(
      driver,
      [`-print-prog-name=${helper}`],
      { cwd: '/', env: { PATH: path, LC_ALL: 'C' }, timeout: patienceMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 },
      (error, stdout) => {
        const said = stdout.trim();
        if (error !== null)
          resolve({ why: `it failed when asked for ${helper} (${String(error.code ?? error.signal)})` });
        else if (isAbsolute(said)) resolve({ path: canonicalFile(said) });
        else if (said === helper) resolve({ path: findInPath(basename(helper), path)[0]?.path });
        else resolve({ path: undefined });
      },
    ).stdin?.end();
  });
}
