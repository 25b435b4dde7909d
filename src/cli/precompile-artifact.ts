import { openArchive } from '../artifacts/archive.js';
import type { PackedArtifact } from '../artifacts/describe.js';
import { selectRootWasm } from '../artifacts/payload.js';
import type { WasmHost } from '../wasm/index.js';

export type PrecompileOutcome = 'compiled' | 'already_stored' | 'not_wasm';

/** Puts the compiled form of the artifact's component into the cache of `wasm`. Rejects when it does not compile. */
export async function precompileArtifact(
  wasm: WasmHost,
  { meta, bytes }: PackedArtifact,
  place: string,
): Promise<PrecompileOutcome> {
  if (meta.runtime !== 'wasm') return 'not_wasm';
  const archive = await openArchive(bytes, place);
  const root = selectRootWasm(archive.names);
  if (root.kind !== 'one') return 'not_wasm';
  let outcome: PrecompileOutcome = 'already_stored';
  await wasm.load(meta.name, await archive.read(root.name), ({ state }) => {
    if (state !== 'cached') outcome = 'compiled';
  });
  return outcome;
}
