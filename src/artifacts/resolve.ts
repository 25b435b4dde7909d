import { MurError } from '../errors/index.js';
import type { ArtifactEntry, ArtifactRole } from '../manifest/index.js';
import { sha256Hex } from '../text/index.js';
import { embeddedStore } from './embedded.js';
import { parseArtifactManifest } from './manifest.js';
import { hostPlatform } from './platform.js';
import { readSource } from './source.js';
import type { ArtifactStore, StoredArtifact } from './store.js';
import type { ArtifactManifest, ArtifactPayload, ResolvedArtifact } from './types.js';
import { nativeRefusal, rootWasm } from './wasm-payload.js';

export interface ResolveContext {
  /** Base of relative `source:` paths. */
  readonly manifestDir: string;
  /** Asked in order; the first that has an artifact gives it. Default: the store this package ships. */
  readonly stores?: readonly ArtifactStore[];
  /** Sees what a store gave before anything in it is read; throws to refuse it. */
  readonly verify?: (entry: ArtifactEntry, stored: StoredArtifact) => void;
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
      const sourced = readSource(entry, context.manifestDir);
      resolved.push(complete(entry, { ...sourced, from: 'source', sha256: payloadDigest(sourced.payload) }));
      continue;
    }
    const stored = await firstWith(stores, entry);
    if (stored === undefined) {
      missing.push(entry);
      continue;
    }
    context.verify?.(entry, stored);
    resolved.push(complete(entry, await open(entry, stored)));
  }
  if (missing.length > 0) throw await missingArtifacts(missing, stores);
  return resolved;
}

type Parts = Pick<ResolvedArtifact, 'role' | 'manifestText' | 'manifest' | 'payload' | 'from' | 'sha256' | 'platform'>;

async function firstWith(stores: readonly ArtifactStore[], entry: ArtifactEntry): Promise<StoredArtifact | undefined> {
  for (const store of stores) {
    const stored = await store.find(entry.name, entry.version, hostPlatform());
    if (stored !== undefined) return stored;
  }
  return undefined;
}

async function open(entry: ArtifactEntry, stored: StoredArtifact): Promise<Parts> {
  const label = `${entry.name}@${entry.version}`;
  if (!stored.names.includes('murmur.yaml')) {
    throw new MurError(
      'E-IO-003',
      `artifact '${label}' in ${stored.place}: artifact missing required file murmur.yaml`,
    );
  }
  const manifestText = decode(await stored.read('murmur.yaml'), 'murmur.yaml', label);
  const manifest = parseArtifactManifest(manifestText, `murmur.yaml of '${label}'`);
  const payload = entry.runtime === 'skill' ? await readSkill(stored, label) : await readComponent(stored, manifest);
  return {
    role: entry.runtime satisfies ArtifactRole,
    manifestText,
    manifest,
    payload,
    from: stored.from,
    sha256: stored.from === 'embedded' ? payloadDigest(payload) : stored.sha256,
    ...(stored.platform === undefined ? {} : { platform: stored.platform }),
  };
}

async function readComponent(stored: StoredArtifact, manifest: ArtifactManifest): Promise<ArtifactPayload> {
  if (manifest.implementation === 'native') throw nativeRefusal(manifest);
  return { kind: 'wasm', bytes: await stored.read(rootWasm(stored.place, stored.names, manifest)) };
}

async function readSkill(stored: StoredArtifact, label: string): Promise<ArtifactPayload> {
  if (!stored.names.includes('skill.md')) {
    throw new MurError('E-IO-003', `artifact '${label}' in ${stored.place}: missing root skill.md`);
  }
  return { kind: 'skill', text: decode(await stored.read('skill.md'), 'skill.md', label) };
}

function decode(bytes: Uint8Array, name: string, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MurError('E-IO-003', `artifact '${label}': ${name} is not valid UTF-8`);
  }
}

function payloadDigest(payload: ArtifactPayload): string {
  return sha256Hex(payload.kind === 'wasm' ? payload.bytes : payload.text);
}

function complete(entry: ArtifactEntry, parts: Parts): ResolvedArtifact {
  return {
    entry,
    name: entry.toolName,
    fullName: entry.name,
    version: entry.version,
    implementation: parts.manifest.implementation,
    origin: 'operator',
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
