import { type ContainmentClass, strongestContainment } from '../manifest/containment.js';

export interface FloorVotes {
  readonly manifest: ContainmentClass | undefined;
  readonly config: ContainmentClass | undefined;
  readonly flag: ContainmentClass | undefined;
  /** The capsule was named, so that its manifest came packed and the operator did not write it. */
  readonly isPacked: boolean;
}

/**
 * The strongest class anybody declared, `advisory` when nobody did (spec/containment.md 2.1). `unconfined` in a packed manifest
 * counts only where the operator says so too, in the config or by flag: nobody loses containment by running somebody's capsule.
 */
export function floorOf({ manifest, config, flag, isPacked }: FloorVotes): ContainmentClass {
  const isBacked = config === 'unconfined' || flag === 'unconfined';
  const own = isPacked && manifest === 'unconfined' && !isBacked ? undefined : manifest;
  return strongestContainment([own, config, flag]);
}
