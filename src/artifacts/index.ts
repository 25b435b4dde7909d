/**
 * Artifacts as files and as bytes: the artifact's own manifest, archives, stores, payload selection and resolution. Not compiling
 * (src/wasm), not what an artifact may do (src/policy), not the lock (src/lock).
 * Read next: resolve.ts, archive.ts, local-store.ts, store.ts, registries/index.ts.
 */
export {
  type Archive,
  type ArchiveLimits,
  archiveLimits,
  archiveText,
  openArchive,
  openZip,
  type PackEntry,
  packArchive,
} from './archive.js';
export {
  type ArtifactMeta,
  type DescribeOptions,
  describeArchive,
  type PackedArtifact,
} from './describe.js';
export { embeddedStore } from './embedded.js';
export { artifactFileName, artifactFileStem, fileNameProblem, platformTag } from './file-name.js';
export {
  type LocalStore,
  type LocalStoreOptions,
  localStore,
  type StoreProblem,
  type StoreRow,
} from './local-store.js';
export { packagingOf, parseArtifactManifest } from './manifest.js';
export { readCapsuleComponent, selectRootWasm } from './payload.js';
export { checkPlatform, hostPlatform, nativePlatformOf, platforms } from './platform.js';
export { programOf } from './program.js';
export { type ResolveContext, resolveArtifacts } from './resolve.js';
export type { ArtifactStore, StoredArtifact } from './store.js';
export { artifactStores, findProjectRoot, findStored, projectStoreRoot } from './stores.js';
export type {
  ArtifactManifest,
  ArtifactPayload,
  ModelLimits,
  PackagingType,
  ResolvedArtifact,
  UpstreamAuth,
} from './types.js';
