import type { WarningCode } from '../errors/index.js';
import type { ArtifactEntry } from '../manifest/index.js';
import { covers, type NetworkRule, parseAllowEntry } from './network.js';
import type { CapabilityPolicy } from './policy.js';

export interface PolicyWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** What one tool or driver of a session may reach. */
export interface ArtifactGrant {
  readonly network: readonly NetworkRule[];
  /** Folder below the work folder that is the guest's `.`; `.` is the whole folder. */
  readonly filesystemScope: string;
  readonly warnings: readonly PolicyWarning[];
}

/**
 * The grant of a tool or driver entry (spec/manifest.md section 4.3, spec/spend.md section 5): the capsule's `ceiling`, which
 * the entry can only narrow. The capsule-wide `filesystem.scope` is reported and bounds no mount, as upstream has it. Not for
 * hooks, which start from nothing.
 */
export function artifactGrant(
  entry: Pick<ArtifactEntry, 'name' | 'capabilities'>,
  ceiling: readonly NetworkRule[],
): ArtifactGrant {
  const { rules, warnings } = narrow(entry.name, ceiling, entry.capabilities?.network?.allow);
  return {
    network: rules,
    filesystemScope: entry.capabilities?.filesystem?.scope ?? '.',
    warnings: [...warnings, ...inertWarnings(entry)],
  };
}

/**
 * Why the component of a tool may start no commands; `undefined` when it may. A command is bound by what the capsule may do and by
 * nothing else, so through one a tool would get at what its own entry took away from it.
 */
export function commandProblem(
  { name, capabilities }: Pick<ArtifactEntry, 'name' | 'capabilities'>,
  ceiling: readonly NetworkRule[],
): string | undefined {
  const { filesystem, network } = capabilities ?? {};
  const rules = network?.allow?.map(parseAllowEntry);
  const keys = [
    ...((filesystem?.scope ?? '.') === '.' ? [] : ['filesystem.scope']),
    ...(rules === undefined || ceiling.every((parent) => rules.some((rule) => covers(rule, parent)))
      ? []
      : ['network.allow']),
  ];
  if (keys.length === 0) return undefined;
  return `the entry of artifact '${name}' narrows ${keys.join(' and ')}, which would not hold a command it starts`;
}

/**
 * Why each program is refused that the component of this entry, or the capsule's own, asks to start; `undefined` when there are some
 * that it may.
 */
export function startProblem(
  policy: Pick<CapabilityPolicy, 'shellAllow' | 'networkAllow'>,
  entry?: Pick<ArtifactEntry, 'name' | 'capabilities'>,
): string | undefined {
  if (policy.shellAllow.length === 0) return 'capabilities.shell.allow names no program';
  return entry === undefined ? undefined : commandProblem(entry, policy.networkAllow.map(parseAllowEntry));
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

/** What has no effect on the entry of a native tool: its process is held to the grants of the whole capsule (`W-SEC-008`). */
export function nativeWarnings(entry: Pick<ArtifactEntry, 'name' | 'capabilities'>): readonly PolicyWarning[] {
  const narrowing = (['network', 'filesystem'] as const)
    .filter((key) => entry.capabilities?.[key] !== undefined)
    .map(
      (key): PolicyWarning => ({
        code: 'W-SEC-008',
        message: `artifact '${entry.name}' is a native tool, which capabilities.${key} on its entry does not narrow: it has what the whole capsule has`,
      }),
    );
  return [...narrowing, ...inertWarnings(entry)];
}

const inertKeys = ['shell', 'spawn', 'env', 'limits', 'resources', 'containment'] as const;

function inertWarnings(entry: Pick<ArtifactEntry, 'name' | 'capabilities'>): PolicyWarning[] {
  const keys = inertKeys.filter((key) => entry.capabilities?.[key] !== undefined);
  return keys.map((key) => ({
    code: 'W-SEC-008',
    message: `artifact '${entry.name}' declares capabilities.${key}, which is granted to the whole capsule only and has no effect here`,
  }));
}
