import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { readRegularFile } from '../manifest/index.js';

/** Most bytes of one artifact file (spec/artifacts.md section 4). */
export const maxArtifactBytes = 524_288_000;

export type RootWasm =
  | { readonly kind: 'one'; readonly name: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly names: readonly string[] };

/** Which root `*.wasm` is the payload: `capsule.wasm` whenever it is there, else the only one (spec/artifacts.md section 5.1). */
export function selectRootWasm(names: readonly string[]): RootWasm {
  if (names.includes('capsule.wasm')) return { kind: 'one', name: 'capsule.wasm' };
  const candidates = names.filter((name) => name.endsWith('.wasm') && !/[/\\]/.test(name)).sort();
  const [only, ...others] = candidates;
  if (only === undefined) return { kind: 'none' };
  return others.length === 0 ? { kind: 'one', name: only } : { kind: 'several', names: candidates };
}

/** The component of a script capsule beside its manifest. Throws `E-RUN-004` when there is none, or no way to choose. */
export function readCapsuleComponent(manifestDir: string): { readonly path: string; readonly bytes: Uint8Array } {
  const found = selectRootWasm(fileNames(manifestDir));
  if (found.kind === 'none') {
    const message = `no capsule component found in ${manifestDir} (expected capsule.wasm or exactly one root *.wasm)`;
    throw new MurError('E-RUN-004', message, {
      hint: 'build the component, or add inference: to make this an agent capsule',
    });
  }
  if (found.kind === 'several') {
    const message = `multiple root *.wasm files found in ${manifestDir}: ${found.names.join(', ')} (set capsule.wasm explicitly)`;
    throw new MurError('E-RUN-004', message, { hint: 'name the one to run capsule.wasm' });
  }
  const path = join(manifestDir, found.name);
  return { path, bytes: readArtifactFile(path) };
}

/** Names of what may be a file at the root of `folder`; empty when it cannot be listed. */
export function fileNames(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map((entry) => entry.name);
  } catch {
    return [];
  }
}

/** The bytes of one file of an artifact. Throws `E-IO-003`. */
export function readArtifactFile(path: string): Buffer {
  try {
    return readRegularFile(path, maxArtifactBytes);
  } catch (error) {
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
