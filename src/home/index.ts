/**
 * The murmur home and the folders of a session: where they are, how they are made, and the only way the runtime reads or
 * writes below them. Not artifact stores (src/artifacts), not what guests may touch (src/wasm, workers/).
 * Read next: types.ts (what a held directory promises), walk.ts (why it keeps the promise), session-folders.ts.
 */
export { ioError } from './failure.js';
export { holdDirectory } from './held.js';
export { type Holding, holdingOf, isPid } from './holder.js';
export { removeLeftovers } from './leftovers.js';
export { ensurePrivateDirectory, locateMurmurHome, murmurHome } from './murmur-home.js';
export { lookOnLinux, type Sighting, startToken } from './process-identity.js';
export { applyRetention } from './retention.js';
export { createSessionFolders, recordsGroup } from './session-folders.js';
export { isLeftOver, temporaryName } from './temporary.js';
export {
  type AppendFile,
  DEFAULT_FILE_MODE,
  type DirectoryIdentity,
  type Entry,
  type EntryKind,
  type EntryStat,
  type HeldDirectory,
  type MurmurHome,
  type RefusalLatch,
  type RetainLimits,
  type RetentionOutcome,
  type RetentionReport,
  type RetentionRequest,
  type SessionFolderRequest,
  type SessionFolders,
} from './types.js';
