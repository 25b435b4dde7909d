/**
 * Programs that an allowed compiler driver starts and a composed root would not let it (spec/containment.md 9.5), for the warnings
 * `W-SEC-012` and `W-SEC-029`.
 */
import { execFile } from 'node:child_process';
import { basename, dirname, isAbsolute } from 'node:path';
import { canonicalFile } from './closure.js';
import type { Binary } from './executables.js';
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
 * The helpers of allowed drivers that are neither allowed themselves nor under a granted folder; lying under `/usr` does not count.
 * A driver runs outside of containment to be asked, so `binaries` should be of the host, not of a folder a session can write.
 */
export async function compilerHelpers(asked: {
  readonly binaries: readonly Binary[];
  readonly path: string;
  readonly grantedFolders: readonly string[];
}): Promise<CompilerHelpers> {
  const drivers = asked.binaries.filter(({ name, first }) => first && Object.hasOwn(helpers, name));
  const uncovered = new Map<string, CompilerHelpers['uncovered'][number]>();
  const unasked: { driver: string; why: string }[] = [];
  for (const { name: driver, path: program } of drivers) {
    const answers = await Promise.all(helpers[driver]!.map((helper) => locate(program, helper, asked.path)));
    const failed = answers.find((answer) => 'why' in answer);
    if (failed !== undefined && 'why' in failed) unasked.push({ driver, why: failed.why });
    for (const [index, answer] of answers.entries()) {
      const helper = helpers[driver]![index]!;
      if (!('path' in answer) || answer.path === undefined) continue;
      const { path } = answer;
      const isCovered =
        asked.grantedFolders.some((folder) => isWithin(path, folder)) ||
        asked.binaries.some((binary) => binary.name === helper || binary.path === path);
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
