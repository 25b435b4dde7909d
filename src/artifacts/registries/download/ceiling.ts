import { archiveLimits, ceilingVariable } from '../../zip/limits.js';

export const ceilingHint = `set ${ceilingVariable} to allow more`;

/**
 * Most bytes of one archive: the ceiling of one file unpacked from it (spec/artifacts.md section 4). An archive is compressed, so one
 * above it cannot hold what may be unpacked.
 */
export function downloadCeiling(env: NodeJS.ProcessEnv): number {
  return archiveLimits(env).entryBytes;
}
