import { join } from 'node:path';
import { MurError } from '../../errors/index.js';
import { readManifestText } from '../../manifest/index.js';
import { parseYaml } from '../../manifest/yaml.js';
import { findProjectRoot } from '../stores.js';
import { objectIn } from './http/json.js';
import type { WorkspaceRegistry } from './types.js';

/**
 * `registry` of the murmur.yaml at or above `from`; `undefined` without one. Reads that block only, so that the manifest of an artifact
 * serves as well as that of a capsule. `E-MAN-002` when it is no YAML, `E-IO-003` for a block of another shape.
 */
export function workspaceRegistry(from: string): WorkspaceRegistry | undefined {
  const root = findProjectRoot(from);
  if (root === undefined) return undefined;
  const path = join(root, 'murmur.yaml');
  const parsed = parseYaml(readManifestText(path), () => false);
  if (!parsed.ok) throw new MurError('E-MAN-002', `${path}: YAML syntax error: ${parsed.detail}`);
  const block = objectIn(parsed.tree.root)?.registry ?? undefined;
  if (block === undefined) return undefined;
  const registry = objectIn(block);
  const [mode, remoteUrl] = [registry?.default ?? '', registry?.remote_url ?? ''];
  if (registry === undefined || typeof mode !== 'string' || typeof remoteUrl !== 'string') {
    throw new MurError('E-IO-003', `${path}: registry: expected default and remote_url as strings`);
  }
  const written = { default: mode.trim(), remoteUrl: remoteUrl.trim() };
  return {
    ...(written.default === '' ? {} : { default: written.default }),
    ...(written.remoteUrl === '' ? {} : { remoteUrl: written.remoteUrl }),
  };
}
