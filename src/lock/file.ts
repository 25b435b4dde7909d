import { join } from 'node:path';
import { MurError, reasonOf } from '../errors/index.js';
import { isMissing, readRegularText } from '../manifest/index.js';
import { maxManifestBytes } from '../manifest/yaml.js';
import { parseLock } from './parse.js';
import type { Lock } from './types.js';

export const lockFileName = 'murmur.lock';

/** The lock of the project in `dir`; `undefined` when it has none. Throws `E-RUN-003` for one that cannot be used. */
export function readLock(dir: string): Lock | undefined {
  const path = join(dir, lockFileName);
  const text = readLockText(dir);
  return text === undefined ? undefined : parseLock(text, path);
}

/** The text of that lock. Throws `E-IO-003` when a file is there and cannot be read. */
export function readLockText(dir: string): string | undefined {
  const path = join(dir, lockFileName);
  try {
    return readRegularText(path, maxManifestBytes);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
