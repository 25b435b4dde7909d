/**
 * The host side of WASM execution, as the rest of mur uses it. Not the worker (workers/), not policy lowering (src/policy).
 * Read next: pool.ts (calls), cache.ts (compiled forms), egress/ (the only place that opens sockets for guests).
 */
import type {
  CallFailure,
  ExecutionLimits,
  GuestEvent,
  GuestKind,
  Preopen,
  ToolInput,
  ToolResult,
} from '../../workers/protocol.js';

/** An interface a component names, with its version: `{package: 'murmur:tool', name: 'run', version: '0.1.0'}`. */
export interface InterfaceRef {
  readonly package: string;
  readonly name: string;
  /** Absent when the component names the interface without one. */
  readonly version?: string;
}

/** A compiled component: bytes checked, transpiled, instrumented, on disk. Cheap to hold; safe to share between sessions. */
export interface Component {
  /** Cache key. */
  readonly key: string;
  /** Lowercase hex sha256 of the component bytes. */
  readonly sha256: string;
  readonly imports: readonly InterfaceRef[];
  readonly exports: readonly InterfaceRef[];
}

/** What a guest asks to start. */
export interface ShellRun {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: readonly (readonly [string, string])[];
}

/** What `murmur:shell/execute` returns. */
export interface ShellResult {
  /** 128 + n for a program that signal n ended. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly fullOutputPath: string | undefined;
}

/** What a guest sends to another capsule. */
export interface PeerMessage {
  readonly messageId: string;
  readonly contextId: string | undefined;
  readonly text: string;
}

/** The task that took a message, as `murmur:message/send` returns it. */
export interface PeerTask {
  readonly taskId: string;
  readonly contextId: string;
  /** `submitted`, `working`, `input-required`, `completed`, `failed`, `rejected` or `canceled`. */
  readonly state: string;
}

/** Answers to the guest's imports, given on the main thread. A missing function answers "not granted". */
export interface GuestHost {
  /**
   * `murmur:tool-registry/invoke`. `depth` is the nesting the invoked call runs at: pass it on. Whatever this rejects with, a
   * string or an `Error`, becomes the text of the guest's `err`. `signal` aborts when the calling guest ends first.
   */
  invoke?(name: string, input: ToolInput, depth: number, signal: AbortSignal): Promise<ToolResult>;
  /** `murmur:task/task#request-input`. Rejecting traps the guest. The call's deadline is paused while this waits. */
  requestInput?(prompt: string, signal: AbortSignal): Promise<string>;
  /** `murmur:artifact-manager/manage`: `list`, `describe`, `search`, `pull`, `remove`, `diagnostics`. */
  manage?(verb: string, args: readonly unknown[]): Promise<unknown>;
  /**
   * `murmur:message/send`. Whatever this rejects with becomes the text of the guest's `err`. `signal` aborts when the calling guest ends
   * first.
   */
  send?(peerUrl: string, message: PeerMessage, signal: AbortSignal): Promise<PeerTask>;
  /**
   * `murmur:shell/execute`. Whatever this rejects with becomes the text of the guest's `err`. `signal` aborts when the calling guest
   * ends first: nobody waits for the program any more.
   */
  shell?(run: ShellRun, signal: AbortSignal): Promise<ShellResult>;
  /** Chunks and tool-call progress, in order, while the guest runs. */
  event?(event: GuestEvent): void;
}

/** Answers `http.*` bridge calls of one guest call. Made by src/wasm/egress. */
export interface EgressSession {
  handle(op: string, args: unknown): Promise<unknown>;
  /** Ends every request still open. Idempotent. */
  close(): void;
}

export interface CallRequest {
  readonly component: Component;
  readonly kind: GuestKind;
  /** Artifact name, for messages. */
  readonly name: string;
  /** Input of a tool or driver call; absent for a capsule. */
  readonly input?: ToolInput;
  /** Nesting of this call: 0 for the loop or a capsule, +1 for each tool-registry invoke. */
  readonly depth: number;
  readonly limits: ExecutionLimits;
  readonly env: readonly (readonly [string, string])[];
  readonly preopens: readonly Preopen[];
  readonly egress: EgressSession;
  readonly host: GuestHost;
  readonly signal?: AbortSignal;
}

export interface CallReport {
  /** Captured output of the guest, at most 64 KiB each, UTF-8 (lossy). */
  readonly stdout: string;
  readonly stderr: string;
  readonly outputTruncated: boolean;
  /** From the worker's `started` event to the end, in ms (monotonic). */
  readonly durationMs: number;
}

/** A call either returned or failed in one of the ways of `CallFailure`. Never a throw, except for a bug of ours. */
export type CallOutcome =
  | ({ readonly status: 'returned'; readonly result: ToolResult | undefined } & CallReport)
  | ({ readonly status: 'failed'; readonly failure: CallFailure } & CallReport);

export interface LoadProgress {
  readonly name: string;
  readonly state: 'cached' | 'compiling' | 'compiled';
  readonly durationMs?: number;
}

export interface WasmHost {
  /** The compiled form of `bytes`, from the cache or made now. Rejects with `E-RUN-001` for bytes that are no usable component. */
  load(name: string, bytes: Uint8Array, onProgress?: (progress: LoadProgress) => void): Promise<Component>;
  call(request: CallRequest): Promise<CallOutcome>;
  /** Aborts running calls, ends every worker. Idempotent. */
  close(): Promise<void>;
}

export interface WasmHostOptions {
  /** Folder of the compiled cache; created 0700. */
  readonly cacheDir: string;
  /** Guests running at once. Default: number of cores. */
  readonly permits?: number;
  /** Most worker threads, parked ones included. Default 64. */
  readonly maxThreads?: number;
}
