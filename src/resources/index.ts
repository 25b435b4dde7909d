export type {
  CgroupCounters,
  CgroupScope,
  IoMaxOutcome,
  ResolvedResources,
  ResourceLimit,
  Rlimit,
  RlimitName,
} from './types.js';
