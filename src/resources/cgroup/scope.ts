import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../supervise/clock.js';
import type { CgroupScope, IoMaxOutcome, ResolvedResources } from '../types.js';
import { type Base, prepareBase } from './base.js';
import { askForDelegation, runProgram } from './delegate.js';
import { type CgroupFiles, errnoOf, systemFiles } from './files.js';
import { setIoMax } from './io.js';
import { cpuMax, parseCounter, scopeName } from './parse.js';
import { removeGroup } from './remove.js';

export interface ScopeRequest {
  readonly sessionId: string;
  /** Only fields that have a value are written. */
  readonly resources: ResolvedResources;
  /** Its device is the one `cgroup_io_bytes_per_sec` bounds; the nearest folder that exists will do. */
  readonly workFolder: string;
}

/** What a scope is made with. Tests replace it; nothing else does. */
export interface CgroupHost {
  readonly files: CgroupFiles;
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
  readonly pid: number;
  readonly env: NodeJS.ProcessEnv;
  readonly run: (file: string, args: readonly string[], timeoutMs: number) => Promise<void>;
}

export const systemCgroups: CgroupHost = {
  files: systemFiles,
  clock: systemClock,
  pid: process.pid,
  env: process.env,
  run: runProgram,
};

/** Missing on a kernel without swap accounting. Without it memory beyond the limit would go to swap instead. */
const swapFile = 'memory.swap.max';

const bases = new WeakMap<CgroupHost, Promise<Base>>();
let serial = 0;

/**
 * One cgroup for all native processes of a session, with its limits written, or why there is none (spec/resources.md 4.2). A limit
 * that cannot be written refuses the whole scope, except for disk traffic. The caller closes it after the last process.
 */
export async function openCgroupScope(
  request: ScopeRequest,
  host: CgroupHost = systemCgroups,
): Promise<CgroupScope | { readonly refused: string }> {
  const base = await baseOf(host);
  if ('refused' in base) return base;
  const { files, clock } = host;
  const { resources } = request;
  serial += 1;
  const path = join(base.path, scopeName(request.sessionId, host.pid, serial));
  try {
    await files.mkdir(path);
  } catch (error) {
    return { refused: `the group ${path} cannot be made (${errnoOf(error)})` };
  }
  const refuse = async (what: string, error: unknown) => {
    await removeGroup(files, path, clock);
    return { refused: `${what} of the group ${path} cannot be set (${errnoOf(error)})` };
  };
  for (const [file, text] of limitsOf(resources)) {
    try {
      await files.write(join(path, file), text);
    } catch (error) {
      if (file === swapFile && errnoOf(error) === 'ENOENT') continue;
      return refuse(file, error);
    }
  }
  const ioMax: IoMaxOutcome =
    resources.cgroupIoBytesPerSec === undefined
      ? { status: 'not-required' }
      : await setIoMax(files, path, request.workFolder, resources.cgroupIoBytesPerSec);
  let procsFd: number;
  try {
    procsFd = files.openProcs(join(path, 'cgroup.procs'));
  } catch (error) {
    return refuse('cgroup.procs', error);
  }
  return scopeAt(host, path, procsFd, ioMax);
}

function scopeAt({ files, clock }: CgroupHost, path: string, procsFd: number, ioMax: IoMaxOutcome): CgroupScope {
  let closing: Promise<{ readonly left?: string }> | undefined;
  const count = async (file: string, name: string) =>
    parseCounter(await files.read(join(path, file)).catch(() => ''), name);
  return {
    path,
    procsFd,
    ioMax,
    counters: async () => ({
      oomKill: await count('memory.events', 'oom_kill'),
      pidsMax: await count('pids.events', 'max'),
    }),
    close: () => {
      if (closing === undefined) {
        closeSync(procsFd);
        closing = removeGroup(files, path, clock);
      }
      return closing;
    },
  };
}

function limitsOf(resources: ResolvedResources): (readonly [file: string, text: string])[] {
  const { cgroupMemoryBytes, cgroupPidsMax, cgroupCpuPercent } = resources;
  return [
    ...(cgroupMemoryBytes === undefined
      ? []
      : [['memory.max', `${cgroupMemoryBytes}`] as const, [swapFile, '0'] as const]),
    ...(cgroupPidsMax === undefined ? [] : [['pids.max', `${cgroupPidsMax}`] as const]),
    ...(cgroupCpuPercent === undefined ? [] : [['cpu.max', cpuMax(cgroupCpuPercent)] as const]),
  ];
}

/** Prepared once per process when that succeeds; a failure is looked at again, because an operator may have mended it. */
function baseOf(host: CgroupHost): Promise<Base> {
  const known = bases.get(host);
  if (known !== undefined) return known;
  const made = makeBase(host);
  bases.set(host, made);
  void made.then(
    (base) => 'refused' in base && bases.delete(host),
    () => bases.delete(host),
  );
  return made;
}

async function makeBase({ files, clock, pid, env, run }: CgroupHost): Promise<Base> {
  serial += 1;
  await askForDelegation(files, { pid, serial, env, run }, clock);
  return prepareBase(files, pid);
}
