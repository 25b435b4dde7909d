/**
 * Where artifacts are fetched from and published to over the network: the sources of config.yaml (GitHub releases), the remote
 * registry, the search index, and the one downloader below them. Nothing here writes a store or a lock: the caller does, with
 * bytes that were verified. Not the local stores (src/artifacts/stores.ts).
 * Read next: types.ts, chain.ts, remote.ts, download/index.ts.
 */
import type { RegistryChoice, RegistryContext, RemoteRegistry, SourceChain, WorkspaceRegistry } from './types.js';

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

export declare function sourceChain(context: RegistryContext): SourceChain;
export declare function remoteRegistry(url: string, context: RegistryContext): RemoteRegistry;
export declare function chooseRegistry(
  flag: string | undefined,
  workspace: WorkspaceRegistry | undefined,
  env: NodeJS.ProcessEnv,
): RegistryChoice;
