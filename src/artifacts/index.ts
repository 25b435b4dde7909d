/**
 * Declared artifacts to bytes: the artifact's own manifest, payload selection, stores and resolution. Not compiling
 * (src/wasm), not the lock (src/lock), not what an artifact may do (src/policy).
 * Read next: resolve.ts, store.ts, manifest.ts.
 */
export type { ArtifactManifest, ArtifactPayload, ModelLimits, ResolvedArtifact, UpstreamAuth } from './types.js';
