import type { ResolvedResources, Rlimit, RlimitName } from './types.js';

export interface RlimitContext {
  /** Hard limits of the runtime; absent = unlimited. A value above one is lowered to it, because raising it would be refused. */
  readonly inheritedHard: Partial<Readonly<Record<RlimitName, number>>>;
  /** A joined scope bounds processes. It replaces RLIMIT_NPROC, which counts all that the uid owns. */
  readonly hasPidsScope: boolean;
  /** The command counts in a user namespace of its own, from zero. */
  readonly ownUserNamespace: boolean;
  /** What the uid owns already, where it counts (`countProcesses`). */
  readonly baseline: number;
}

/**
 * The limits to set before exec, in the order of spec/resources.md 3.1. Soft = hard, except for CPU: with equal ones the kernel
 * sends SIGKILL and nothing could be attributed to `cpu_seconds` (measured), so the hard limit is one second above the soft one.
 *
 * Does not stop: processes of uid 0, which the kernel exempts from NPROC.
 */
export function rlimitsOf(resources: ResolvedResources, context: RlimitContext): readonly Rlimit[] {
  const limits: Rlimit[] = [];
  const hardOf = (name: RlimitName, value: number) =>
    Math.min(value, context.inheritedHard[name] ?? Number.POSITIVE_INFINITY);
  const set = (name: RlimitName, value: number | undefined) => {
    if (value === undefined) return;
    const hard = hardOf(name, value);
    limits.push({ name, soft: hard, hard });
  };
  set('CORE', resources.noCore ? 0 : undefined);
  if (!context.hasPidsScope) set('NPROC', withHeadroom(resources.maxProcesses, context));
  set('NOFILE', resources.maxOpenFiles);
  set('FSIZE', resources.maxFileSizeBytes);
  if (resources.cpuSeconds !== undefined) {
    const hard = hardOf('CPU', resources.cpuSeconds + 1);
    limits.push({ name: 'CPU', soft: Math.max(1, hard - 1), hard });
  }
  set('AS', resources.memoryBytes);
  return limits;
}

/** `max_processes` is headroom above what the uid has already (spec/resources.md 3.2). */
function withHeadroom(processes: number | undefined, context: RlimitContext): number | undefined {
  if (processes === undefined) return undefined;
  return context.ownUserNamespace ? processes : processes + context.baseline;
}

const rows: readonly (readonly [RlimitName, string])[] = [
  ['CORE', 'Max core file size'],
  ['NPROC', 'Max processes'],
  ['NOFILE', 'Max open files'],
  ['FSIZE', 'Max file size'],
  ['CPU', 'Max cpu time'],
  ['AS', 'Max address space'],
];

/** The hard limits in a text of `/proc/<pid>/limits`; unlimited and unreadable ones are absent. */
export function parseHardLimits(text: string): Partial<Record<RlimitName, number>> {
  const found: Partial<Record<RlimitName, number>> = {};
  for (const line of text.split('\n')) {
    const row = rows.find(([, label]) => line.startsWith(`${label} `));
    if (row === undefined) continue;
    const [name, label] = row;
    const hard = Number(line.slice(label.length).trim().split(/\s+/)[1]);
    if (Number.isSafeInteger(hard)) found[name] = hard;
  }
  return found;
}
