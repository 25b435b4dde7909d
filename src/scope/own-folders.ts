import { join } from 'node:path';
import { belowTmp } from '../containment/mounts.js';
import { isWithin } from '../containment/within.js';
import type { ProtectedFolder, ScopeContainment, ScopeFolders, ScopeInput, ScopeReport } from './types.js';

/** A folder of the runtime's own, and what keeps commands from writing it. */
export function protectedFolder(path: string, work: string, containment: ScopeContainment): ProtectedFolder {
  const { tier } = containment;
  const enforcedBy = tier === 'sealed' ? 'mountns+landlock' : tier === 'full' ? 'landlock' : null;
  const because = isWithin(path, work)
    ? 'it lies inside the work folder, which commands may write'
    : enforcedBy === null
      ? (containment.noTierBecause ?? `the mechanism '${containment.mechanism}' has no rules for files`)
      : null;
  return {
    path,
    read_only_to_commands: because === null,
    enforced_by: because === null ? enforcedBy : null,
    not_protected_because: because,
  };
}

/** Where temporary files of commands go (spec/containment.md 13). */
export function temporaryFolder(
  { records, work, runtime }: ScopeFolders,
  containment: ScopeContainment,
  shown: readonly string[] = [],
): ScopeReport['temp_dir'] {
  const below = belowTmp([work, records, runtime, ...shown]);
  const because =
    below !== undefined
      ? `${below} is /tmp or lies below it`
      : containment.tier === 'sealed'
        ? null
        : containment.tier === 'none'
          ? (containment.noTierBecause ?? 'no kernel mechanism applies')
          : null;
  return { path: join(records, 'tmp'), maps_tmp: because === null, not_mapped_because: because };
}

/** What the runtime writes of its own for this session, below the user's home and the project. */
export function runtimeWrites({ folders, manifest }: ScopeInput): ScopeReport['runtime_writes'] {
  const { home } = folders;
  const store = recordStoreOf(manifest);
  return [
    ...(folders.isWorkMade ? [{ path: folders.work, holds: 'the work folder, made empty' }] : []),
    { path: folders.runtime, holds: 'the notice, the task, copies of manifests; removed at the end' },
    { path: folders.records, holds: 'trace, event log, logs, results; kept' },
    { path: join(home, 'running'), holds: 'the running record; removed at the end' },
    ...(store === null ? [] : [{ path: join(home, 'conversations', store), holds: 'the conversation record; kept' }]),
    { path: join(home, 'compiled'), holds: 'compiled components; may be deleted' },
  ];
}

/** The conversation store of a capsule; null when it records none. */
export function recordStoreOf({ inference, context, name }: ScopeInput['manifest']): string | null {
  return inference !== undefined && context.record ? (context.recordStore ?? name) : null;
}
