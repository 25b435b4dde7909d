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
