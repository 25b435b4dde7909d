import type { WarningCode } from '../errors/index.js';
import type { CapabilityPolicy } from '../policy/index.js';
import type { ContainmentDecision } from './decide.js';

export interface ContainmentWarning {
  readonly code: WarningCode;
  readonly message: string;
}

type Policy = Pick<CapabilityPolicy, 'shellAllow' | 'networkAllow' | 'workdirExecAllowed'> & {
  /** Absent: none is known yet. */
  readonly nativeTools?: readonly unknown[];
};

const told = new Set<WarningCode>();

/**
 * What an operator should know about the mechanism commands of this session run on, at every launch (spec/containment.md 4.1).
 * What is true of the whole host is said once per process: `already` remembers it.
 */
export function containmentWarnings(
  decision: ContainmentDecision,
  policy: Policy,
  already: Set<WarningCode> = told,
): readonly ContainmentWarning[] {
  if (decision.floor === 'unconfined') {
    return [
      {
        code: 'W-SEC-902',
        message: 'containment is unconfined: commands run as you, with no kernel mechanism around them',
      },
    ];
  }
  return [
    ...(policy.shellAllow.length + (policy.nativeTools?.length ?? 0) === 0 ? [] : tierWarnings(decision, policy)),
    ...hostWarnings(decision, already),
  ];
}

function tierWarnings(decision: ContainmentDecision, policy: Policy): ContainmentWarning[] {
  const { shellAllow, networkAllow } = policy;
  switch (decision.tier) {
    case 'none': {
      const bare = {
        code: 'W-SEC-001',
        message: `no kernel sandbox is around commands: ${decision.noTierBecause}`,
      } as const;
      if (!shellAllow.includes('bash') || networkAllow.length === 0) return [bare];
      return [
        bare,
        {
          code: 'W-SEC-003',
          message: 'capabilities.network.allow does not bind bash here: whatever it runs reaches every host you reach',
        },
      ];
    }
    case 'seccomp':
      return [
        {
          code: 'W-SEC-002',
          message:
            'commands run behind a syscall filter only, because this host has no Landlock: neither files nor programs are held to the grants, and all of /dev can be reached',
        },
      ];
    case 'full':
      return [
        {
          code: 'W-SEC-005',
          message: `the kernel holds commands to the granted files, programs, hosts and system calls (${decision.mechanism}); names, sizes and times of other files stay visible, and ${exception}${gap(decision, policy)}`,
        },
      ];
    case 'sealed':
      return [
        {
          code: 'W-SEC-005',
          message: `commands run in a root of their own, in which nothing else of this host exists (${decision.mechanism}); ${exception}${gap(decision, policy)}`,
        },
      ];
  }
}

const exception = 'capabilities.filesystem.workdir_exec: true would let them run programs they wrote themselves';

/** What the host lacks of a tier it has (spec/containment.md 8). */
function gap({ noexec }: ContainmentDecision, { workdirExecAllowed }: Policy): string {
  if (noexec !== false || workdirExecAllowed) return '';
  return '; this host cannot make the folders commands write to noexec, so the ELF loader, named as the program, runs what they copied there';
}

function hostWarnings({ usernsGrant }: ContainmentDecision, already: Set<WarningCode>): ContainmentWarning[] {
  if (usernsGrant !== 'restriction_disabled_host_wide' || already.has('W-SEC-013')) return [];
  already.add('W-SEC-013');
  return [
    {
      code: 'W-SEC-013',
      message:
        'AppArmor restricts user namespaces for no process of this host; the profile mur-sealed would open them to mur alone',
    },
  ];
}
