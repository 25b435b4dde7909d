import { searchPath } from '../containment/path-search.js';

/**
 * The file that `name` stands for: the first that containment finds for it in `path` (a PATH), so that what is started is what may be
 * executed. `undefined` when there is none, and for a name that is a path.
 */
export function resolveProgram(name: string, path: string): string | undefined {
  return searchPath(name, path).next().value?.path;
}
