/**
 * How much of the host native processes of a session can reach: what this host can enforce, what a session gets of it, and the box
 * its commands run in (spec/containment.md). Not WASM guests (workers/wasi, src/wasm), not what a command may be called with
 * (src/shell), not the values of limits (src/resources).
 *
 * | Part | Files |
 * |---|---|
 * | what a host can do, found out by doing it | probe/, host, blockers |
 * | what a session gets, pure | floor, tier, decide, check, warnings |
 * | what may be executed and read | executables, closure, elf, interpreter, staged, trust-store, host-paths |
 * | the box | box, box-*, mounts, landlock, seccomp/, steps, program, player, stub |
 * | the network of a session | egress/ |
 *
 * Does not stop: bugs of the kernel, whatever an allowed interpreter does within the grants, and what the scope report of a session
 * lists as not protected.
 *
 * Read next: decide.ts, then probe/index.ts and box.ts.
 */
export { type ContainmentFacts, checkContainment, type UnreachableScript } from './check.js';
export { type ContainmentAsked, type ContainmentDecision, decide } from './decide.js';
export { type FloorVotes, floorOf } from './floor.js';
export type {
  Chain,
  HostReport,
  Mechanism,
  NetworkBlocker,
  NetworkReport,
  SealedBlocker,
  SealedBlockerName,
  Strength,
} from './host.js';
export { type ProbeOptions, probeHost } from './probe/index.js';
export { appliedTier, classOf, hostTierOf, type Tier, type TierFacts, type UsernsGrant, wireName } from './tier.js';
export { type ContainmentWarning, containmentWarnings } from './warnings.js';
