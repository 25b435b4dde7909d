/** What decides the compiled form of a component besides its bytes. All of it is part of the cache key. */
import { instrumenterRevision } from './instrument.js';
import { wrapperRevision } from './wrap.js';

/** The pinned transpiler; a test compares it with the installed package, because reading it at start costs a file access. */
export const transpilerVersion = '0.15.0';

export const transpileOptions = {
  name: 'c',
  instantiation: 'sync',
  emitTypescriptDeclarations: false,
} as const;

/** Changes whenever a cached form made by another build of this project must not be used. */
export const compileRevision = JSON.stringify({
  transpiler: transpilerVersion,
  options: transpileOptions,
  instrumenter: instrumenterRevision,
  wrapper: wrapperRevision,
});
