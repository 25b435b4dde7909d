export type { Chain, ContainmentAsked, ContainmentDecision } from './decide.js';
export type {
  HostReport,
  Mechanism,
  NetworkBlocker,
  NetworkReport,
  SealedBlocker,
  SealedBlockerName,
  Strength,
} from './host.js';
export { appliedTier, classOf, hostTierOf, type Tier, type TierFacts, type UsernsGrant, wireName } from './tier.js';
