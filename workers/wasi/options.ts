import type { GuestBridge, Preopen } from '../protocol.js';

export interface WasiOptions {
  /** The whole environment of the guest. Nothing of the process's own is added. */
  readonly env: readonly (readonly [string, string])[];
  readonly args: readonly string[];
  readonly preopens: readonly Preopen[];
  /** Most bytes kept of stdout and of stderr, each. */
  readonly captureLimitBytes: number;
  readonly bridge: GuestBridge;
}

export interface WasiHost {
  /** Import object of the transpiled component: unversioned interface name -> functions and resource classes. */
  readonly imports: Record<string, Record<string, unknown>>;
  stdout(): string;
  stderr(): string;
  /** True when either stream was cut at `captureLimitBytes`. */
  outputTruncated(): boolean;
  /** Closes every descriptor the guest opened. Idempotent. */
  close(): void;
}
