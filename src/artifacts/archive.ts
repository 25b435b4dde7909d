import { MurError } from '../errors/index.js';

export interface ArchiveLimits {
  /** Most bytes of one unpacked file. */
  readonly entryBytes: number;
  /** Most bytes of all unpacked files together. */
  readonly totalBytes: number;
  /** Most entries, folders included. */
  readonly entries: number;
}

/** A checked `.mur.zip`, held in memory. */
export interface Archive {
  readonly place: string;
  /** Its files, safe to join to a folder, with `/` between folders. */
  readonly names: readonly string[];
  /** The bytes of one file. Rejects with `E-IO-003` for one that is not there or is not what its header says. */
  read(name: string): Promise<Uint8Array>;
}

export interface PackEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

export async function openArchive(_bytes: Uint8Array, place: string, _limits?: ArchiveLimits): Promise<Archive> {
  throw new MurError('E-IO-003', `failed to read artifact archive ${place}`);
}

export async function packArchive(_entries: readonly PackEntry[]): Promise<Uint8Array> {
  throw new MurError('E-IO-003', 'failed to write an artifact archive');
}
