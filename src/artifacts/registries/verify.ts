import { MurError } from '../../errors/index.js';
import { describeArchive, type PackedArtifact } from '../describe.js';
import { labelOf } from './request.js';

export interface Wanted {
  readonly name?: string;
  readonly version?: string;
  /** For a native payload. */
  readonly platform?: string;
  /** The version of an archive that names none. */
  readonly fallbackVersion?: string;
}

/** The artifact in `bytes`, when it is the one that was asked for; else `E-IO-003`. `place` is for messages. */
export async function openFetched(bytes: Uint8Array, place: string, wanted: Wanted): Promise<PackedArtifact> {
  const { name, version, platform, fallbackVersion } = wanted;
  const artifact = await describeArchive(bytes, place, {
    ...(platform === undefined ? {} : { platform }),
    ...(fallbackVersion === undefined ? {} : { fallbackVersion }),
  });
  const { meta } = artifact;
  if ((name ?? meta.name) === meta.name && (version ?? meta.version) === meta.version) return artifact;
  const asked = labelOf({ name: name ?? meta.name, ...(version === undefined ? {} : { version }) });
  throw new MurError('E-IO-003', `${place} holds ${labelOf(meta)}, not the ${asked} that was asked for`, {
    hint: 'nothing was stored; tell whoever publishes it',
  });
}
