import type { ScopeContainment, ScopeReport } from './types.js';

type Boundary = ScopeReport['filesystem_boundary'];

const rewritten =
  'HOME of a command is a folder of the session, so ~ leads nowhere of yours at any class and a test with it proves nothing; test with an absolute path';

/**
 * What the achieved class says of paths outside the granted ones, and what this host could not put around commands besides. The
 * restriction follows from the class alone (spec/containment.md 18).
 */
export function filesystemBoundary(
  decision: Pick<ScopeContainment, 'achieved' | 'tier' | 'noexec' | 'chain'>,
): Boundary {
  const { restriction, not_protected } = ofClass(decision.achieved);
  return { restriction, not_protected: [...not_protected, ...ofHost(decision)] };
}

function ofClass(achieved: ScopeContainment['achieved']): Boundary {
  switch (achieved) {
    case 'sealed':
      return { restriction: 'absent', not_protected: [] };
    case 'scoped':
      return {
        restriction: 'enforced',
        not_protected: [
          'paths outside the grants are denied to native processes and not absent: names, sizes and times of files there can be seen',
          rewritten,
        ],
      };
    default:
      return {
        restriction: 'advisory',
        not_protected: [
          'nothing in the kernel keeps a native process from a path outside the grants; WASM guests are bounded by their mounts',
          rewritten,
        ],
      };
  }
}

/** What a tier does without on this host (spec/containment.md 5.1, 8). */
function ofHost({ tier, noexec, chain }: Pick<ScopeContainment, 'tier' | 'noexec' | 'chain'>): readonly string[] {
  if (tier === 'none') return [];
  return [
    ...(noexec === false
      ? [
          'folders a command writes to are not mounted noexec, so the ELF loader, named as the program, runs what was copied there',
        ]
      : []),
    ...(chain === 'stub'
      ? [
          'commands have no process namespace: they see the processes of this host, and one that leaves its group can outlive its command',
        ]
      : []),
  ];
}
