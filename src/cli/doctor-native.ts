import { nativePlatformOf, type StoredArtifact } from '../artifacts/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import type { NativeReach } from '../stage/containment.js';
import type { Finding } from './doctor-block.js';

/** A program that fits this host, as far as its format tells: whether it can start here, and what a run refuses about it. */
export function nativeFinding(entry: ArtifactEntry, text: string, natives: readonly NativeReach[]): Finding {
  if (entry.gateway !== undefined) {
    const why = "declares 'gateway:' but ships a native implementation";
    return { level: 'error', code: 'E-CAP-017', text: `${text} - ${why}`, fix: `remove gateway: from '${entry.name}'` };
  }
  const missing = natives.find(({ artifact }) => artifact === entry.name)?.entrypoint.missing ?? [];
  if (missing.length === 0) return { level: 'ok', text };
  return {
    level: 'warning',
    text: `${text} - needs ${missing.join(', ')}, not found on this host: every call of it will fail`,
    fix: `install ${missing.join(', ')}, or another variant of '${entry.name}'`,
  };
}

/** What it was built for, by its tag or its format. */
export function platformOf(stored: StoredArtifact, { bytes }: { readonly bytes: Uint8Array }): string {
  return stored.platform ?? nativePlatformOf(bytes) ?? 'platform unverified';
}

/** A variant that was filed without its platform; `undefined` for one that has it. */
export function untaggedFinding(text: string, { warnings = [] }: StoredArtifact): Finding | undefined {
  if (!warnings.some(({ code }) => code === 'W-REG-001')) return undefined;
  const why = 'native artifact with no recorded platform (warning[W-REG-001])';
  return {
    level: 'warning',
    code: 'W-REG-001',
    text: `${text} - ${why}`,
    fix: 'publish it with mur publish --platform, which records one',
  };
}
