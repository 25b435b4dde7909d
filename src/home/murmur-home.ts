import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { MurError } from '../errors/index.js';
import { errnoOf, ioError } from './failure.js';
import type { MurmurHome } from './types.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Mode of every directory that maps this machine's sessions. */
export const PRIVATE_DIRECTORY_MODE = 0o700;

/** The places below the user's murmur home. Touches nothing. `E-IO-001` when the user has no home directory. */
export function locateMurmurHome(env: Environment = process.env): MurmurHome {
  const user = env.HOME || env.USERPROFILE;
  if (!user) {
    throw new MurError('E-IO-001', 'could not determine home directory', { hint: 'set HOME to an absolute path' });
  }
  if (!isAbsolute(user)) {
    throw new MurError('E-IO-001', `the home directory ${JSON.stringify(user)} is not an absolute path`, {
      hint: 'set HOME to an absolute path',
    });
  }
  const root = join(user, '.murmur');
  return {
    root,
    sessions: join(root, 'sessions'),
    records: join(root, 'records'),
    running: join(root, 'running'),
    compiled: join(root, 'compiled'),
  };
}

/** The same places, with `~/.murmur` made if missing and held at 0700. */
export function murmurHome(env: Environment = process.env): MurmurHome {
  const home = locateMurmurHome(env);
  ensurePrivateDirectory(home.root);
  return home;
}

/**
 * Makes the directory if missing and narrows one that grants anything to others, so that it is 0700 afterwards. Its parent must
 * exist. The path itself may be a link: a user may keep `~/.murmur` on another disk.
 */
export function ensurePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, PRIVATE_DIRECTORY_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw ioError('cannot make the directory', path, error);
  }
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      const mode = fstatSync(fd).mode & 0o777;
      if ((mode & 0o077) !== 0) fchmodSync(fd, mode & PRIVATE_DIRECTORY_MODE);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw ioError('cannot hold the directory', path, error);
  }
}
