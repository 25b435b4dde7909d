import { basename } from 'node:path';
import type { CapsuleFacts } from '../inference/index.js';
import type { StageDraft } from './draft.js';

/** What the system prompt says about the capsule. Equal for every launch of one manifest, so provider caches hold. */
export function capsuleFacts(draft: StageDraft): CapsuleFacts {
  const { request } = draft;
  const { memoryBytes, deadlineMs } = request.policy.limits;
  return {
    name: request.capsuleName,
    version: request.capsuleVersion,
    workFolder: request.workdir ?? '.',
    manifestFile: request.manifestFile === undefined ? undefined : basename(request.manifestFile),
    runtimeDirectory: '$MURMUR_RUNTIME_DIR',
    writable: ['.'],
    network: request.policy.networkAllow,
    limits: [
      `${Math.round(memoryBytes / (1024 * 1024))} MiB memory per tool call`,
      `${deadlineMs / 1000} s per tool call`,
    ],
  };
}
