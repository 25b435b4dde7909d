import { join } from 'node:path';
import { MurError } from '../errors/index.js';
import { readArtifactFile, selectRootWasm } from './payload.js';
import type { ArtifactManifest, ArtifactPayload } from './types.js';

/**
 * The root component among `names` of `place`. Throws `E-IO-003` when there is none or several, and `E-RUN-907` for a native
 * tool, whose payload is a program and not a component.
 */
export function readWasmPayload(
  place: string,
  names: readonly string[],
  manifest: ArtifactManifest,
  read: (name: string) => Uint8Array = (name) => readArtifactFile(join(place, name)),
): ArtifactPayload {
  if (manifest.implementation === 'native') {
    throw new MurError(
      'E-RUN-907',
      `artifact '${manifest.name}' is a native tool, which this version of mur cannot run yet`,
    );
  }
  const found = selectRootWasm(names);
  if (found.kind === 'one') return { kind: 'wasm', bytes: read(found.name) };
  const reason =
    found.kind === 'none'
      ? 'missing root .wasm file (expected capsule.wasm or one root *.wasm)'
      : `multiple root .wasm files found: ${found.names.join(', ')}`;
  throw new MurError('E-IO-003', `artifact '${manifest.name}@${manifest.version}' in ${place}: ${reason}`);
}
