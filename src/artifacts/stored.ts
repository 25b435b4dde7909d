import { MurError } from '../errors/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { sha256Hex } from '../text/index.js';
import { archiveText } from './archive.js';
import { packagingOf, parseArtifactManifest } from './manifest.js';
import { nativePayload, programOf, rootWasm } from './program.js';
import type { StoredArtifact } from './store.js';
import type { ArtifactManifest, ArtifactPayload, ResolvedArtifact } from './types.js';

/** What is read of an artifact that a store gave. */
export type Opened = Pick<ResolvedArtifact, 'manifestText' | 'manifest' | 'from' | 'sha256' | 'platform' | 'payload'>;

/**
 * The manifest and the payload of `stored`, for the role its entry has. Rejects with `E-IO-003` for what is not there or is
 * another artifact, with `E-RUN-021` for a program of another platform, and with `E-RUN-029` for a driver that is a program.
 */
export async function openStored(entry: ArtifactEntry, stored: StoredArtifact): Promise<Opened> {
  const label = `${entry.name}@${entry.version}`;
  const text = async (name: string): Promise<string> =>
    archiveText(await required(stored, label, name), name, `for ${label}`);
  const manifestText = await text('murmur.yaml');
  const manifest = parseArtifactManifest(manifestText, `murmur.yaml of '${label}'`, entry.version);
  checkIdentity(manifest, entry, stored);
  const payload = await readPayload();
  return {
    manifestText,
    manifest,
    from: stored.from,
    // An embedded artifact has no archive; its payload is what a session runs of it.
    sha256: stored.from === 'embedded' ? payloadDigest(payload) : stored.sha256,
    payload,
    ...(stored.platform === undefined ? {} : { platform: stored.platform }),
  };

  async function readPayload(): Promise<ArtifactPayload> {
    if (entry.runtime === 'skill') return { kind: 'skill', text: await text('skill.md') };
    if (packagingOf(manifest) !== 'native') {
      return { kind: 'wasm', bytes: await stored.read(rootWasm(stored.place, stored.names, manifest)) };
    }
    return nativePayload(entry, await required(stored, label, programOf(manifest.name)));
  }
}

export function payloadDigest(payload: ArtifactPayload): string {
  return sha256Hex(payload.kind === 'skill' ? payload.text : payload.bytes);
}

async function required(stored: StoredArtifact, label: string, name: string): Promise<Uint8Array> {
  if (stored.names.includes(name)) return stored.read(name);
  throw new MurError('E-IO-003', `artifact '${label}' in ${stored.place}: artifact missing required file ${name}`);
}

/** A scope is where an artifact was published; its own manifest may leave it out. */
function checkIdentity(manifest: ArtifactManifest, entry: ArtifactEntry, stored: StoredArtifact): void {
  const isNamed = manifest.name === entry.name || manifest.name === entry.toolName;
  if (isNamed && manifest.version === entry.version) return;
  throw new MurError(
    'E-IO-003',
    `artifact '${entry.name}@${entry.version}' in ${stored.place} is another one: its murmur.yaml says '${manifest.name}@${manifest.version}'`,
    { hint: `mur install ${entry.name}@${entry.version} stores it again` },
  );
}
