import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The file that `name` stands for: the first executable regular file of that name in `path` (a PATH), with every link in its own path
 * resolved. `undefined` when there is none, and for a name that is a path.
 *
 * Relative and empty entries of `path` are passed over: they would mean the runtime's own folder, which is none of the command's.
 */
export function resolveProgram(name: string, path: string): string | undefined {
  if (name === '' || name.includes('/') || name.includes('\0')) return undefined;
  for (const folder of path.split(delimiter)) {
    const found = isAbsolute(folder) ? executable(join(folder, name)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function executable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync(file) : undefined;
  } catch {
    return undefined;
  }
}
