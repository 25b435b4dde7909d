import { lockFault } from './fault.js';
import type { Lock, LockExpectation } from './types.js';

/** A name and the exact version that a manifest asks for. */
export interface ExpectedAt {
  readonly name: string;
  readonly version: string;
}

/**
 * What `lock` pins `name` at, for one platform. Throws `E-RUN-003` when it has no entry, another version, or no hash for that
 * platform: an entry that pins platforms answers for those only.
 */
export function expectationOf(lock: Lock, name: string, version: string, platform: string): LockExpectation {
  const entry = lock.artifacts.find((each) => each.name === name);
  if (entry === undefined) throw missingEntry(name, version);
  const { resolvedVersion, sha256, origin, session } = entry;
  if (resolvedVersion !== version) throw versionMismatch(name, version, resolvedVersion);
  const hash = 'any' in sha256 ? sha256.any : hashOn(platform, sha256.platforms, { name, version });
  return { name, resolvedVersion, sha256: hash, origin, ...(session === undefined ? {} : { session }) };
}

/** The expectations for those of `wanted` that `lock` has an entry of. Throws `E-RUN-003` as `expectationOf` does. */
export function expectationsOf(lock: Lock, wanted: readonly ExpectedAt[], platform: string): LockExpectation[] {
  const names = new Set(lock.artifacts.map(({ name }) => name));
  return wanted
    .filter(({ name }) => names.has(name))
    .map(({ name, version }) => expectationOf(lock, name, version, platform));
}

/** A lock is present, and it does not pin what the manifest declares. */
export function missingEntry(name: string, version: string) {
  return lockFault(`murmur.lock missing artifact entry for '${name}'`, `run mur install ${name}@${version} to pin it`);
}

/** The lock pins another version than the manifest asks for. */
export function versionMismatch(name: string, requested: string, pinned: string) {
  return lockFault(
    `lockfile version mismatch for '${name}': manifest requested ${requested}, lock pinned ${pinned}`,
    `declare ${pinned} in murmur.yaml, or remove the entry of '${name}' from murmur.lock and run mur install`,
  );
}

function hashOn(platform: string, platforms: Readonly<Record<string, string>>, { name, version }: ExpectedAt): string {
  const hash = Object.hasOwn(platforms, platform) ? platforms[platform] : undefined;
  if (hash !== undefined) return hash;
  throw lockFault(
    `murmur.lock has no sha256 for '${name}' on ${platform}: it pins ${Object.keys(platforms).join(', ')}`,
    `run mur install ${name}@${version} on this host to pin it`,
  );
}
