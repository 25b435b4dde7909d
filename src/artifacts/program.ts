import { MurError } from '../errors/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { selectRootWasm } from './payload.js';
import { checkPlatform, hostPlatform, nativePlatformOf } from './platform.js';
import type { ArtifactManifest, ArtifactPayload } from './types.js';

/** The name of the root component among `names` of `place`. Throws `E-IO-003` when there is none or several. */
export function rootWasm(place: string, names: readonly string[], manifest: ArtifactManifest): string {
  const found = selectRootWasm(names);
  if (found.kind === 'one') return found.name;
  const reason =
    found.kind === 'none'
      ? 'missing root .wasm file (expected capsule.wasm or one root *.wasm)'
      : `multiple root .wasm files found: ${found.names.join(', ')}`;
  throw new MurError('E-IO-003', `artifact '${manifest.name}@${manifest.version}' in ${place}: ${reason}`);
}

/**
 * The image of a native artifact, for the role its entry has. Throws `E-RUN-021` when it was built for another platform, and
 * `E-RUN-029` for a driver: those are components.
 */
export function nativePayload(
  { name, version, runtime }: Pick<ArtifactEntry, 'name' | 'version' | 'runtime'>,
  bytes: Uint8Array,
): ArtifactPayload {
  const label = `${name}@${version}`;
  if (runtime !== 'tool') {
    throw new MurError('E-RUN-029', `artifact '${label}' is a native program, which cannot be a ${runtime}`, {
      hint: `use a WASM ${runtime}, or declare it with runtime: tool`,
    });
  }
  checkPlatform(label, nativePlatformOf(bytes), hostPlatform());
  return { kind: 'native', bytes };
}

/** The name of the program in a native artifact. */
export function programOf(name: string): string {
  return `bin/${name.slice(name.lastIndexOf('/') + 1)}`;
}
