import { type ErrorCode, isMurError, MurError } from '../errors/index.js';
import {
  type Capabilities,
  type LifecycleConfig,
  type LifecycleOverride,
  pathSegmentProblem,
  type RuntimeManifest,
  subpathProblem,
} from '../manifest/index.js';
import type { PolicyWarning } from './grant.js';
import { parseAllowEntry } from './network.js';
import { stripRule } from './patterns.js';
import type { CapabilityPolicy } from './policy.js';
import { reservedToolNames } from './reserved.js';
import { policyWarnings } from './warnings.js';

/** Most bytes of JSON one artifact may be handed as its configuration. */
export const maxConfigBytes = 65_536;

/** The part of a stage request that these checks read. */
export interface StagingDeclarations {
  readonly manifest: RuntimeManifest;
  readonly policy: CapabilityPolicy;
  /** `--context`: every task of the launch runs under it. */
  readonly contextId?: string;
  readonly lifecycle: Pick<LifecycleConfig, 'afterTask'>;
  readonly lifecycleOverride?: Pick<LifecycleOverride, 'afterTask'>;
}

/** In the fixed order of spec/session.md 4.1 step 1. Each throws for the first declaration that staging could not honour. */
const checks: readonly ((request: StagingDeclarations) => void)[] = [
  ({ manifest }) => checkReservedNames(manifest),
  ({ manifest, policy }) => checkNetwork(manifest, policy),
  ({ manifest }) => checkScopes(manifest),
  ({ policy }) => checkReadOnly(policy),
  ({ policy }) => checkEnvironment(policy),
  ({ manifest }) => checkStateStores(manifest),
  ({ manifest }) => checkConfigs(manifest),
  ({ manifest, contextId }) => checkRecordStore(manifest, contextId),
  (request) => checkPeerFiles(request.manifest, afterTaskOf(request)),
];

/**
 * Throws for the first declaration that staging could not honour, so that nothing was read, made or compiled when it refuses.
 * Pure. Returns what the operator should know about a valid one.
 */
export function validateStaging(request: StagingDeclarations): readonly PolicyWarning[] {
  for (const check of checks) check(request);
  return policyWarnings(request.manifest, request.policy, afterTaskOf(request));
}

/** The same for somebody who corrects a manifest: the first refusal of each check, and the warnings beside them. */
export function surveyStaging(request: StagingDeclarations): {
  readonly refusals: readonly MurError[];
  readonly warnings: readonly PolicyWarning[];
} {
  const refusals = checks.flatMap((check) => {
    try {
      check(request);
      return [];
    } catch (error) {
      if (!isMurError(error)) throw error;
      return [error];
    }
  });
  // Warnings compare destinations, which cannot be done with entries that are none.
  const isReadable = refusals.every(({ code }) => code !== 'E-CAP-001');
  return {
    refusals,
    warnings: isReadable ? policyWarnings(request.manifest, request.policy, afterTaskOf(request)) : [],
  };
}

function afterTaskOf({ lifecycle, lifecycleOverride }: StagingDeclarations): 'exit' | 'sleep' {
  return lifecycleOverride?.afterTask ?? lifecycle.afterTask;
}

function checkReservedNames(manifest: RuntimeManifest): void {
  const taken = manifest.artifacts.find((entry) => reservedToolNames.includes(entry.toolName));
  if (taken === undefined) return;
  throw new MurError(
    'E-CAP-013',
    `artifact '${taken.name}' collides with a tool the runtime provides itself; the reserved names are ${reservedToolNames.join(', ')}`,
    { hint: 'rename the artifact' },
  );
}

function checkNetwork(manifest: RuntimeManifest, policy: CapabilityPolicy): void {
  for (const entry of [...policy.networkAllow, ...policy.peerFetchAllow]) parseAllowEntry(entry);
  for (const { capabilities } of manifest.artifacts) {
    for (const entry of capabilities?.network?.allow ?? []) parseAllowEntry(entry);
  }
}

function checkScopes(manifest: RuntimeManifest): void {
  const blocks: (Capabilities | undefined)[] = [
    manifest.capabilities,
    ...manifest.artifacts.map((entry) => entry.capabilities),
  ];
  for (const capabilities of blocks) {
    const scope = capabilities?.filesystem?.scope;
    if (scope !== undefined) checkSubpath(scope, 'E-CAP-002', `invalid filesystem scope '${scope}'`, 'scope');
  }
}

function checkReadOnly(policy: CapabilityPolicy): void {
  for (const path of policy.readOnlyPaths) {
    checkSubpath(path, 'E-CAP-012', `invalid read-only path '${path}'`, 'read-only path');
  }
}

function checkSubpath(path: string, code: ErrorCode, subject: string, noun: string): void {
  const problem = path.includes('\0') ? 'absolute' : subpathProblem(path);
  if (problem === undefined) return;
  const reason = problem === 'absolute' ? 'must be relative to the workdir' : "cannot escape the workdir via '..'";
  throw new MurError(code, `${subject}: ${noun} ${reason}`);
}

function checkEnvironment(policy: CapabilityPolicy): void {
  const stripped = [...new Set(policy.envAllow)].flatMap((name) => {
    const rule = stripRule(name, policy.shellStripEnv);
    return rule === undefined ? [] : [`'${name}' (${rule.source} pattern '${rule.pattern}')`];
  });
  if (stripped.length === 0) return;
  throw new MurError(
    'E-CAP-016',
    `capabilities.env.allow names ${stripped.join(', ')}; these entries are removed from every guest environment, so the capsule would run without them`,
    { hint: 'remove the entries; to let an artifact use a key, give its entry a gateway: with api_key:' },
  );
}

function checkStateStores(manifest: RuntimeManifest): void {
  for (const { capabilities } of manifest.artifacts) {
    if (capabilities?.state === undefined) continue;
    const store = capabilities.state.store ?? manifest.name;
    const problem = pathSegmentProblem(store);
    if (problem !== undefined) throw new MurError('E-CAP-009', `invalid state store name '${store}': ${problem}`);
  }
}

function checkConfigs(manifest: RuntimeManifest): void {
  for (const { name, config } of manifest.artifacts) {
    if (config === undefined) continue;
    const bytes = Buffer.byteLength(config.json);
    const tooLong = `'config:' serializes to ${bytes} bytes of JSON, over the ${maxConfigBytes}-byte limit for MURMUR_ARTIFACT_CONFIG`;
    const problem = config.problem ?? (bytes > maxConfigBytes ? tooLong : undefined);
    if (problem !== undefined) throw new MurError('E-CAP-010', `invalid config for artifact '${name}': ${problem}`);
  }
}

function checkRecordStore(manifest: RuntimeManifest, contextId: string | undefined): void {
  const keepsRecord = manifest.inference !== undefined && manifest.context.record;
  const fields: [string, string | undefined][] = [
    ['context.record_store', manifest.context.recordStore ?? (keepsRecord ? manifest.name : undefined)],
    ['--context', contextId],
  ];
  for (const [field, value] of fields) {
    const problem = value === undefined ? undefined : pathSegmentProblem(value);
    if (problem === undefined) continue;
    throw new MurError('E-CAP-011', `invalid ${field} '${value}': must be a single path segment: ${problem}`);
  }
}

function checkPeerFiles(manifest: RuntimeManifest, afterTask: 'exit' | 'sleep'): void {
  const peerFiles = manifest.exports?.peerFiles;
  if (peerFiles === undefined || afterTask !== 'sleep') return;
  const declared = peerFiles.maxTtlSeconds;
  if (declared !== undefined && declared <= 900) return;
  throw new MurError(
    'E-CAP-008',
    `exports.peer_files with lifecycle.after_task: sleep requires exports.peer_files.max_ttl to be declared and at most 900s (declared ${declared === undefined ? 'none' : `${declared}s`})`,
  );
}
