/**
 * The native tools of a session: what each needs of this host, and its image and store where its process finds them (spec/shell.md 7).
 * Not what is started and how (../effects/command-native.ts). Loaded for sessions that have any.
 * Read next: ../containment/entrypoint.ts, contain.ts.
 */
import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ArtifactPayload, type ArtifactStore, findStored, type ResolvedArtifact } from '../artifacts/index.js';
import { readSource } from '../artifacts/source.js';
import { openStored } from '../artifacts/stored.js';
import type { ByteSource } from '../containment/elf.js';
import { type NativeEntrypoint, nativeEntrypoint } from '../containment/entrypoint.js';
import { MurError } from '../errors/index.js';
import type { SessionFolders } from '../home/index.js';
import type { ArtifactEntry, RuntimeManifest } from '../manifest/index.js';
import type { ScopeFolders } from '../scope/index.js';
import type { NativeReach } from './containment.js';

/** A native tool that can be called. */
export interface NativeTool {
  readonly artifact: ResolvedArtifact;
  readonly entrypoint: NativeEntrypoint;
  /** The file that is executed. Known once it is written. */
  readonly image?: string;
}

export interface NeedsAsked {
  readonly folders: ScopeFolders;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/**
 * What the image of `name` needs. Read from the bytes that the runtime writes, so that a report without a session says the same. Its
 * folder holds nothing else, so a search path that begins there finds nothing.
 */
export function needsOf(name: string, bytes: Uint8Array, { folders, hostEnv }: NeedsAsked): Promise<NativeEntrypoint> {
  return nativeEntrypoint(sourceOf(bytes), {
    path: join(folders.runtime, 'tools', name, name),
    searchPath: hostEnv.PATH ?? '',
    // Sessions of a project get folders beside one another: what an earlier one left is no better than what this one makes.
    writable: [folders.isWorkMade ? dirname(folders.work) : folders.work, folders.home],
  });
}

/**
 * The native tools a manifest declares, as far as they are installed: for reports that start no session. An artifact that cannot be
 * read is left out; whoever resolves it says why.
 */
export async function nativeToolsIn(
  { artifacts }: Pick<RuntimeManifest, 'artifacts'>,
  from: NeedsAsked & { readonly manifestDir: string; readonly stores: readonly ArtifactStore[] },
): Promise<readonly NativeReach[]> {
  const found: NativeReach[] = [];
  for (const entry of artifacts.filter(({ runtime }) => runtime === 'tool')) {
    const payload = await payloadOf(entry, from).catch(() => undefined);
    if (payload?.kind !== 'native') continue;
    found.push({ artifact: entry.name, entrypoint: await needsOf(entry.toolName, payload.bytes, from) });
  }
  return found;
}

async function payloadOf(
  entry: ArtifactEntry,
  { manifestDir, stores }: { readonly manifestDir: string; readonly stores: readonly ArtifactStore[] },
): Promise<ArtifactPayload | undefined> {
  if (entry.source !== undefined) return readSource(entry, manifestDir).payload;
  const stored = await findStored(stores, entry);
  return stored && (await openStored(entry, stored)).payload;
}

/** Writes the image and gives its path. Throws `E-RUN-903` where no program can be executed. */
export function writeImage(folders: SessionFolders, name: string, bytes: Uint8Array): string {
  folders.tools.writeFile(`${name}/${name}`, bytes, { mode: 0o755 });
  const path = join(folders.tools.path, name, name);
  try {
    accessSync(path, constants.X_OK);
  } catch (error) {
    throw new MurError(
      'E-RUN-903',
      `native tool '${name}' could not be executed at ${path}: the folder is on a noexec mount`,
      {
        hint: 'set HOME to a folder on a file system that is mounted without noexec',
        cause: error,
      },
    );
  }
  return path;
}

function sourceOf(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}
