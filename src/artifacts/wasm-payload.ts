import { MurError } from '../errors/index.js';
import { selectRootWasm } from './payload.js';
import type { ArtifactManifest } from './types.js';

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

/** What a native tool is answered with until mur can run one. */
export function nativeRefusal(manifest: ArtifactManifest): MurError {
  return new MurError(
    'E-RUN-907',
    `artifact '${manifest.name}' is a native tool, which this version of mur cannot run yet`,
  );
}

/** The name of the program in a native artifact. */
export function programOf(name: string): string {
  return `bin/${name.slice(name.lastIndexOf('/') + 1)}`;
}
