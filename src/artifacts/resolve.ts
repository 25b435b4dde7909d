import { createHash } from 'node:crypto';
import { MurError } from '../errors/index.js';
import type { ArtifactEntry, ArtifactRole } from '../manifest/index.js';
import { embeddedStore } from './embedded.js';
import { parseArtifactManifest } from './manifest.js';
import { readSource } from './source.js';
import { type ArtifactStore, hostPlatform, type StoredArtifact } from './store.js';
import type { ArtifactPayload, ResolvedArtifact } from './types.js';
import { readWasmPayload } from './wasm-payload.js';

export interface ResolveContext {
  /** Base of relative `source:` paths. */
  readonly manifestDir: string;
  /** Asked in order; the first that has an artifact gives it. Default: the store this package ships. */
  readonly stores?: readonly ArtifactStore[];
}

/**
 * Every declared artifact with its bytes, in declaration order (spec/artifacts.md section 9). Throws at the first unusable one;
 * those that no store has are named together (`E-RUN-008`), so one install mends them all. Writes nothing.
 */
export async function resolveArtifacts(
  entries: readonly ArtifactEntry[],
  context: ResolveContext,
): Promise<ResolvedArtifact[]> {
  const stores = context.stores ?? [embeddedStore()];
  const resolved: ResolvedArtifact[] = [];
  const missing: ArtifactEntry[] = [];
  for (const entry of entries) {
    if (entry.source !== undefined) {
      resolved.push(complete(entry, { ...readSource(entry, context.manifestDir), from: 'source' }));
      continue;
    }
    const stored = await firstWith(stores, entry);
    if (stored === undefined) missing.push(entry);
    else resolved.push(complete(entry, open(entry, stored)));
  }
  if (missing.length > 0) throw await missingArtifacts(missing, stores);
  return resolved;
}

type Parts = Pick<ResolvedArtifact, 'role' | 'manifestText' | 'manifest' | 'payload' | 'from'>;

async function firstWith(stores: readonly ArtifactStore[], entry: ArtifactEntry): Promise<StoredArtifact | undefined> {
  for (const store of stores) {
    const stored = await store.find(entry.name, entry.version, hostPlatform());
    if (stored !== undefined) return stored;
  }
  return undefined;
}

function open(entry: ArtifactEntry, stored: StoredArtifact): Parts {
  const label = `${entry.name}@${entry.version}`;
  if (!stored.names.includes('murmur.yaml')) {
    throw new MurError(
      'E-IO-003',
      `artifact '${label}' in ${stored.place}: artifact missing required file murmur.yaml`,
    );
  }
  const manifestText = decode(stored.read('murmur.yaml'), 'murmur.yaml', label);
  const manifest = parseArtifactManifest(manifestText, `murmur.yaml of '${label}'`);
  const payload =
    entry.runtime === 'skill'
      ? readSkill(stored, label)
      : readWasmPayload(stored.place, stored.names, manifest, (name) => stored.read(name));
  return { role: entry.runtime satisfies ArtifactRole, manifestText, manifest, payload, from: stored.from };
}

function readSkill(stored: StoredArtifact, label: string): ArtifactPayload {
  if (!stored.names.includes('skill.md')) {
    throw new MurError('E-IO-003', `artifact '${label}' in ${stored.place}: missing root skill.md`);
  }
  return { kind: 'skill', text: decode(stored.read('skill.md'), 'skill.md', label) };
}

function decode(bytes: Uint8Array, name: string, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MurError('E-IO-003', `artifact '${label}': ${name} is not valid UTF-8`);
  }
}

function complete(entry: ArtifactEntry, parts: Parts): ResolvedArtifact {
  const { payload } = parts;
  return {
    entry,
    name: entry.toolName,
    fullName: entry.name,
    version: entry.version,
    implementation: parts.manifest.implementation,
    origin: 'operator',
    sha256: createHash('sha256')
      .update(payload.kind === 'wasm' ? payload.bytes : payload.text)
      .digest('hex'),
    ...parts,
  };
}

async function missingArtifacts(
  entries: readonly ArtifactEntry[],
  stores: readonly ArtifactStore[],
): Promise<MurError> {
  const names = entries.map((entry) => `${entry.name}@${entry.version}`);
  const others: string[] = [];
  for (const { name } of entries) {
    for (const store of stores) others.push(...(await store.versions(name)).map((version) => `${name}@${version}`));
  }
  const found = others.length === 0 ? '' : `; found instead: ${others.join(', ')}`;
  return new MurError('E-RUN-008', `missing artifacts: ${names.join(', ')}`, {
    hint: `name one that mur ships, or give the entry source: and local_source: true${found}`,
  });
}
