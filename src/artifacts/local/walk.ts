import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../errors/index.js';
import { ioError } from '../../home/index.js';
import { artifactNameProblem, isMissing, versionProblem } from '../../manifest/index.js';
import { artifactFileStem } from '../file-name.js';
import type { StoreProblem, StoreRow } from '../local-store.js';
import { platforms } from '../platform.js';
import { describedBy, hasPart } from './read.js';
import { look, partPath, setPlace, versionFolder } from './set.js';

/** What a store holds, and what in it is no artifact. Links are named, never followed; archives are not opened. */
export function walkStore(root: string): {
  readonly rows: readonly StoreRow[];
  readonly problems: readonly StoreProblem[];
} {
  const walk = new Walk(root);
  walk.run();
  return { rows: walk.rows.sort(byNameVersionRuntime), problems: walk.problems };
}

/** The versions of `name` that lie in the store, in name order. */
export function versionsOf(root: string, name: string): readonly string[] {
  const walk = new Walk(root);
  const folder = join(root, ...name.split('/'));
  return walk.folders(folder).filter((version) => walk.variants(name, version).length > 0);
}

class Walk {
  readonly rows: StoreRow[] = [];
  readonly problems: StoreProblem[] = [];
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  run(): void {
    for (const first of this.folders(this.#root)) {
      for (const second of this.folders(join(this.#root, first))) {
        // A scope holds names and a name holds versions. Which it is shows in the files, and it may be both.
        const path = join(this.#root, first, second);
        const isVersion = this.#take(first, second);
        const thirds = isVersion ? this.#entries(path).filter(isFolder).map(nameOf) : this.folders(path);
        const taken = thirds.filter((third) => this.#take(`${first}/${second}`, third));
        if (!isVersion && taken.length === 0) this.#report(path, 'it holds no artifact');
      }
    }
  }

  /** Names of the folders in `path`; everything else there is reported. */
  folders(path: string): readonly string[] {
    return this.#entries(path).flatMap((entry) => {
      if (entry.isDirectory()) return [entry.name];
      if (entry.isSymbolicLink()) this.#report(join(path, entry.name), 'it is a link');
      else if (!this.#isSetFile(entry.name)) this.#report(join(path, entry.name), 'it is no artifact folder');
      return [];
    });
  }

  /** The platforms the set of `name@version` is there for; `undefined` stands for the one that is for all. */
  variants(name: string, version: string): readonly (string | undefined)[] {
    if (artifactNameProblem(name) !== undefined || versionProblem(version) !== undefined) return [];
    return [undefined, ...platforms].filter((platform) => {
      const place = setPlace(this.#root, name, version, platform);
      try {
        return hasPart(place, '.mur.zip');
      } catch (error) {
        this.#report(partPath(place, '.mur.zip'), reasonOf(error));
        return false;
      }
    });
  }

  /** Takes up the artifact `name@version`; false when its folder holds nothing of one. */
  #take(name: string, version: string): boolean {
    const before = this.problems.length;
    const variants = this.variants(name, version);
    for (const platform of variants) this.#takeVariant(name, version, platform);
    if (variants.length > 0) this.#reportStrays(name, version);
    return this.problems.length > before || variants.length > 0;
  }

  #takeVariant(name: string, version: string, platform: string | undefined): void {
    const place = setPlace(this.#root, name, version, platform);
    const path = partPath(place, '.mur.zip');
    try {
      if (!hasPart(place, '.sha256')) {
        this.#report(path, 'its .sha256 file is missing');
        return;
      }
      const { meta, isUndescribed } = describedBy(place, name, version);
      if (isUndescribed) this.#report(path, 'its .meta.json file is missing or is not about it');
      this.rows.push({ meta, ...(platform === undefined ? {} : { platform }), path });
    } catch (error) {
      this.#report(path, reasonOf(error));
    }
  }

  #reportStrays(name: string, version: string): void {
    const folder = join(this.#root, ...versionFolder(name, version));
    const stem = artifactFileStem(name, version);
    for (const entry of this.#entries(folder)) {
      if (entry.isSymbolicLink()) this.#report(join(folder, entry.name), 'it is a link');
      else if (entry.isFile() && !entry.name.startsWith(stem))
        this.#report(join(folder, entry.name), 'it is no file of this artifact');
    }
  }

  /** What lies in `path`, by name; hidden names are those of writers at work (set.ts). */
  #entries(path: string): readonly Dirent[] {
    try {
      const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (isMissing(error) && !(path === this.#root && look(path) !== undefined)) return [];
      if (path === this.#root) throw ioError('failed to read the artifact store', path, error);
      this.#report(path, reasonOf(error));
      return [];
    }
  }

  #isSetFile(name: string): boolean {
    return ['.mur.zip', '.sha256', '.meta.json'].some((part) => name.endsWith(part));
  }

  #report(path: string, reason: string): void {
    this.problems.push({ path, reason });
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory();
}

function nameOf(entry: Dirent): string {
  return entry.name;
}

function byNameVersionRuntime(a: StoreRow, b: StoreRow): number {
  const key = ({ meta, platform }: StoreRow): string[] => [meta.name, meta.version, meta.runtime, platform ?? ''];
  const [left, right] = [key(a), key(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : left[at]! < right[at]! ? -1 : 1;
}
