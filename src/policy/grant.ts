import type { ArtifactEntry, Capabilities } from '../manifest/index.js';
import { covers, type NetworkRule, parseAllowEntry } from './network.js';
import type { CapabilityPolicy } from './policy.js';

export interface PolicyWarning {
  readonly code: `W-SEC-${string}`;
  readonly message: string;
}

/** What one artifact of a session may reach. */
export interface ArtifactGrant {
  readonly network: readonly NetworkRule[];
  /** Folder below the work folder that is the guest's `.`; `.` is the whole folder; absent mounts nothing. */
  readonly filesystemScope?: string;
  /** Name of its durable store. */
  readonly stateStore?: string;
  readonly warnings: readonly PolicyWarning[];
}

/**
 * The grant of one declared artifact (spec/manifest.md section 4.3, spec/spend.md section 5). A tool or driver starts from
 * the capsule's ceiling and can only be narrowed; a hook starts from nothing and gets exactly what its entry names. The
 * capsule-wide `filesystem.scope` is reported and bounds no mount, as upstream has it.
 */
export function artifactGrant(
  entry: Pick<ArtifactEntry, 'name' | 'runtime' | 'capabilities'>,
  policy: Pick<CapabilityPolicy, 'networkAllow'>,
  capsuleName: string,
): ArtifactGrant {
  const { capabilities } = entry;
  const state = capabilities?.state === undefined ? {} : { stateStore: capabilities.state.store ?? capsuleName };
  const scope = capabilities?.filesystem?.scope;
  if (entry.runtime === 'hook') {
    return {
      network: (capabilities?.network?.allow ?? []).map(parseAllowEntry),
      ...(scope === undefined ? {} : { filesystemScope: scope }),
      ...state,
      warnings: inertWarnings(entry, 'W-SEC-006'),
    };
  }
  const ceiling = policy.networkAllow.map(parseAllowEntry);
  const { rules, warnings } = narrow(entry.name, ceiling, capabilities?.network?.allow);
  return {
    network: rules,
    filesystemScope: scope ?? '.',
    ...state,
    warnings: [...warnings, ...inertWarnings(entry, 'W-SEC-008')],
  };
}

/** The rules of `allow` that `ceiling` covers; the ceiling itself when there is no list. One warning per dropped entry. */
function narrow(
  artifact: string,
  ceiling: readonly NetworkRule[],
  allow: readonly string[] | undefined,
): { readonly rules: readonly NetworkRule[]; readonly warnings: readonly PolicyWarning[] } {
  if (allow === undefined) return { rules: ceiling, warnings: [] };
  const rules: NetworkRule[] = [];
  const warnings: PolicyWarning[] = [];
  for (const entry of allow) {
    const rule = parseAllowEntry(entry);
    if (ceiling.some((parent) => covers(parent, rule))) rules.push(rule);
    else {
      const message = `artifact '${artifact}' asks for network entry '${entry}', which capabilities.network.allow does not cover; the entry is dropped`;
      warnings.push({ code: 'W-SEC-007', message });
    }
  }
  return { rules, warnings };
}

const inertKeys = ['shell', 'spawn', 'env', 'limits', 'resources', 'containment'] as const;

function inertWarnings(
  entry: { readonly name: string; readonly capabilities?: Capabilities },
  code: 'W-SEC-006' | 'W-SEC-008',
): PolicyWarning[] {
  const keys = inertKeys.filter((key) => entry.capabilities?.[key] !== undefined);
  return keys.map((key) => ({
    code,
    message: `artifact '${entry.name}' declares capabilities.${key}, which is granted to the whole capsule only and has no effect here`,
  }));
}
