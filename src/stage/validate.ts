import { MurError } from '../errors/index.js';
import { parseAllowEntry, validateStaging } from '../policy/index.js';
import type { StageDraft } from './draft.js';
import { refuseRuntimePins } from './lock.js';
import { unbuiltKeys } from './unbuilt.js';

/** Checks that need no host and no bytes (spec/session.md 4.1 step 1). Throws the first problem in that order. */
export function validate(draft: StageDraft): void {
  const { request } = draft;
  for (const warning of validateStaging(request)) draft.warn(warning.code, warning.message);
  refuseRuntimePins(request);
  refuseUnbuilt(draft);
  draft.networkCeiling = request.policy.networkAllow.map(parseAllowEntry);
}

/**
 * A manifest that asks for something this build cannot enforce or serve is refused before anything exists: running without it
 * would be a weaker capsule than the operator declared, or a more open one.
 */
function refuseUnbuilt({ request }: StageDraft): void {
  const keys = unbuiltKeys(request);
  if (keys.length === 0) return;
  throw new MurError('E-RUN-907', `this version of mur cannot serve ${keys.join(', ')} yet, so nothing was started`, {
    hint: `remove ${keys.length === 1 ? 'it' : 'them'} from ${request.manifestFile ?? 'the manifest'}, or use a version that has ${keys.length === 1 ? 'it' : 'them'}`,
  });
}
