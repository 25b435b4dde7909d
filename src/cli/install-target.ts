import type { PackedArtifact } from '../artifacts/describe.js';
import type { LocalStore } from '../artifacts/local-store.js';
import type { MurError } from '../errors/index.js';
import {
  adoptedBy,
  conflictOf,
  type Lock,
  type LockEntry,
  type PinRequest,
  pin,
  readLock,
  updateLock,
} from '../lock/index.js';
import type { Found } from './install-sources.js';

/** One artifact that is where it belongs. */
export interface Installed extends Found {
  readonly path: string;
  readonly isPinned: boolean;
  /** The pin of a session's pull that became the operator's. */
  readonly adopted?: LockEntry;
}

/** Where `mur install` puts artifacts, and the lock that they are pinned in. */
export class InstallTarget {
  readonly store: LocalStore;
  readonly #lockDir: string | undefined;
  readonly #lock: Lock;
  readonly #pins: boolean;

  /**
   * Reads the lock in `lockDir`, so that one that cannot be used stops everything (`E-RUN-003`). Without a lock, or with `pins`
   * false, nothing is pinned; what the lock pins at other bytes is refused all the same.
   */
  constructor(store: LocalStore, lockDir: string | undefined, { pins = true }: { readonly pins?: boolean } = {}) {
    this.store = store;
    this.#lockDir = lockDir;
    this.#pins = pins;
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
    if (this.#lockDir === undefined || !this.#pins) {
      const problem = this.objection(found.artifact);
      if (problem !== undefined) throw problem;
      return { ...found, path: await this.#put(found), isPinned: false };
    }
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
