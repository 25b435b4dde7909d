import { join } from 'node:path';
import { MurError, reasonOf } from '../../errors/index.js';
import { isMissing, readRegularFile } from '../../manifest/index.js';
import { sha256Hex } from '../../text/index.js';
import type { ArtifactMeta } from '../describe.js';
import { maxArtifactBytes } from '../payload.js';
import { fallbackMeta, readMeta } from './meta.js';
import { isStoreFolder, look, type Part, partPath, pendingPath, type SetPlace } from './set.js';

/** A whole set, its bytes checked against its hash. */
export interface StoredSet {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly meta: ArtifactMeta;
  /** Set when the set has no usable description, so `meta` is a stand-in. */
  readonly isUndescribed: boolean;
}

/** A set may be replaced while it is read. More often than this, something else is wrong. */
const maxTries = 8;

/**
 * The set at `place`; `undefined` when its archive or its hash is not there. Throws `E-REG-002` when they do not fit and
 * `E-IO-003` when they cannot be read.
 */
export function readSet(place: SetPlace, name: string, version: string): StoredSet | undefined {
  let last = '';
  for (let tries = 0; ; tries += 1) {
    const bytes = readPart(place, '.mur.zip');
    const sidecar = readPart(place, '.sha256')?.toString('utf8').trim().toLowerCase();
    if (bytes === undefined || sidecar === undefined) return undefined;
    if (sidecar === '') {
      throw new MurError(
        'E-IO-003',
        `${partPath(place, '.sha256')} is empty, so the bytes of ${name}@${version} cannot be checked`,
        { hint: again(name, version) },
      );
    }
    const sha256 = sha256Hex(bytes);
    if (sha256 === sidecar) return { bytes, sha256, ...describedBy(place, name, version) };
    // Read while it was replaced, the two are of different sets. Read twice alike, it is damage.
    if (last === sha256 + sidecar || tries === maxTries) throw damaged(place, name, version, sha256, sidecar);
    last = sha256 + sidecar;
  }
}

/** What the set at `place` says of itself, or the stand-in. */
export function describedBy(place: SetPlace, name: string, version: string): Pick<StoredSet, 'meta' | 'isUndescribed'> {
  const meta = readMeta(readPart(place, '.meta.json')?.toString('utf8') ?? '', name, version);
  return { meta: meta ?? fallbackMeta(name, version), isUndescribed: meta === undefined };
}

/** Whether this file of the set is at its place or on its way there. Throws for anything there that is no regular file. */
export function hasPart(place: SetPlace, part: Part): boolean {
  return candidates(place, part).some((path) => {
    const found = look(path);
    if (found === undefined || found.isFile()) return found !== undefined;
    const what = found.isSymbolicLink() ? 'a link' : found.isDirectory() ? 'a folder' : 'no regular file';
    throw new MurError('E-IO-003', `it is ${what}`);
  });
}

function readPart(place: SetPlace, part: Part): Buffer | undefined {
  for (const path of candidates(place, part)) {
    if (look(path)?.isSymbolicLink()) throw new MurError('E-IO-003', `failed to read ${path}: it is a link`);
    try {
      return readRegularFile(path, maxArtifactBytes);
    } catch (error) {
      if (isMissing(error)) continue;
      throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
    }
  }
  return undefined;
}

/** Where a part is looked for, in this order (set.ts). */
function candidates(place: SetPlace, part: Part): readonly string[] {
  const [replacing, fresh] = (['replace', 'new'] as const).map((mode) => pendingPath(place, mode)) as [string, string];
  return [
    ...(isStoreFolder(replacing) ? [join(replacing, place.stem + part)] : []),
    partPath(place, part),
    ...(isStoreFolder(fresh) ? [join(fresh, place.stem + part)] : []),
  ];
}

function damaged(place: SetPlace, name: string, version: string, sha256: string, recorded: string): MurError {
  return new MurError(
    'E-REG-002',
    `artifact integrity check failed for ${name}@${version}: ${partPath(place, '.mur.zip')} has sha256 ${sha256}, recorded is ${recorded.slice(0, 64)}`,
    { hint: again(name, version) },
  );
}

function again(name: string, version: string): string {
  return `mur install ${name}@${version} stores it again`;
}
