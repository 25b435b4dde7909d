import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseHardLimits } from './rlimits.js';
import type { RlimitName } from './types.js';

/**
 * How many threads the uid owns now: the baseline of RLIMIT_NPROC outside of a user namespace (spec/resources.md 3.2). 0 where it
 * cannot be counted. Owners are read from `status`: the directory of a process that is not dumpable belongs to root.
 */
export async function countProcesses(uid: number, proc = '/proc'): Promise<number> {
  const names = await readdir(proc).catch(() => []);
  let threads = 0;
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const status = await readFile(join(proc, name, 'status'), 'latin1').catch(() => '');
    const owner = /^Uid:\t\d+\t(\d+)/m.exec(status)?.[1];
    if (owner !== undefined && Number(owner) === uid) threads += Number(/^Threads:\t(\d+)/m.exec(status)?.[1] ?? 1);
  }
  return threads;
}

/** The hard limits of this process, which no child of it can raise. */
export async function inheritedHardLimits(proc = '/proc'): Promise<Partial<Record<RlimitName, number>>> {
  return parseHardLimits(await readFile(join(proc, 'self', 'limits'), 'latin1').catch(() => ''));
}
