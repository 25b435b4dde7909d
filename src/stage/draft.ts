import type { ResolvedArtifact } from '../artifacts/index.js';
import type { HostReport } from '../containment/host.js';
import { MurError, type WarningCode } from '../errors/index.js';
import type { CredentialChange } from '../home/credential.js';
import type { HeldDirectory, MurmurHome, SessionFolders } from '../home/index.js';
import type { ChoiceLimits, ResolvedPrompt } from '../inference/index.js';
import { type LifecycleConfig, overrideLifecycle } from '../manifest/index.js';
import type { NetworkRule } from '../policy/index.js';
import type { ProtectedPaths, ToolAnnotations } from '../protected/index.js';
import type { ScopeReport } from '../scope/index.js';
import type { Clock } from '../supervise/clock.js';
import type { NoticeListener } from '../supervise/notice.js';
import type { ResourceScope } from '../supervise/scope.js';
import type { Inventory } from '../tools/index.js';
import type { CredentialSource, GatewayRoute } from '../wasm/egress/index.js';
import type { Component, WasmHost } from '../wasm/index.js';
import type { Reach } from './containment.js';
import type { NativeTool } from './native.js';
import type { StageRequest } from './request.js';

/** What this host offers, read once (spec/session.md 4.1 step 2). */
export interface HostFacts {
  readonly platform: NodeJS.Platform;
  /** `full` where paths are walked by descriptor, `none` where they are only checked by name (design/wasm.md 5.2). */
  readonly descriptorWalk: 'full' | 'none';
  /** What its kernel can do. Absent when nothing of the session depends on it. */
  readonly host?: HostReport;
}

/** A WASM artifact ready to be called. */
export interface StagedComponent {
  readonly artifact: ResolvedArtifact;
  readonly component: Component;
  /** Where it may connect, after narrowing. */
  readonly network: readonly NetworkRule[];
  /** Folder below the work folder that is its `.`; `.` is the whole folder. */
  readonly filesystemScope: string;
  /** Its credential gateway. */
  readonly route?: GatewayRoute;
}

export interface StagedDriver extends StagedComponent {
  readonly model: string;
  readonly limits: ChoiceLimits;
}

/** The gateway of one artifact, known before its component is compiled. */
export interface GatewayPlan {
  readonly route: GatewayRoute;
  readonly credential: CredentialSource;
}

/**
 * A session being staged: each step fills in what it owns and reads what earlier steps did. Lives outside the chart because it
 * holds bytes, descriptors and secrets.
 */
export class StageDraft {
  readonly request: StageRequest;
  readonly home: MurmurHome;
  readonly clock: Clock;
  readonly scope: ResourceScope;
  readonly wasm: WasmHost;
  readonly notify: NoticeListener;
  readonly lifecycle: LifecycleConfig;

  hostFacts?: HostFacts;
  /** What the session gets of this host. */
  reach?: Reach;
  /** Warnings about it that were given: it may be decided twice. */
  readonly saidOfReach = new Set<string>();
  /** What the session may do, built with the decision and recorded as it is. */
  scopeReport?: ScopeReport;
  networkCeiling?: readonly NetworkRule[];
  resolved?: readonly ResolvedArtifact[];
  gateways: ReadonlyMap<string, GatewayPlan> = new Map();
  limits?: ChoiceLimits;
  systemPrompt?: ResolvedPrompt;
  driver?: StagedDriver;
  tools: ReadonlyMap<string, StagedComponent> = new Map();
  natives: ReadonlyMap<string, NativeTool> = new Map();
  /** Of artifacts with `capabilities.state`, by name. */
  stateStores: ReadonlyMap<string, HeldDirectory> = new Map();
  capsule?: Component;
  sessionId?: string;
  folders?: SessionFolders;
  inventory?: Inventory;
  /** The launch's own task; absent when the session starts without one. */
  taskText?: string | undefined;
  /** Hears what happens to a gateway's key while the session runs; `name` is its entry in the config file. */
  onCredentialChange: (artifact: string, name: string, change: CredentialChange) => void = () => undefined;
  /** Absent for a capsule without `read_only`. */
  protectedPaths?: ProtectedPaths;
  /** What the schemas of its tools say, by tool; read only for a capsule with `read_only`. */
  toolAnnotations: ReadonlyMap<string, ToolAnnotations> = new Map();
  instructions: readonly { readonly path: string; readonly text: string }[] = [];

  constructor(fields: Pick<StageDraft, 'request' | 'home' | 'clock' | 'scope' | 'wasm' | 'notify'>) {
    this.request = fields.request;
    this.home = fields.home;
    this.clock = fields.clock;
    this.scope = fields.scope;
    this.wasm = fields.wasm;
    this.notify = fields.notify;
    this.lifecycle = overrideLifecycle(fields.request.lifecycle, fields.request.lifecycleOverride ?? {});
  }

  warn(code: WarningCode, message: string): void {
    this.notify({ type: 'warning', code, message, origin: 'runtime' });
  }
}

/** A value an earlier step must have filled in. Its absence is a bug in the order of steps. */
export function needed<Value>(value: Value | undefined, step: string): Value {
  if (value === undefined) throw new MurError('E-RUN-007', `staging step '${step}' has not run`);
  return value;
}
