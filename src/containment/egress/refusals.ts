import type { EgressDenied, RelayCounts } from './types.js';

/** Facts told of one session, at most. */
const mostFacts = 256;
const mostTargetLength = 260;

/** Counts everything and tells each refused destination once, so that a loop inside a command cannot fill a trace. */
export class Refusals {
  readonly counts: { -readonly [Key in keyof RelayCounts]: RelayCounts[Key] } = {
    connections: 0,
    refusedConnections: 0,
    refusedNames: 0,
    dropped: 0,
  };
  readonly #told = new Set<string>();
  readonly #onRefused: (fact: EgressDenied) => void;

  constructor(onRefused: (fact: EgressDenied) => void) {
    this.#onRefused = onRefused;
  }

  name(name: string): void {
    this.counts.refusedNames += 1;
    this.#tell('not-allowed', name);
  }

  connection(reason: 'not-allowed' | 'private-address', target: string): void {
    this.counts.refusedConnections += 1;
    this.#tell(reason, target);
  }

  #tell(reason: EgressDenied['reason'], target: string): void {
    const short = target.slice(0, mostTargetLength);
    const key = `${reason} ${short}`;
    if (this.#told.has(key) || this.#told.size >= mostFacts) return;
    this.#told.add(key);
    this.#onRefused({ type: 'egress.denied', reason, target: short });
  }
}
