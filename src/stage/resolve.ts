import { artifactStores, findProjectRoot, type ResolvedArtifact, resolveArtifacts } from '../artifacts/index.js';
import { MurError } from '../errors/index.js';
import { nativeWarnings } from '../policy/index.js';
import { scopeFolders } from '../scope/index.js';
import { containNative } from './contain.js';
import type { StageDraft } from './draft.js';
import { originOf, requirePins, verifyPin } from './lock.js';
import type { NativeTool } from './native.js';

/** Finds every declared artifact, in declaration order, and checks that its payload can be staged in its role. */
export async function resolve(draft: StageDraft): Promise<void> {
  const { request } = draft;
  await requirePins(request);
  const resolved = await resolveArtifacts(request.artifacts, {
    manifestDir: request.manifestDir,
    stores: storesOf(draft),
    warn: (code, message) => draft.warn(code, message),
    verify: (entry, stored) => verifyPin(request, entry, stored),
  });
  const seen = new Set<string>();
  for (const artifact of resolved) {
    if (seen.has(artifact.name)) {
      throw new MurError('E-MAN-003', `two artifacts are called '${artifact.name}'; a model calls them by that name`, {
        hint: 'declare one of them only',
      });
    }
    seen.add(artifact.name);
  }
  draft.resolved = resolved.map((artifact) => ({ ...artifact, origin: originOf(request, artifact) }));
  await admitNative(draft, draft.resolved);
}

/** Which artifacts are native shows only now, and with the first the session starts processes (spec/containment.md 4). */
async function admitNative(draft: StageDraft, resolved: readonly ResolvedArtifact[]): Promise<void> {
  const { request, home } = draft;
  const { manifestDir, workdir, hostEnv } = request;
  const natives = new Map<string, NativeTool>();
  for (const artifact of resolved) {
    if (artifact.payload.kind !== 'native') continue;
    const { needsOf } = await import('./native.js');
    const folders = scopeFolders({ home, manifestDir, ...(workdir === undefined ? {} : { workdir }) });
    const entrypoint = await needsOf(artifact.name, artifact.payload.bytes, { folders, hostEnv });
    natives.set(artifact.name, { artifact, entrypoint });
    for (const warning of nativeWarnings(artifact.entry)) draft.warn(warning.code, warning.message);
  }
  draft.natives = natives;
  if (natives.size === 0) return;
  const reaches = [...natives.values()].map(({ artifact, entrypoint }) => ({
    artifact: artifact.fullName,
    entrypoint,
  }));
  await containNative(draft, reaches);
}

/** The stores of the project that holds the manifest and of the user, then what mur ships. */
function storesOf({ request, home }: StageDraft): ReturnType<typeof artifactStores> {
  const projectRoot = findProjectRoot(request.manifestDir);
  return artifactStores({ murmurHome: home.root, ...(projectRoot === undefined ? {} : { projectRoot }) });
}
