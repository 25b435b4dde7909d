import { join } from 'node:path';
import type { Clock } from '../../supervise/clock.js';
import { type CgroupFiles, errnoOf } from './files.js';

const stepMs = 5;
const steps = 200;

/**
 * Kills every process of a group, also those that fork meanwhile, and removes it. Says what stayed: there is no retry later
 * (spec/resources.md 4.2).
 */
export async function removeGroup(
  files: CgroupFiles,
  path: string,
  clock: Pick<Clock, 'sleep'>,
): Promise<{ readonly left?: string }> {
  await files.write(join(path, 'cgroup.kill'), '1').catch(async (error: unknown) => {
    // Before Linux 5.14 there is no such file; a process that forks faster than this is then left to the last word below.
    if (errnoOf(error) === 'ENOENT') await killEach(files, path);
  });
  for (let step = 0; ; step += 1) {
    try {
      await files.rmdir(path);
      return {};
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ENOENT') return {};
      if (errno !== 'EBUSY' || step === steps) return { left: `the group ${path} could not be removed (${errno})` };
      await clock.sleep(stepMs);
    }
  }
}

async function killEach(files: CgroupFiles, path: string): Promise<void> {
  const pids = (await files.read(join(path, 'cgroup.procs')).catch(() => '')).split('\n').filter((line) => line !== '');
  for (const pid of pids) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone since the list was read.
    }
  }
}
