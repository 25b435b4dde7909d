import type { ContainmentClass } from './containment.js';
import type { InstallGrant } from './install.js';
import type { LimitsDeclared, ResourcesDeclared } from './limits.js';
import type { ShellGrant } from './shell.js';

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
