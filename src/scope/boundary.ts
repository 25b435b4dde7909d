import type { ContainmentClass } from '../manifest/index.js';
import type { ScopeReport } from './types.js';

const rewritten =
  'HOME of a command is a folder of the session, so ~ leads nowhere of yours at any class and a test with it proves nothing; test with an absolute path';

/** What the achieved class says of paths outside the granted ones. Follows from the class alone (spec/containment.md 18). */
export function filesystemBoundary(achieved: ContainmentClass): ScopeReport['filesystem_boundary'] {
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
