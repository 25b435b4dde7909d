/**
 * Messages of one guest call between main and its worker. Not the guest's contract (protocol.ts) and not the bridge's
 * mechanics (bridge.ts). Both sides are this project's own code; the guest never writes one of these.
 */
import type { MessagePort } from 'node:worker_threads';
import type {
  BridgeRequest,
  ExecutionLimits,
  GuestEvent,
  GuestKind,
  Preopen,
  ToolInput,
  ToolResult,
} from './protocol.js';

/** Initial sizes of what one core module defines, checked against the limits before anything is instantiated. */
export interface ModuleMeta {
  /** Smallest size of each memory the module defines, in 64 KiB pages. */
  readonly memoryPages: readonly number[];
  /** Smallest size of each table the module defines, in elements. */
  readonly tableElements: readonly number[];
}

/** Everything a worker needs for one call. Nothing in it is copied per call but small values: the rest is shared memory. */
export interface CallTask {
  /** Cache key of the component: the worker keeps what it evaluated under it. */
  readonly key: string;
  readonly kind: GuestKind;
  /** The wrapped JavaScript, UTF-8, already verified against its digest. */
  readonly source: SharedArrayBuffer;
  /** V8 code cache for `source`, verified likewise. */
  readonly codeCache: SharedArrayBuffer | undefined;
  readonly modules: ReadonlyMap<string, WebAssembly.Module>;
  /** Import keys the component needs, unversioned as the transpiler writes them. */
  readonly imports: readonly string[];
  /** Key of the export to call, with its version: `murmur:tool/run@0.1.0`. */
  readonly exportKey: string;
  readonly input: ToolInput | undefined;
  readonly limits: ExecutionLimits;
  readonly env: readonly (readonly [string, string])[];
  readonly preopens: readonly Preopen[];
  readonly port: MessagePort;
  /** Bridge flags, see bridge.ts. */
  readonly flags: SharedArrayBuffer;
}

/** What the worker posts on the bridge port. `instantiating` starts the instantiation budget, a `started` event the call's. */
export type WorkerMessage =
  | ({ readonly type: 'request' } & BridgeRequest)
  | { readonly type: 'event'; readonly event: GuestEvent; readonly weight: number }
  | { readonly type: 'instantiating' };

/** Main's answer to a request. */
export type BridgeReply =
  | { readonly status: 'value'; readonly value: unknown }
  /** The import's `err` payload: the guest handles it. */
  | { readonly status: 'payload'; readonly payload: unknown }
  /** The guest traps with this text. */
  | { readonly status: 'fault'; readonly message: string };

/** Why a guest did not return, before the artifact's name and the manifest's words are put around it. */
export type GuestFailure =
  | { readonly kind: 'trap' | 'link-error'; readonly reason: string }
  | { readonly kind: 'exit'; readonly exitCode: number }
  | { readonly kind: 'memory'; readonly wantedBytes: number }
  | { readonly kind: 'table'; readonly wantedElements: number }
  | { readonly kind: 'instances' }
  | { readonly kind: 'value-size'; readonly limitBytes: number };

export interface CallResult {
  readonly failure: GuestFailure | undefined;
  readonly result: ToolResult | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputTruncated: boolean;
  /** From the start of the export to its end, in ms. */
  readonly durationMs: number;
  /** Made once per worker and component, after the second use, when the task brought none. */
  readonly codeCache?: Uint8Array;
  /** V8 did not accept the code cache of the task: another V8 version or other flags. */
  readonly codeCacheRejected?: boolean;
}

export interface TranspileTask {
  readonly bytes: Uint8Array;
}

export interface TranspiledModule {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly meta: ModuleMeta;
}

export type TranspileResult =
  | {
      readonly status: 'built';
      readonly source: Uint8Array;
      readonly modules: readonly TranspiledModule[];
      readonly imports: readonly string[];
    }
  | { readonly status: 'refused'; readonly reason: string };
