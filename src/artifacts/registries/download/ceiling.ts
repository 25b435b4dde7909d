const variable = 'MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES';
const defaultBytes = 524_288_000;

export const ceilingHint = `set ${variable} to allow more`;

/**
 * Most bytes of one archive: the ceiling of what is unpacked from it (spec/artifacts.md section 4). An archive is compressed, so one
 * above it cannot hold what may be unpacked.
 */
export function downloadCeiling(env: NodeJS.ProcessEnv): number {
  const text = env[variable] ?? '';
  const bytes = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0;
  return bytes > 0 ? bytes : defaultBytes;
}
