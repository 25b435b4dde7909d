import { MurError } from '../../errors/index.js';
import { baseAddress, refuseOpenKey } from './http/address.js';
import { plainAddress } from './http/failure.js';
import type { RegistryChoice, WorkspaceRegistry } from './types.js';

/** Where a registry on this machine listens unless it was told otherwise. */
const ownRegistry = 'http://localhost:7800';

/**
 * Where `mur install` and `mur publish` go (spec/config.md section 5): the flag, `registry.remote_url` of the workspace's murmur.yaml,
 * `registry.default` there, the local one. `E-IO-003` for a value that is none, and for a remote registry without NEXUS_API_KEY.
 */
export function chooseRegistry(
  flag: string | undefined,
  workspace: WorkspaceRegistry | undefined,
  env: NodeJS.ProcessEnv,
): RegistryChoice {
  if (flag !== undefined) {
    return flag.trim().toLowerCase() === 'local' ? 'local' : remote(flag, '--registry', env);
  }
  if (workspace?.remoteUrl) return { ...remote(workspace.remoteUrl, 'registry.remote_url', env), isFromManifest: true };
  const mode = workspace?.default ?? 'local';
  if (mode === 'local') return 'local';
  if (mode === 'remote') return remote(ownRegistry, 'registry.default', env);
  throw new MurError('E-IO-003', `invalid registry.default '${mode}' (expected local|remote)`);
}

/** What to tell of a choice before the key is sent; `undefined` when the person who runs the command made it. */
export function keyNotice(choice: RegistryChoice): string | undefined {
  if (choice === 'local' || choice.isFromManifest !== true) return undefined;
  return `NEXUS_API_KEY is sent to ${choice.url}, which registry.remote_url of murmur.yaml names`;
}

function remote(text: string, what: string, env: NodeJS.ProcessEnv): { readonly url: string } {
  const base = baseAddress(text.trim(), what);
  const url = plainAddress(base);
  if (env.NEXUS_API_KEY?.trim()) {
    refuseOpenKey(base);
    return { url };
  }
  throw new MurError('E-IO-003', 'NEXUS_API_KEY is required for remote registry mode. Set it or use local mode.');
}
