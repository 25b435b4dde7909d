/**
 * Where artifacts are fetched from and published to over the network: the sources of config.yaml (GitHub releases), the remote
 * registry, the search index, and the one downloader below them. Nothing here writes a store or a lock: the caller does, with
 * bytes that were verified. Not the local stores (src/artifacts/stores.ts).
 * Read next: types.ts, chain.ts, remote.ts, download/index.ts.
 */
export { sourceChain } from './chain.js';
export { chooseRegistry, keyNotice } from './choose.js';
export { remoteRegistry } from './remote.js';
export { findIndex, type IndexPlaces } from './search/find.js';
export { matching } from './search/match.js';
export type {
  DownloadProgress,
  Fetched,
  FetchRequest,
  IndexEntry,
  RegistryChoice,
  RegistryContext,
  RegistrySettings,
  ReleaseRef,
  RemoteRegistry,
  SourceChain,
  SourceSettings,
  WorkspaceRegistry,
} from './types.js';
export { workspaceRegistry } from './workspace.js';
