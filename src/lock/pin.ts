import { MurError } from '../errors/index.js';
import type { Lock, LockEntry, LockHash, PinRequest } from './types.js';

/**
 * `lock` with `what` pinned. Throws `E-REG-005` when the lock pins something else; nothing was changed then. A pull never takes
 * a pin from the operator, because what a session pulled it may also remove.
 */
export function pin(lock: Lock, what: PinRequest): Lock {
  const entry = entryOf(lock, what.name);
  const problem = entry === undefined ? undefined : conflictOf(entry, what);
  if (problem !== undefined) throw problem;
  return upsert(lock, what.origin === 'runtime' && entry?.origin === 'operator' ? asOperator(what) : what);
}

/**
 * `lock` with the operator's pin that `what` is in conflict with replaced by `what`, and the pin that it was. Without a conflict, or
 * without a pin, the same lock. Throws `E-REG-005` for the pin of a session's pull, which nobody has vouched for yet.
 */
export function repin(lock: Lock, what: PinRequest): { readonly lock: Lock; readonly replaced?: LockEntry } {
  const entry = entryOf(lock, what.name);
  const problem = entry === undefined ? undefined : conflictOf(entry, what);
  if (entry === undefined || problem === undefined) return { lock };
  if (entry.origin !== 'operator') throw problem;
  return { lock: upsert(lock, what), replaced: entry };
}

/** The pin of a session's pull that `what` makes an operator's; `undefined` when it adopts none. */
export function adoptedBy(lock: Lock, what: PinRequest): LockEntry | undefined {
  const entry = entryOf(lock, what.name);
  return entry?.origin === 'runtime' && what.origin === 'operator' ? entry : undefined;
}

/** `lock` without the pin of `name`. */
export function unpin(lock: Lock, name: string): Lock {
  return { artifacts: lock.artifacts.filter((entry) => entry.name !== name) };
}

/**
 * `lock` with `what` in it, whatever was there: hashes of other platforms stay when version and shape are the same, else the
 * new hash is the only one.
 */
export function upsert(lock: Lock, what: PinRequest): Lock {
  const before = entryOf(lock, what.name);
  const sha256 = hashOf(what);
  const entry: LockEntry = {
    name: what.name,
    resolvedVersion: what.version,
    sha256: before?.resolvedVersion === what.version ? merged(before.sha256, sha256) : sha256,
    origin: what.origin,
    ...(what.session === undefined ? {} : { session: what.session }),
  };
  return {
    artifacts:
      before === undefined
        ? [...lock.artifacts, entry]
        : lock.artifacts.map((each) => (each === before ? entry : each)),
  };
}

/** Why `what` may not be pinned over `entry`, as `E-REG-005`. A platform that is not pinned yet is no conflict. */
export function conflictOf(entry: LockEntry, what: PinRequest): MurError | undefined {
  const { name, version, sha256, platform } = what;
  if (entry.resolvedVersion !== version) {
    return conflict(name, `murmur.lock pins '${name}' at ${entry.resolvedVersion}, resolved ${version}`);
  }
  const label = `${name}@${version}`;
  const pinned = entry.sha256;
  if ('any' in pinned) {
    if (platform !== undefined) {
      return conflict(
        name,
        `murmur.lock pins '${label}' as one archive for every platform, resolved one for ${platform}`,
      );
    }
    return pinned.any === sha256 ? undefined : conflict(name, hashes(label, pinned.any, sha256));
  }
  if (platform === undefined) {
    const platforms = Object.keys(pinned.platforms).join(', ');
    return conflict(
      name,
      `murmur.lock pins '${label}' per platform (${platforms}), resolved one archive for every platform`,
    );
  }
  const known = Object.hasOwn(pinned.platforms, platform) ? pinned.platforms[platform] : undefined;
  if (known === undefined || known === sha256) return undefined;
  return conflict(name, hashes(`${label} on ${platform}`, known, sha256));
}

function hashes(label: string, pinned: string, resolved: string): string {
  return `murmur.lock pins ${label} with sha256 ${pinned}, resolved bytes with sha256 ${resolved}`;
}

function conflict(name: string, message: string): MurError {
  return new MurError('E-REG-005', message, {
    hint: `if the change is meant, remove the entry of '${name}' from murmur.lock and run mur install again`,
  });
}

function entryOf(lock: Lock, name: string): LockEntry | undefined {
  return lock.artifacts.find((entry) => entry.name === name);
}

function hashOf({ sha256, platform }: PinRequest): LockHash {
  return platform === undefined ? { any: sha256 } : { platforms: { [platform]: sha256 } };
}

function merged(before: LockHash, now: LockHash): LockHash {
  if ('any' in before || 'any' in now) return now;
  return { platforms: { ...before.platforms, ...now.platforms } };
}

function asOperator({ session: _, ...what }: PinRequest): PinRequest {
  return { ...what, origin: 'operator' };
}
