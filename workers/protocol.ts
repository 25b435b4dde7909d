/**
 * What crosses between the main thread and a WASM worker. Plain structured-clone data only: no class, no function,
 * no secret. Used by workers/ (guest side) and src/wasm/ (host side). Read next: src/wasm/types.ts.
 */

/** `murmur:tool/run` input (spec/wit.md section 2). */
export interface ToolInput {
  readonly data?: string | undefined;
  readonly logPath?: string | undefined;
}

export type ToolStatus = 'passed' | 'failed' | 'error';

/** `murmur:tool/run` result, jco field names (spec/wit.md section 2). */
export interface ToolResult {
  readonly status: ToolStatus;
  readonly summary?: string | undefined;
  readonly data?: string | undefined;
  readonly dataPath?: string | undefined;
  readonly truncated: boolean;
  readonly metadata: readonly (readonly [string, string])[];
}

/** Limits of one guest instance (spec/resources.md section 2). Always fully resolved. */
export interface ExecutionLimits {
  readonly memoryBytes: number;
  readonly tableElements: number;
  readonly instances: number;
  readonly deadlineMs: number;
}

/** One directory a guest sees. `fd` is a directory descriptor that the main thread opened and keeps open during the call. */
export interface Preopen {
  readonly fd: number;
  /** Name the guest sees: `.` for the work folder, `state` for a state store. */
  readonly guestPath: string;
  readonly readOnly: boolean;
  /** Paths below it that may be read and not written: relative, without `.` and `..`. Absent: none. */
  readonly protect?: readonly string[];
  /** The same directory by name. Needed only where the system has no /proc/self/fd; Linux never reads it. */
  readonly hostPath?: string;
}

/** What the guest runs as: which world's imports it gets and which export is called. */
export type GuestKind = 'tool' | 'driver' | 'capsule';

/** Events a guest sends without waiting (text/chunks and stream/events imports). */
export type GuestEvent =
  | { readonly type: 'started' }
  | { readonly type: 'chunk'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool-call-started'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-input-bytes'; readonly id: string; readonly bytes: number };

/** A synchronous question from the guest thread; the thread sleeps until main replies. `op` is `<area>.<verb>`. */
export interface BridgeRequest {
  readonly op: string;
  readonly args: unknown;
}

/** Guest-thread side of the bridge, as the WASI host and the murmur imports use it. */
export interface GuestBridge {
  /**
   * The reply to `op`. Blocks this thread. Throws what main rejected with: a `BridgeFault` (trap) or, for imports that
   * return `result<_, string>`, the bare string payload.
   */
  call<T>(op: string, args: unknown, transfer?: readonly ArrayBuffer[]): T;
  /** Sends an event and returns at once. */
  post(event: GuestEvent): void;
}

/** How a call ended when it did not return (session.md 4.5: a caller must be able to tell these apart). */
export type FailureKind = 'trap' | 'deadline' | 'resource-limit' | 'link-error' | 'exit' | 'aborted' | 'worker-lost';

export interface CallFailure {
  readonly kind: FailureKind;
  /** Text fit for a model and a person: names the artifact, the limit and the manifest field where they apply. */
  readonly message: string;
  /** For `resource-limit`: the manifest key, e.g. `capabilities.limits.memory_bytes`. */
  readonly limit?: string;
  /** For `exit`: the guest's exit code. */
  readonly exitCode?: number;
}
