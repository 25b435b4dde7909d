import { MurError } from '../../errors/index.js';
import { baseAddress } from './http/address.js';
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
  if (workspace?.remoteUrl) return remote(workspace.remoteUrl, 'registry.remote_url', env);
  const mode = workspace?.default ?? 'local';
  if (mode === 'local') return 'local';
  if (mode === 'remote') return remote(ownRegistry, 'registry.default', env);
  throw new MurError('E-IO-003', `invalid registry.default '${mode}' (expected local|remote)`);
}

function remote(text: string, what: string, env: NodeJS.ProcessEnv): RegistryChoice {
  const url = plainAddress(baseAddress(text.trim(), what));
  if (env.NEXUS_API_KEY?.trim()) return { url };
  throw new MurError('E-IO-003', 'NEXUS_API_KEY is required for remote registry mode. Set it or use local mode.');
}
