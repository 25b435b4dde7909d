import { artifactStores, findProjectRoot, resolveArtifacts } from '../artifacts/index.js';
import { MurError } from '../errors/index.js';
import type { StageDraft } from './draft.js';
import { originOf, requirePins, verifyPin } from './lock.js';

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
}

/** The stores of the project that holds the manifest and of the user, then what mur ships. */
function storesOf({ request, home }: StageDraft): ReturnType<typeof artifactStores> {
  const projectRoot = findProjectRoot(request.manifestDir);
  return artifactStores({ murmurHome: home.root, ...(projectRoot === undefined ? {} : { projectRoot }) });
}
