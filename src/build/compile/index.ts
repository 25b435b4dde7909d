/**
 * A JavaScript or TypeScript source to a component: bundle.ts joins it with what artifacts/author offers, world.ts writes the WIT
 * world from what it uses, component.ts puts it into QuickJS, in a process of its own (apart.ts). Not the archive (../plan.ts), not a type checker.
 * Read next: roles.ts (what a source exports), bundle.ts.
 */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { MurError } from '../../errors/index.js';
import type { BuildLimits } from './apart.js';
import { bundleSource } from './bundle.js';
import { componentOf } from './component.js';
import { type CompiledRole, roles } from './roles.js';

export { type CompiledRole, isCompiledRole } from './roles.js';

export interface CompileRequest {
  /** The source file. */
  readonly file: string;
  readonly role: CompiledRole;
  /** The source exports the WIT interface itself, as the artifacts of this package do. */
  readonly isRaw?: boolean;
  /** Messages name files relative to this folder. */
  readonly root: string;
  readonly onProgress?: (step: string) => void;
  /** What the source may take while it is built. */
  readonly limits?: BuildLimits;
}

export interface Compiled {
  readonly component: Uint8Array;
  /** WIT interfaces it asks of its host, beside those of the engine itself; sorted. */
  readonly imports: readonly string[];
  /** Every file that went in, sorted, as paths. */
  readonly files: readonly string[];
}

/** The component of `file`. The same sources give the same bytes. Leaves nothing behind. */
export async function compileSource(request: CompileRequest): Promise<Compiled> {
  const { file, role, root, isRaw = false } = request;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new MurError('E-IO-001', `build.source '${relative(root, file)}' is no file in ${root}`);
  }
  request.onProgress?.('bundling');
  const { code, imports, files } = await bundleSource({ file, role, root, isRaw });
  request.onProgress?.('compiling to a component');
  const component = await componentOf(code, imports, roles[role].world, request.limits);
  return { component, imports: imports.map((name) => name.replace(/^wasj:/, 'wasi:')), files };
}
