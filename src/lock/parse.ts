import { kindOf } from '../manifest/shape.js';
import type { Path, Tree } from '../manifest/tree.js';
import { parseYaml } from '../manifest/yaml.js';
import { lockFault } from './fault.js';
import type { Lock, LockEntry, LockHash, LockOrigin } from './types.js';

export const lockVersion = 2;

/**
 * The lock that `text` holds. `place` is its path, for messages. Throws `E-RUN-003` for the first thing that breaks a rule of
 * spec/artifacts.md section 7, with its line and column. Keys this version does not know are passed over; a lock of another
 * version is never read and never migrated.
 */
export function parseLock(text: string, place: string): Lock {
  const parsed = parseYaml(text, keepsText);
  if (!parsed.ok) {
    const at = parsed.at === undefined ? '' : `:${parsed.at.line}:${parsed.at.column}`;
    throw lockFault(`invalid murmur.lock: ${parsed.detail} (${place}${at})`);
  }
  return new Reader(parsed.tree, place).lock();
}

/** A version `1.10` and a hash of digits only are texts, however they are written. */
function keepsText(path: Path): boolean {
  return path[0] === 'artifacts' && path.length > 2;
}

type Block = Readonly<Record<string, unknown>>;

class Reader {
  readonly #tree: Tree;
  readonly #place: string;

  constructor(tree: Tree, place: string) {
    this.#tree = tree;
    this.#place = place;
  }

  lock(): Lock {
    const root = this.#block(this.#tree.root, [], 'the file');
    this.#requireVersion(root.lock_version);
    const list = root.artifacts ?? [];
    if (!Array.isArray(list)) throw this.#fault(['artifacts'], `artifacts: expected sequence, got ${kindOf(list)}`);
    const artifacts = list.map((item, index) => this.#entry(item, ['artifacts', index]));
    const names = new Set<string>();
    for (const [index, { name }] of artifacts.entries()) {
      if (names.has(name)) throw this.#fault(['artifacts', index], `artifact '${name}' is pinned twice`);
      names.add(name);
    }
    return { artifacts };
  }

  #requireVersion(version: unknown): void {
    if (version === lockVersion) return;
    if (version === undefined || version === null) {
      throw this.#fault([], `lock_version is missing (expected ${lockVersion})`);
    }
    const shown = ['number', 'string'].includes(kindOf(version)) ? String(version).slice(0, 40) : kindOf(version);
    throw this.#fault(['lock_version'], `unsupported lock_version ${shown} (expected ${lockVersion})`);
  }

  #entry(item: unknown, path: Path): LockEntry {
    const block = this.#block(item, path, `artifact ${Number(path.at(-1)) + 1}`);
    const name = this.#text(block.name, [...path, 'name'], `artifact ${Number(path.at(-1)) + 1} has no name`);
    const label = `artifact '${name}'`;
    const resolvedVersion = this.#text(
      block.resolved_version,
      [...path, 'resolved_version'],
      `${label} has no resolved_version`,
    );
    const sha256 = this.#hash(block.sha256, [...path, 'sha256'], label);
    const origin = this.#origin(block.origin, [...path, 'origin'], label);
    const hasSession = block.session !== undefined && block.session !== null;
    if (origin === 'operator') {
      if (!hasSession) return { name, resolvedVersion, sha256, origin };
      throw this.#fault([...path, 'session'], `${label} has origin operator and must not name a session`);
    }
    const missing = `${label} has origin runtime and must name the session that pulled it`;
    const session = this.#text(block.session, [...path, 'session'], missing);
    return { name, resolvedVersion, sha256, origin, session };
  }

  #hash(value: unknown, path: Path, label: string): LockHash {
    const block = value === undefined || value === null ? {} : this.#block(value, path, `sha256 of ${label}`);
    const given = block.platforms ?? {};
    const platforms = Object.entries(this.#block(given, [...path, 'platforms'], `sha256.platforms of ${label}`));
    const hasAny = block.any !== undefined && block.any !== null;
    if (!hasAny && platforms.length === 0) {
      throw this.#fault(path, `${label} pins no hash (expected sha256.any or sha256.platforms)`);
    }
    if (hasAny && platforms.length > 0) {
      throw this.#fault(path, `${label} pins both sha256.any and sha256.platforms (expected one of them)`);
    }
    if (hasAny) return { any: this.#text(block.any, [...path, 'any'], `${label} pins a blank sha256.any`) };
    const hashes = platforms.map(([platform, hash]) => {
      const at = [...path, 'platforms', platform];
      if (platform.trim() === '') throw this.#fault(at, `${label} pins a hash for a blank platform`);
      return [platform, this.#text(hash, at, `${label} pins a blank sha256 for ${platform}`)] as const;
    });
    return { platforms: Object.fromEntries(hashes) };
  }

  /** Locks that were written before origins existed pin for the operator. */
  #origin(value: unknown, path: Path, label: string): LockOrigin {
    if (value === undefined || value === null || value === 'operator') return 'operator';
    if (value === 'runtime') return 'runtime';
    throw this.#fault(path, `${label} has an unknown origin (expected operator or runtime)`);
  }

  #block(value: unknown, path: Path, what: string): Block {
    if (kindOf(value) === 'mapping') return value as Block;
    throw this.#fault(path, `${what}: expected mapping, got ${kindOf(value)}`);
  }

  /** A text with something in it; `missing` says what is wrong when there is none. */
  #text(value: unknown, path: Path, missing: string): string {
    if (value === undefined || value === null) throw this.#fault(path, missing);
    if (typeof value !== 'string') {
      throw this.#fault(path, `${path.slice(2).join('.')}: expected string, got ${kindOf(value)}`);
    }
    const text = value.trim();
    if (text === '') throw this.#fault(path, missing);
    return text;
  }

  #fault(path: Path, message: string) {
    const at = this.#tree.positionOf(path);
    const position = at === undefined ? '' : `:${at.line}:${at.column}`;
    return lockFault(`invalid murmur.lock: ${message} (${this.#place}${position})`);
  }
}
