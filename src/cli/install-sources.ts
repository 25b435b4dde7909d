import { describeArchive, type PackedArtifact } from '../artifacts/describe.js';
import { embeddedStore } from '../artifacts/embedded.js';
import type { LocalStore } from '../artifacts/local-store.js';
import { readArtifactFile } from '../artifacts/payload.js';
import { hostPlatform } from '../artifacts/platform.js';
import {
  type Fetched,
  type RegistryChoice,
  type RegistryContext,
  type ReleaseRef,
  remoteRegistry,
  type SourceChain,
  sourceChain,
} from '../artifacts/registries/index.js';
import { isMurError, MurError } from '../errors/index.js';

/** An artifact in hand, checked. */
export interface Found {
  readonly artifact: PackedArtifact;
  /** Where it came from; safe to print. */
  readonly from: string;
  /** A source of config.yaml gave it. */
  readonly isFromSource: boolean;
  /** Where it lies, when it came from a store of this machine. */
  readonly stored?: { readonly store: LocalStore; readonly path: string; readonly isWhole: boolean };
}

export interface SourcesOptions {
  readonly choice: RegistryChoice;
  readonly registry: RegistryContext;
  /** The local registry: asked in this order when no remote one is chosen. */
  readonly stores: readonly LocalStore[];
}

/** Why an artifact may not be installed; `undefined` when it may. */
export type Objection = (artifact: PackedArtifact) => MurError | undefined;

/** Where `mur install` gets artifacts from, in the order of spec/cli.md section 7. Writes to no store. */
export class InstallSources {
  readonly #options: SourcesOptions;
  readonly #platform = hostPlatform();
  #chain: SourceChain | undefined;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /**
   * `name@version`: the registry, then the sources. `undefined` for one that mur itself ships and that nothing else has: every
   * run has it already. A stored copy with an objection is passed over; the objection is the answer when there is no other.
   */
  async exact(name: string, version: string, objection: Objection): Promise<Found | undefined> {
    const { choice } = this.#options;
    const local = choice === 'local' ? await this.#fromStores(name, version, objection) : undefined;
    if (local?.found !== undefined) return local.found;
    const remote = choice === 'local' ? undefined : await this.#fromRemote(choice.url, name, version);
    if (remote?.found !== undefined) return remote.found;
    if (local?.refused === undefined && (await embeddedStore().versions(name)).includes(version)) return undefined;
    try {
      return ofSource(await this.chain.fetch({ name, version, platform: this.#platform }));
    } catch (error) {
      throw local?.refused ?? withAnswer(error, remote?.answer);
    }
  }

  async latest(name: string): Promise<Found> {
    return ofSource(await this.chain.fetch({ name, platform: this.#platform }));
  }

  async release(ref: ReleaseRef): Promise<Found[]> {
    return (await this.chain.fetchRelease(ref)).map(ofSource);
  }

  async allPlatforms(name: string, version: string): Promise<Found[]> {
    return (await this.chain.allPlatforms(name, version)).map(ofSource);
  }

  get chain(): SourceChain {
    this.#chain ??= sourceChain(this.#options.registry);
    return this.#chain;
  }

  async #fromStores(name: string, version: string, objection: Objection) {
    let refused: MurError | undefined;
    for (const store of this.#options.stores) {
      try {
        const stored = await store.find(name, version, this.#platform);
        if (stored === undefined) continue;
        const artifact = await describeArchive(readArtifactFile(stored.place), stored.place);
        const problem = artifact.sha256 === stored.sha256 ? objection(artifact) : changed(name, version, stored.place);
        if (problem === undefined) {
          const found: Found = {
            artifact: filedAs(artifact, stored.platform),
            from: stored.place,
            isFromSource: false,
            stored: { store, path: stored.place, isWhole: stored.isUndescribed !== true },
          };
          return { found };
        }
        refused ??= problem;
      } catch (error) {
        // A damaged copy is what an install mends, if it can.
        if (!isMurError(error)) throw error;
        refused ??= error;
      }
    }
    return { refused };
  }

  async #fromRemote(url: string, name: string, version: string) {
    try {
      const fetched = await remoteRegistry(url, this.#options.registry).fetch({
        name,
        version,
        platform: this.#platform,
      });
      return { found: { ...fetched, isFromSource: false } satisfies Found };
    } catch (error) {
      if (isMurError(error) && error.code === 'E-REG-001') return { answer: `${url} - no such artifact` };
      throw error;
    }
  }
}

/** The artifact in a file that somebody named. */
export async function fileArtifact(path: string): Promise<Found> {
  return { artifact: await describeArchive(readArtifactFile(path), path), from: path, isFromSource: false };
}

function ofSource(fetched: Fetched): Found {
  return { ...fetched, isFromSource: true };
}

/** A native artifact is pinned under the platform it is stored for, and one that is stored for all is pinned for all. */
function filedAs({ platform: _, ...artifact }: PackedArtifact, platform: string | undefined): PackedArtifact {
  return platform === undefined ? artifact : { ...artifact, platform };
}

function changed(name: string, version: string, place: string): MurError {
  return new MurError(
    'E-REG-002',
    `artifact integrity check failed for ${name}@${version}: ${place} was replaced while it was read`,
  );
}

/** The sources' refusal, with what the registry said before it. */
function withAnswer(error: unknown, answer: string | undefined): unknown {
  if (answer === undefined || !isMurError(error)) return error;
  return new MurError(error.code, `${error.message}\n  ${answer}`, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    cause: error,
  });
}
