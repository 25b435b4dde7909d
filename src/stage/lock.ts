import { embeddedStore, type ResolvedArtifact, type StoredArtifact } from '../artifacts/index.js';
import { MurError, reasonOf } from '../errors/index.js';
import { createLock, type LockExpectation, missingEntry, type PinRequest, versionMismatch } from '../lock/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import type { TraceEvents } from '../trace/index.js';
import { needed, type StageDraft } from './draft.js';
import type { StageRequest } from './request.js';

/** A launch does not wait long for another that writes the same lock: what it needs to know it has read already. */
const lockWaitMs = 5_000;

/**
 * A session's pull can put bytes on this disk, but not into a role that sees every event, every key or the system prompt
 * (spec/artifacts.md section 7). Throws `E-RUN-043`.
 */
export function refuseRuntimePins(request: StageRequest): void {
  for (const entry of request.artifacts) {
    const expectation = expectationFor(request, entry);
    const role = expectation?.origin === 'runtime' ? operatorRole(request, entry) : undefined;
    if (expectation === undefined || role === undefined) continue;
    const label = `${entry.name}@${expectation.resolvedVersion}`;
    throw new MurError(
      'E-RUN-043',
      `murmur.lock pins '${label}' from a runtime pull by session ${expectation.session ?? '(unknown)'}, and murmur.yaml declares it with ${role}, which only an operator-declared pin may carry`,
      { hint: `if you trust it, adopt it: mur install ${label}; else drop ${role} from its entry` },
    );
  }
}

/** Refuses an artifact that the lock should pin and does not, before any store is asked for its bytes. Throws `E-RUN-003`. */
export async function requirePins(request: StageRequest): Promise<void> {
  if (request.lockExpectations === undefined) return;
  const shipped = embeddedStore();
  for (const entry of request.artifacts) {
    if (entry.source !== undefined) continue;
    const expectation = expectationFor(request, entry);
    if (expectation === undefined && !(await shipped.versions(entry.name)).includes(entry.version)) {
      throw missingEntry(entry.name, entry.version);
    }
    if (expectation !== undefined && expectation.resolvedVersion !== entry.version) {
      throw versionMismatch(entry.name, entry.version, expectation.resolvedVersion);
    }
  }
}

/** Refuses bytes other than the lock's (`E-REG-002`). What mur itself ships needs no pin; where there is one, it counts. */
export function verifyPin(request: StageRequest, entry: ArtifactEntry, stored: StoredArtifact): void {
  if (request.lockExpectations === undefined) return;
  const expectation = expectationFor(request, entry);
  if (expectation === undefined) {
    if (stored.from === 'embedded') return;
    throw missingEntry(entry.name, entry.version);
  }
  if (stored.sha256 === expectation.sha256) return;
  const label = `${entry.name}@${entry.version}`;
  throw new MurError(
    'E-REG-002',
    `artifact integrity check failed for ${label}: murmur.lock pins sha256 ${expectation.sha256}, ${stored.place} has ${stored.sha256}`,
    { hint: `mur install ${label} fetches it anew; if the change is meant, remove its entry from murmur.lock first` },
  );
}

export function originOf(request: StageRequest, artifact: ResolvedArtifact): ResolvedArtifact['origin'] {
  if (artifact.from === 'source') return 'operator';
  return expectationFor(request, artifact.entry)?.origin ?? 'operator';
}

/** Declared artifacts that a session pulled, for `session_start.runtime_artifacts`. */
export function runtimePins(request: StageRequest): TraceEvents['session_start']['runtime_artifacts'] {
  return request.artifacts.flatMap((entry) => {
    const { origin, resolvedVersion: version, session = '' } = expectationFor(request, entry) ?? {};
    return origin === 'runtime' && version !== undefined
      ? [{ name: entry.name, version, origin, session, trust: 'untrusted' as const }]
      : [];
  });
}

/** Pins what was resolved from a store, in a project that has no lock yet. A lock that cannot be written is a warning. */
export async function pinResolved(draft: StageDraft): Promise<void> {
  const dir = draft.request.createLockIn;
  const pins = needed(draft.resolved, 'resolve').flatMap(lockable);
  if (dir === undefined || pins.length === 0) return;
  try {
    await createLock(dir, pins, lockWaitMs);
  } catch (error) {
    draft.warn('W-RUN-905', `murmur.lock could not be written, so nothing is pinned: ${reasonOf(error)}`);
  }
}

function lockable({ from, fullName, version, sha256, platform }: ResolvedArtifact): PinRequest[] {
  if (from !== 'project' && from !== 'global') return [];
  return [{ name: fullName, version, sha256, origin: 'operator', ...(platform === undefined ? {} : { platform }) }];
}

function expectationFor(request: StageRequest, entry: ArtifactEntry): LockExpectation | undefined {
  if (entry.source !== undefined) return undefined;
  return request.lockExpectations?.find(({ name }) => name === entry.name);
}

/** How the manifest declares `entry` that only an operator's pin may carry. */
export function operatorRole({ inference }: Pick<StageRequest, 'inference'>, entry: ArtifactEntry): string | undefined {
  if (entry.runtime === 'hook' || entry.runtime === 'driver') return `runtime: ${entry.runtime}`;
  if (entry.gateway !== undefined) return 'gateway:';
  const prompt = inference?.systemPrompt;
  const isPrompt = prompt?.kind === 'artifact' && [entry.name, entry.toolName].includes(prompt.name);
  return isPrompt ? 'inference.system_prompt_artifact' : undefined;
}
