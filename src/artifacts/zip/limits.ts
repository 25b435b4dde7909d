/** Bounds on what an archive may unpack to. All are enforced on the bytes produced, not only on what its headers claim. */
export interface ArchiveLimits {
  /** Most bytes of one unpacked file. */
  readonly entryBytes: number;
  /** Most bytes of all unpacked files together. */
  readonly totalBytes: number;
  /** Most entries, folders included. */
  readonly entries: number;
}

export const ceilingVariable = 'MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES';
const defaultEntryBytes = 524_288_000;

/**
 * The limits of this machine: 500 MiB per file, or `MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES` (spec/artifacts.md section 4; a value
 * that is no positive whole number of at most 15 digits counts as absent), twice that together, and 10,000 entries.
 */
export function archiveLimits(env: NodeJS.ProcessEnv = process.env): ArchiveLimits {
  const set = env[ceilingVariable]?.trim() ?? '';
  const bytes = /^\d{1,15}$/.test(set) ? Number(set) : 0;
  const entryBytes = bytes > 0 ? bytes : defaultEntryBytes;
  return { entryBytes, totalBytes: 2 * entryBytes, entries: 10_000 };
}
