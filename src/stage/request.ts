import type { HostPath } from '../home/config-host-paths.js';
import type { DirectoryIdentity } from '../home/index.js';
import type { LockExpectation } from '../lock/index.js';
import type {
  ArtifactEntry,
  ContainmentClass,
  ContextConfig,
  InferenceConfig,
  LifecycleConfig,
  LifecycleOverride,
  RuntimeManifest,
  TraceConfig,
} from '../manifest/index.js';
import type { CapabilityPolicy } from '../policy/index.js';

/**
 * Everything staging needs to know, decided by the caller (seed `StageRequest`, spec/session.md 2.1). Staging adds nothing from
 * the environment on its own except what the fields below name. Fields of later features join here when the feature does.
 */
export interface StageRequest {
  /** Base of relative `source:` paths, prompt files and the default work folder. */
  readonly manifestDir: string;
  /** The manifest file this launch read, copied into the runtime directory. Absent for a capsule run by name. */
  readonly manifestFile?: string;
  /** Its text as it was read, once: what is copied is what was parsed. */
  readonly manifestText?: string;
  readonly capsuleName: string;
  readonly capsuleVersion: string;
  /** Full name of a capsule launched by name; absent for a project run, which reports as `local/<capsuleName>`. */
  readonly capsuleArtifact?: string;
  /** A script capsule's component. Absent for an agent capsule. */
  readonly capsuleComponent?: Uint8Array;
  /** A file of a capsule launched by name, which has no folder. Absent: its files lie in `manifestDir`. */
  readonly readCapsuleFile?: (path: string) => Promise<Uint8Array>;
  /** In declaration order. */
  readonly artifacts: readonly ArtifactEntry[];
  /**
   * What the project's lock pins, narrowed to this host. Present: every artifact that comes from a store must be among it and
   * have that hash. Absent: nothing is verified.
   */
  readonly lockExpectations?: readonly LockExpectation[];
  /** The project that gets a lock of what staging resolves. Absent for one that has a lock, and for a capsule run by name. */
  readonly createLockIn?: string;
  /** Tools that may be dispatched. Skills and runtime-provided tools are not governed by it. */
  readonly allowlistedTools: ReadonlySet<string>;
  readonly policy: CapabilityPolicy;
  /** The manifest the policy was lowered from, for checks that read more than the policy. */
  readonly manifest: RuntimeManifest;
  /** Absent for a script capsule. */
  readonly inference?: InferenceConfig;
  /** `--system-prompt`: replaces every prompt source; `''` clears them. */
  readonly systemPromptOverride?: string;
  readonly context: ContextConfig;
  /** Every task of the launch runs under it. Absent: a fresh one per task. */
  readonly contextId?: string;
  readonly lifecycle: LifecycleConfig;
  readonly lifecycleOverride?: LifecycleOverride;
  readonly trace: TraceConfig;
  /** The operator's work folder. Absent: one is made for the session. */
  readonly workdir?: string;
  readonly expectedWorkdirIdentity?: DirectoryIdentity;
  readonly bindAddr: string;
  readonly internalPort?: number;
  /** Strongest of manifest, config and command line. Nobody asked: `advisory`. */
  readonly declaredContainmentFloor: ContainmentClass;
  /** Written as `task.md` before the launch. Absent: the work folder's `task.md` or `input.txt` is imported, if there is one. */
  readonly taskInput?: Uint8Array;
  /** Milliseconds left until the session deadline, counted from the call of `launch`. */
  readonly deadlineMs?: number;
  /** Serve live inspection on the door. */
  readonly inspect?: boolean;
  /** The launching environment: what `env.allow` and `${NAME}` may name. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Names that may resolve to private addresses (`network.private_names` of the global config). */
  readonly privateNames: readonly string[];
  /** Folders of this machine lent to contained commands (`host_paths` of the global config). Absent: none. */
  readonly hostPaths?: readonly HostPath[];
  /** The operator's config file, in which `${NAME}` is looked up first and re-read while the session runs. */
  readonly credentialsFile?: string;
}
