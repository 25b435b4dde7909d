import { resolveArtifacts } from '../artifacts/index.js';
import { MurError } from '../errors/index.js';
import type { StageDraft } from './draft.js';

/** Finds every declared artifact, in declaration order, and checks that its payload can be staged in its role. */
export async function resolve(draft: StageDraft): Promise<void> {
  const resolved = await resolveArtifacts(draft.request.artifacts, { manifestDir: draft.request.manifestDir });
  const seen = new Set<string>();
  for (const artifact of resolved) {
    if (artifact.implementation === 'native') {
      if (artifact.entry.gateway !== undefined) {
        throw new MurError(
          'E-CAP-017',
          `artifact '${artifact.fullName}' is a native tool and declares a gateway, which only a WASM component can use`,
          { hint: 'remove gateway: from its entry' },
        );
      }
      throw new MurError(
        'E-RUN-907',
        `artifact '${artifact.fullName}' is a native tool, which this version of mur cannot run yet`,
      );
    }
    if (seen.has(artifact.name)) {
      throw new MurError('E-MAN-003', `two artifacts are called '${artifact.name}'; a model calls them by that name`, {
        hint: 'declare one of them only',
      });
    }
    seen.add(artifact.name);
  }
  draft.resolved = resolved;
}
