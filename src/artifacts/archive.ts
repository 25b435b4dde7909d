/**
 * `.mur.zip` archives, read and written (spec/artifacts.md sections 3 and 4). yauzl reads the directory and yazl writes; what makes
 * it safe to read one from anywhere stands around them in zip/: names, kinds, sizes, checksums, and that an archive can be read
 * in one way only. Nothing here writes to disk.
 * Read next: zip/entries.ts (the whole of an archive), zip/entry.ts (one entry), zip/name.ts, zip/unpack.ts.
 *
 * Does not stop: an archive whose content is harmful as such, which is for grants and the sandbox; one as large as the limits
 * allow, which is held in memory whole.
 */
import { type ErrorCode, MurError } from '../errors/index.js';
import { type ArchiveLimits, archiveLimits } from './zip/limits.js';
import type { PackEntry } from './zip/pack.js';
import { shown, ZipProblem } from './zip/problem.js';

export { type ArchiveLimits, archiveLimits } from './zip/limits.js';
export type { PackEntry } from './zip/pack.js';

/** A checked archive, held in memory. */
export interface Archive {
  readonly place: string;
  /** Its files, safe to join to a folder, with `/` between folders. */
  readonly names: readonly string[];
  /** The bytes of one file. Rejects with `E-IO-003` for one that is not there or is not what its header says. */
  read(name: string): Promise<Uint8Array>;
}

/**
 * The archive in `bytes`; `place` names it in messages. Rejects with `E-IO-003` for anything but a whole, plain zip file with a
 * `murmur.yaml`. The content of an entry is checked when it is read.
 *
 * An entry written with a leading `/` is checked like the others and then left out: it is nobody's payload.
 */
export async function openArchive(
  bytes: Uint8Array,
  place: string,
  limits: ArchiveLimits = archiveLimits(),
): Promise<Archive> {
  const archive = await openZip(bytes, place, limits);
  if (archive.names.includes('murmur.yaml')) return archive;
  throw new MurError(
    'E-IO-003',
    `failed to read artifact archive ${place}: artifact missing required file murmur.yaml`,
  );
}

/** The same for a zip that may have no `murmur.yaml` yet: a skill that is about to be packed. */
export async function openZip(
  bytes: Uint8Array,
  place: string,
  limits: ArchiveLimits = archiveLimits(),
): Promise<Archive> {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = `failed to read artifact archive ${place}`;
  // Loaded by the first archive only: most commands, and a run of shipped artifacts, read none.
  const { readEntries } = await import('./zip/entries.js');
  const { unpack } = await import('./zip/unpack.js');
  const entries = await refusing(read, () => readEntries(zip, limits));
  const files = new Map(
    entries.filter((entry) => !entry.isFolder && !entry.isRooted).map((entry) => [entry.name, entry]),
  );
  return {
    place,
    names: [...files.keys()],
    read: (name) =>
      refusing(read, async () => {
        const entry = files.get(name);
        if (entry === undefined) throw new ZipProblem(`it has no file '${shown(name)}'`);
        return unpack(zip, entry);
      }),
  };
}

/** `bytes` of an archive's file as text. Throws `E-IO-003` when they are no UTF-8. */
export function archiveText(bytes: Uint8Array, name: string, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MurError(
      'E-IO-003',
      `failed to read artifact archive ${place}: zip entry '${shown(name)}' is not valid UTF-8`,
    );
  }
}

/**
 * A zip of `entries`, the same bytes for the same entries in any order, time zone and year: fixed times and modes, `murmur.yaml`
 * first. Deflate is Node's, so another release of Node may pack the same content into other bytes. `E-BLD-002` for a name that
 * `openArchive` would refuse.
 */
export async function packArchive(entries: readonly PackEntry[]): Promise<Uint8Array> {
  const { pack } = await import('./zip/pack.js');
  return refusing('the archive cannot be packed', () => pack(entries), {
    code: 'E-BLD-002',
    hint: 'rename the file, or leave it out of requires_files',
  });
}

const unreadable = { code: 'E-IO-003', hint: 'get the artifact again from where it was published' } as const;

/** A refusal becomes a `MurError` that begins with `what`; anything else is a bug and passes through. */
async function refusing<T>(
  what: string,
  work: () => Promise<T>,
  { code, hint }: { readonly code: ErrorCode; readonly hint: string } = unreadable,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ZipProblem ? new MurError(code, `${what}: ${error.message}`, { hint }) : error;
  }
}
