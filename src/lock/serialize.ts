import { lockVersion } from './parse.js';
import type { Lock, LockEntry } from './types.js';

/**
 * The text of `lock`: the same for the same pins in whatever order they were made, and read back as the same lock. No
 * comments; only the hash shape an entry has.
 */
export function serializeLock(lock: Lock): string {
  const head = `lock_version: ${lockVersion}\n`;
  if (lock.artifacts.length === 0) return `${head}artifacts: []\n`;
  const entries = [...lock.artifacts].sort((a, b) => byBytes(a.name, b.name));
  return `${head}artifacts:\n${entries.flatMap(entryLines).join('\n')}\n`;
}

function entryLines({ name, resolvedVersion, sha256, origin, session }: LockEntry): string[] {
  const hashes =
    'any' in sha256
      ? [`      any: ${scalar(sha256.any)}`]
      : [
          '      platforms:',
          ...Object.entries(sha256.platforms)
            .sort(([a], [b]) => byBytes(a, b))
            .map(([platform, hash]) => `        ${scalar(platform)}: ${scalar(hash)}`),
        ];
  return [
    `  - name: ${scalar(name)}`,
    // Always quoted: a version that looks like a number is no number.
    `    resolved_version: ${JSON.stringify(resolvedVersion)}`,
    '    sha256:',
    ...hashes,
    `    origin: ${origin}`,
    ...(session === undefined ? [] : [`    session: ${scalar(session)}`]),
  ];
}

/** A word of letters that no YAML reader takes for another type. */
const plain = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z][a-z0-9_/-]*$/;
/** A hash that is neither a number nor one in exponent form. */
const plainHash = /^(?=.*[abcdf])[0-9a-f]{64}$/;

function scalar(text: string): string {
  return plain.test(text) || plainHash.test(text) ? text : JSON.stringify(text);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
