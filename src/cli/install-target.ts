import type { PackedArtifact } from '../artifacts/describe.js';
import type { LocalStore } from '../artifacts/local-store.js';
import { MurError } from '../errors/index.js';
import {
  adoptedBy,
  conflictOf,
  type Lock,
  type LockEntry,
  type PinRequest,
  pin,
  readLock,
  repin,
  updateLock,
} from '../lock/index.js';
import type { Found } from './install-sources.js';

/** One artifact that is where it belongs. */
export interface Installed extends Found {
  readonly path: string;
  readonly isPinned: boolean;
  /** The pin of a session's pull that became the operator's. */
  readonly adopted?: LockEntry;
  /** The operator's pin that the new one took the place of. */
  readonly replaced?: LockEntry;
}

/**
 * What an install does to the lock: `pins` adds what is missing, `keeps` changes nothing, `repins` replaces the pin that what is
 * installed is in conflict with, and adds none.
 */
export type Pinning = 'pins' | 'keeps' | 'repins';

/** Where `mur install` puts artifacts, and the lock that they are pinned in. */
export class InstallTarget {
  readonly store: LocalStore;
  readonly #lockDir: string | undefined;
  readonly #lock: Lock;
  readonly #pinning: Pinning;

  /**
   * Reads the lock in `lockDir`, so that one that cannot be used stops everything (`E-RUN-003`). Without a folder, or where `pinning`
   * keeps the lock, nothing is pinned; what the lock pins at other bytes is refused all the same.
   */
  constructor(store: LocalStore, lockDir: string | undefined, pinning: Pinning = 'pins') {
    this.store = store;
    this.#lockDir = lockDir;
    this.#pinning = pinning;
    this.#lock = (lockDir === undefined ? undefined : readLock(lockDir)) ?? { artifacts: [] };
  }

  /** Why the lock, as it was at the start, refuses the artifact. */
  objection(artifact: PackedArtifact): MurError | undefined {
    return this.#conflict(pinOf(artifact));
  }

  /** The same, for a version that nothing was fetched of yet. */
  objectionToVersion(name: string, version: string): MurError | undefined {
    const entry = this.#lock.artifacts.find((each) => each.name === name);
    return entry === undefined || entry.resolvedVersion === version
      ? undefined
      : conflictOf(entry, { name, version, sha256: '', origin: 'operator' });
  }

  /**
   * Stores and pins. Both happen while no other process changes the lock, so what is pinned is what is stored; a conflict
   * (`E-REG-005`) is found before either.
   */
  async install(found: Found): Promise<Installed> {
    if (this.#lockDir === undefined || this.#pinning === 'keeps') {
      const problem = this.objection(found.artifact);
      if (problem !== undefined) throw this.#withRepin(problem, found);
      return { ...found, path: await this.#put(found), isPinned: false };
    }
    if (this.#pinning === 'repins') return this.#repin(found, this.#lockDir);
    const what = pinOf(found.artifact);
    let path = '';
    let adopted: LockEntry | undefined;
    await updateLock(this.#lockDir, async (lock) => {
      const pinned = pin(lock, what);
      path = await this.#put(found);
      adopted = adoptedBy(lock, what);
      return pinned;
    });
    return { ...found, path, isPinned: true, ...(adopted === undefined ? {} : { adopted }) };
  }

  async #repin(found: Found, lockDir: string): Promise<Installed> {
    let path = '';
    let replaced: LockEntry | undefined;
    await updateLock(lockDir, async (lock) => {
      const repinned = repin(lock, pinOf(found.artifact));
      path = await this.#put(found);
      replaced = repinned.replaced;
      return repinned.lock;
    });
    return { ...found, path, isPinned: replaced !== undefined, ...(replaced === undefined ? {} : { replaced }) };
  }

  /** The refusal of a file, with the command that replaces the pin where that command would. */
  #withRepin(problem: MurError, { artifact, from }: Found): MurError {
    const entry = this.#lock.artifacts.find(({ name }) => name === artifact.meta.name);
    if (entry?.origin !== 'operator') return problem;
    const hint = `if the change is meant: mur install --repin ${from} replaces the pin`;
    return new MurError(problem.code, problem.message, { hint });
  }

  async #put({ artifact, stored }: Found): Promise<string> {
    if (stored?.store.root === this.store.root && stored.isWhole) return stored.path;
    return (await this.store.put(artifact)).path;
  }

  #conflict(what: PinRequest): MurError | undefined {
    const entry = this.#lock.artifacts.find(({ name }) => name === what.name);
    return entry === undefined ? undefined : conflictOf(entry, what);
  }
}

function pinOf({ meta, sha256, platform }: PackedArtifact): PinRequest {
  return {
    name: meta.name,
    version: meta.version,
    sha256,
    origin: 'operator',
    ...(platform === undefined ? {} : { platform }),
  };
}
