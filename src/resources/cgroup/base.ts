import { join } from 'node:path';
import { type CgroupFiles, errnoOf } from './files.js';
import { baseGroup, parseCgroupMount, parseOwnGroup, supervisorName } from './parse.js';

/** The group scopes are made in, or why none can be made. */
export type Base = { readonly path: string } | { readonly refused: string };

/** Two looks at the same time make two children. */
let probes = 0;

const needed = ['memory', 'pids', 'cpu'];

/**
 * Makes this process's own v2 group ready to hold scopes (spec/resources.md 4.2, steps 2 to 4): what `findBase` looks at, and the
 * controllers handed down to children. Moves this process into a child of the group when that is what handing down takes.
 */
export async function prepareBase(files: CgroupFiles, pid: number): Promise<Base> {
  const found = await findBase(files, pid);
  return 'refused' in found ? found : handDown(files, found.path, pid, found.controllers);
}

/**
 * The group of this process, if it has what scopes need: controllers and the right to make children. Changes nothing, but for a
 * child that is made and removed.
 */
export async function findBase(
  files: CgroupFiles,
  pid: number,
): Promise<{ readonly path: string; readonly controllers: readonly string[] } | { readonly refused: string }> {
  const own = parseOwnGroup(await files.read('/proc/self/cgroup').catch(() => ''));
  if (own === undefined)
    return { refused: 'this host has no cgroup v2 group for mur (no line 0:: in /proc/self/cgroup)' };
  const mounts = await files.read('/proc/mounts').catch(() => '');
  const path = baseGroup(parseCgroupMount(mounts) ?? '/sys/fs/cgroup', own);

  const controllers = words(await files.read(join(path, 'cgroup.controllers')).catch(() => ''));
  const missing = needed.filter((name) => !controllers.includes(name));
  if (missing.length > 0) {
    return { refused: `the group ${path} was not given the controllers ${missing.join(', ')}` };
  }
  probes += 1;
  const probe = join(path, `murmur-probe-${pid}-${probes}`);
  try {
    await files.mkdir(probe);
    await files.rmdir(probe);
  } catch (error) {
    return { refused: `no group can be made in ${path} (${errnoOf(error)}): it is not delegated to this user` };
  }
  return { path, controllers: controllers.includes('io') ? [...needed, 'io'] : needed };
}

async function handDown(files: CgroupFiles, path: string, pid: number, wanted: readonly string[]): Promise<Base> {
  const control = join(path, 'cgroup.subtree_control');
  const enable = async () => {
    const given = words(await files.read(control));
    const absent = wanted.filter((name) => !given.includes(name));
    if (absent.length > 0) await files.write(control, absent.map((name) => `+${name}`).join(' '));
  };
  try {
    await enable().catch(async (error: unknown) => {
      if (errnoOf(error) !== 'EBUSY') throw error;
      // A group that holds processes cannot hand controllers down, and the process it holds is this one.
      const child = join(path, supervisorName);
      await files.mkdir(child).catch((reason: unknown) => {
        if (errnoOf(reason) !== 'EEXIST') throw reason;
      });
      await files.write(join(child, 'cgroup.procs'), `${pid}`);
      await enable();
    });
    return { path };
  } catch (error) {
    return { refused: `the group ${path} cannot hand its controllers to children (${errnoOf(error)})` };
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
