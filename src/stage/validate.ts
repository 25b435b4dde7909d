import { parseAllowEntry, validateStaging } from '../policy/index.js';
import type { StageDraft } from './draft.js';
import { refuseRuntimePins } from './lock.js';
import { refuseUnbuilt } from './unbuilt.js';

/** Checks that need no host and no bytes (spec/session.md 4.1 step 1). Throws the first problem in that order. */
export function validate(draft: StageDraft): void {
  const { request } = draft;
  for (const warning of validateStaging(request)) draft.warn(warning.code, warning.message);
  refuseRuntimePins(request);
  refuseUnbuilt(draft);
  draft.networkCeiling = request.policy.networkAllow.map(parseAllowEntry);
}
