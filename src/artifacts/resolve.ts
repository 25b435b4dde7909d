import type { WarningCode } from '../errors/index.js';
import type { ArtifactEntry, ArtifactRole } from '../manifest/index.js';
import { embeddedStore } from './embedded.js';
import { missingArtifacts } from './missing.js';
import { readSource } from './source.js';
import type { ArtifactStore, StoredArtifact } from './store.js';
import { type Opened, openStored, payloadDigest } from './stored.js';
import { findStored } from './stores.js';
import type { ResolvedArtifact } from './types.js';

export interface ResolveContext {
  /** Base of relative `source:` paths. */
  readonly manifestDir: string;
  /** Asked in order; the first that has an artifact gives it. Default: the store this package ships. */
  readonly stores?: readonly ArtifactStore[];
  /** Sees what a store gave before anything in it is read; throws to refuse it. */
  readonly verify?: (entry: ArtifactEntry, stored: StoredArtifact) => void;
  /** Hears what is worth telling of an artifact that was found, also when it is refused afterwards. */
  readonly warn?: (code: WarningCode, message: string) => void;
}

/**
 * Every declared artifact with its bytes, in declaration order (spec/artifacts.md section 9). Throws at the first unusable one;
 * those that no store has are named together (`E-RUN-008`), so one install mends them all. Every native image was found to fit this
 * host before anything of the session is written. Writes nothing.
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
    const stored = await findStored(stores, entry);
    if (stored === undefined) {
      missing.push(entry);
      continue;
    }
    context.verify?.(entry, stored);
    for (const { code, message } of stored.warnings ?? []) context.warn?.(code, message);
    const opened = await openStored(entry, stored);
    resolved.push(complete(entry, { ...opened, role: entry.runtime satisfies ArtifactRole }));
  }
  if (missing.length > 0) throw await missingArtifacts(missing, stores);
  return resolved;
}

function complete(
  entry: ArtifactEntry,
  parts: Omit<Opened, 'from'> & Pick<ResolvedArtifact, 'role' | 'from'>,
): ResolvedArtifact {
  return {
    entry,
    name: entry.toolName,
    fullName: entry.name,
    version: entry.version,
    implementation: parts.payload.kind === 'native' ? 'native' : 'wasm',
    origin: 'operator',
    ...parts,
  };
}
