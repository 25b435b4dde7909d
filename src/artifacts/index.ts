/**
 * Declared artifacts to bytes: the artifact's own manifest, payload selection, stores and resolution. Not compiling
 * (src/wasm), not what an artifact may do (src/policy).
 * Read next: resolve.ts, store.ts, source.ts, manifest.ts.
 */
export { embeddedStore } from './embedded.js';
export { parseArtifactManifest } from './manifest.js';
export { readCapsuleComponent, selectRootWasm } from './payload.js';
export { type ResolveContext, resolveArtifacts } from './resolve.js';
export { type ArtifactStore, hostPlatform, type StoredArtifact } from './store.js';
export type { ArtifactManifest, ArtifactPayload, ModelLimits, ResolvedArtifact, UpstreamAuth } from './types.js';
