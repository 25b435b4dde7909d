import type { Socket } from 'node:net';
import type { NetworkRule } from '../../policy/network.js';
import type { EgressEvent } from '../../wasm/egress/index.js';

/** A network namespace of one session and the only way out of it. */
export interface SessionNetwork {
  /** For `nsenter --user=`; the namespace commands are started in. */
  readonly usernsFd: number;
  /** For `nsenter --net=`. */
  readonly netnsFd: number;
  readonly counts: RelayCounts;
  /** Ends every connection, listener and descriptor. Processes still inside keep a network that leads nowhere. */
  close(): Promise<void>;
}

/** How often what happened, where facts are told only once. */
export interface RelayCounts {
  readonly connections: number;
  readonly refusedConnections: number;
  readonly refusedNames: number;
  /** Above a limit: connections at once, queries per second. */
  readonly dropped: number;
}

/** Why this host cannot give a session a network of its own, in words for `E-CAP-005`. */
export interface NetworkRefused {
  readonly refused: string;
}

/** Where an accepted connection leads. */
export interface DialTarget {
  /** As in rules: an IPv6 address has brackets. */
  readonly host: string;
  readonly port: number;
  /** The rules that let it out; never empty. */
  readonly matching: readonly NetworkRule[];
}

/** A connected socket, or an error. It checks the address it connects to (spec/spend.md 6.3). */
export type Dial = (target: DialTarget, signal: AbortSignal) => Promise<Socket>;

/** The same fact as for guests, so that a trace needs one shape. */
export type EgressDenied = Extract<EgressEvent, { type: 'egress.denied' }>;

export interface SessionNetworkOptions {
  /** Empty: a network in which every name and every connection is refused. */
  readonly rules: readonly NetworkRule[];
  readonly dial: Dial;
  /** Told once per destination and reason, up to a bound: a loop of refused connections cannot fill a trace. */
  onRefused(fact: EgressDenied): void;
  /** Path of util-linux' unshare, as the probe found it. */
  readonly unshare?: string | null;
}
