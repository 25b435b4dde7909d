import { type ContainmentClass, readContainment } from './containment.js';
import { type InstallGrant, installShape, readInstall } from './install.js';
import {
  type LimitsDeclared,
  limitsShape,
  type ResourcesDeclared,
  readLimits,
  readResources,
  resourcesShape,
} from './limits.js';
import { present, trimmed } from './present.js';
import type { Fault } from './report.js';
import { block, flag, text, texts, type z } from './shape.js';
import { readShell, type ShellGrant, shellShape } from './shell.js';
import type { Path } from './tree.js';

/** `capabilities`, capsule-wide or on an artifact entry. Absent denies. */
export const capabilitiesShape = block({
  network: block({ allow: texts(), unix_sockets: flag() }),
  peer_fetch: block({ allow: texts() }),
  filesystem: block({ scope: text(), read_only: texts(), workdir_exec: flag(), records: flag() }),
  shell: shellShape,
  env: block({ allow: texts() }),
  limits: limitsShape,
  resources: resourcesShape,
  containment: text(),
  state: block({ store: text() }),
  conversation: block({ read: flag() }),
  task_io: block({ read: flag() }),
  plan: block({ submit: flag() }),
  install: installShape,
  spawn: block({ allow: texts(), workdir_snapshot: texts() }),
});

export type RawCapabilities = NonNullable<z.infer<typeof capabilitiesShape>>;

/**
 * What a `capabilities:` block declares (spec/manifest.md section 6): capsule-wide, or narrowing one artifact (section 4.3).
 * An absent key stays absent here; defaults are the policy's business (src/policy).
 */
export interface Capabilities {
  readonly network?: {
    /** Absent and `[]` differ on an artifact: inherit the ceiling, or no network. */
    readonly allow?: readonly string[];
    readonly unixSockets: boolean;
  };
  readonly peerFetch?: { readonly allow: readonly string[] };
  readonly filesystem?: {
    readonly scope?: string;
    readonly readOnly: readonly string[];
    readonly workdirExec: boolean;
    /** Hooks only: mounts the session's hook records. */
    readonly records: boolean;
  };
  readonly shell?: ShellGrant;
  readonly env?: { readonly allow: readonly string[] };
  readonly limits?: LimitsDeclared;
  readonly resources?: ResourcesDeclared;
  readonly containment?: ContainmentClass;
  /** `store` absent means the capsule's own name. */
  readonly state?: { readonly store?: string };
  readonly conversation?: { readonly read: boolean };
  /** Hooks only. */
  readonly taskIo?: { readonly read: boolean };
  readonly plan?: { readonly submit: boolean };
  readonly install?: InstallGrant;
  readonly spawn?: { readonly allow: readonly string[]; readonly workdirSnapshot: readonly string[] };
}

/** The declared capabilities under `path`. `owner` decides which blocks make no sense there. */
export function readCapabilities(
  raw: RawCapabilities,
  path: Path,
  owner: 'capsule' | 'hook' | 'tool',
  fault: Fault,
): Capabilities {
  refuseMisplaced(raw, path, owner, fault);
  const { network, filesystem, spawn } = raw;
  return present({
    network: optional(network, (block) => present({ allow: block.allow, unixSockets: block.unix_sockets ?? false })),
    peerFetch: optional(raw.peer_fetch, (block) => {
      const allow = block.allow ?? [];
      if (allow.length === 0) throw fault([...path, 'peer_fetch', 'allow'], 'must contain at least one peer');
      return { allow };
    }),
    filesystem: optional(filesystem, (block) =>
      present({
        scope: trimmed(block.scope),
        readOnly: (block.read_only ?? []).map((entry) => entry.trim()).filter((entry) => entry !== ''),
        workdirExec: block.workdir_exec ?? false,
        records: block.records ?? false,
      }),
    ),
    shell: optional(raw.shell, (block) => readShell(block, [...path, 'shell'], fault)),
    env: optional(raw.env, (block) => ({ allow: block.allow ?? [] })),
    limits: optional(raw.limits, (block) => readLimits(block, [...path, 'limits'], fault)),
    resources: optional(raw.resources, (block) => readResources(block, [...path, 'resources'], fault)),
    containment: optional(trimmed(raw.containment), (word) => readContainment(word, [...path, 'containment'], fault)),
    state: optional(raw.state, (block) => present({ store: block.store ?? undefined })),
    conversation: optional(raw.conversation, (block) => ({
      read: owner === 'hook' ? required(block.read, [...path, 'conversation', 'read'], fault) : (block.read ?? false),
    })),
    taskIo: optional(raw.task_io, (block) => ({ read: required(block.read, [...path, 'task_io', 'read'], fault) })),
    plan: optional(raw.plan, (block) => ({ submit: required(block.submit, [...path, 'plan', 'submit'], fault) })),
    install: optional(raw.install, (block) => readInstall(block, [...path, 'install'], fault)),
    spawn: optional(spawn, (block) => readSpawn(block, [...path, 'spawn'], fault)),
  });
}

function refuseMisplaced(raw: RawCapabilities, path: Path, owner: 'capsule' | 'hook' | 'tool', fault: Fault): void {
  if (isPresent(raw.task_io) && owner !== 'hook') {
    throw fault([...path, 'task_io'], 'only a hook entry may declare task_io');
  }
  if (isPresent(raw.conversation) && owner === 'tool') {
    throw fault([...path, 'conversation'], 'only a hook entry may declare conversation');
  }
  if (isPresent(raw.install) && owner !== 'capsule') {
    throw fault([...path, 'install'], 'install is granted to the whole capsule, not to one artifact');
  }
}

function readSpawn(
  raw: NonNullable<RawCapabilities['spawn']>,
  path: Path,
  fault: Fault,
): NonNullable<Capabilities['spawn']> {
  const allow = raw.allow ?? [];
  const workdirSnapshot = raw.workdir_snapshot ?? [];
  for (const [index, name] of workdirSnapshot.entries()) {
    if (!allow.includes(name)) {
      throw fault([...path, 'workdir_snapshot', index], `'${name}' is not in capabilities.spawn.allow`);
    }
  }
  return { allow, workdirSnapshot };
}

function required(value: boolean | null | undefined, path: Path, fault: Fault): boolean {
  if (value === null || value === undefined) throw fault(path, 'must be written: true or false');
  return value;
}

function optional<T, R>(value: T | null | undefined, read: (value: T) => R): R | undefined {
  return value === null || value === undefined ? undefined : read(value);
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}
