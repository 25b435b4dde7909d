import type { InterpreterRuntimeGrant, StagedRuntimeGrant } from '../manifest/index.js';
import type { PathGrant } from './executables.js';

/** Folders declared for interpreters, exactly as listed: no parent, no sibling (spec/containment.md 9.2). Absent ones are left out. */
export function interpreterGrants(declared: readonly InterpreterRuntimeGrant[]): readonly PathGrant[] {
  return declared.flatMap(({ dirs }) =>
    dirs.map(({ path, listDir }): PathGrant => ({ path, access: 'execute', list: listDir, required: false })),
  );
}

/** Pinned trees of the host. Without one, the first command fails (`E-RUN-014`): nothing stands in for it. */
export function stagedGrants(declared: readonly StagedRuntimeGrant[]): readonly PathGrant[] {
  return declared.map(({ sourcePath }) => ({ path: sourcePath, access: 'execute', list: true, required: true }));
}
