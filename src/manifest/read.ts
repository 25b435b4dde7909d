import { MurError, reasonOf } from '../errors/index.js';
import { isMissing, readRegularText } from './regular-file.js';
import { maxManifestBytes } from './yaml.js';

/** The text of the manifest at `path`, for `parseManifest`. */
export function readManifestText(path: string): string {
  try {
    return readRegularText(path, maxManifestBytes);
  } catch (error) {
    if (isMissing(error)) {
      throw new MurError('E-IO-001', `murmur.yaml not found at ${path}`, {
        hint: 'check the path, or run mur where the file is; mur new agent makes one to start from',
      });
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new MurError('E-IO-002', `reading the manifest: permission denied: ${path}`);
    }
    throw new MurError('E-IO-003', `failed to read murmur.yaml at ${path}: ${reasonOf(error)}`, { cause: error });
  }
}
