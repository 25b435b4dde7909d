import { dirname } from 'node:path';
import { floorOf } from './containment/floor.js';
import { hostPathsOf } from './home/config-host-paths.js';
import type { EffectiveConfig } from './home/config-types.js';
import type { MurmurHome } from './home/types.js';
import type { ContainmentClass, RuntimeManifest } from './manifest/index.js';
import { capabilityPolicyFromManifest } from './policy/index.js';
import { scopeFolders } from './scope/index.js';
import type { ReachAsked } from './stage/containment.js';

export interface AskedFrom {
  readonly manifest: RuntimeManifest;
  /** Folder of the manifest. */
  readonly dir: string;
  readonly home: MurmurHome;
  readonly config: Pick<EffectiveConfig, 'containment' | 'hostPaths'>;
  /** The environment, with the `.env` file laid under it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workdir?: string | undefined;
  /** `--containment`. */
  readonly flag?: ContainmentClass | undefined;
  readonly isPacked: boolean;
}

/**
 * What a manifest asks of this host, with what the configuration adds: the same for `mur run --explain-scope`, which reports it, and for
 * `mur sandbox`, which opens it. Makes nothing and asks the host nothing. Throws `E-CAP-901` for a folder that could never be lent.
 */
export function askedOf({ manifest, dir, home, config, env, workdir, flag, isPacked }: AskedFrom): ReachAsked {
  return {
    policy: capabilityPolicyFromManifest(manifest),
    manifest,
    floor: floorOf({ manifest: manifest.capabilities?.containment, config: config.containment, flag, isPacked }),
    folders: scopeFolders({ home, manifestDir: dir, ...(workdir === undefined ? {} : { workdir }) }),
    hostEnv: env,
    hostPaths: hostPathsOf(config.hostPaths, dirname(home.root)),
  };
}
