import type { ResolvedArtifact } from '../artifacts/index.js';
import type { WarningCode } from '../errors/index.js';
import { ProtectedPaths, readAnnotations, type ToolAnnotations } from '../protected/index.js';
import { readToolManifest } from '../tools/index.js';
import { schemaValue } from '../tools/manifest.js';
import { needed, type StageDraft } from './draft.js';

/**
 * Lowers `capabilities.filesystem.read_only` to what calls are judged by, with what each tool's own schema says of its inputs
 * (spec/containment.md 16). A capsule without `read_only` reads no schema.
 */
export function protect(draft: StageDraft): void {
  const { policy } = draft.request;
  if (policy.readOnlyPaths.length === 0) return;
  draft.protectedPaths = new ProtectedPaths(policy.readOnlyPaths, needed(draft.folders, 'mint').accessibleWorkdir);
  const { annotations, warnings } = annotationsOf(
    needed(draft.resolved, 'resolve').filter(({ role }) => role === 'tool'),
    draft.scopeReport?.read_only_enforcement?.commands === 'mounts',
  );
  draft.toolAnnotations = annotations;
  for (const { code, message } of warnings) draft.warn(code, message);
}

/**
 * The annotations of each tool, and `W-SEC-018` for one whose writes nothing but the check of calls holds. A WASM tool is held by the
 * walk of its files, whatever it was told; `areCommandsHeld`: a native one by mounts.
 */
export function annotationsOf(
  tools: readonly (Pick<ResolvedArtifact, 'name' | 'manifestText'> & { readonly payload: { readonly kind: string } })[],
  areCommandsHeld: boolean,
): {
  readonly annotations: ReadonlyMap<string, ToolAnnotations>;
  readonly warnings: readonly { readonly code: WarningCode; readonly message: string }[];
} {
  const annotations = new Map(
    tools.map(({ name, manifestText }) => [name, readAnnotations(schemaValue(readToolManifest(manifestText)?.schema))]),
  );
  const warnings = tools.flatMap(({ name, payload }) => {
    const { unannotated } = annotations.get(name)!;
    if (payload.kind === 'wasm' || areCommandsHeld || unannotated.length === 0) return [];
    const message = `read_only paths are declared, and the check of calls cannot tell which of these inputs of tool '${name}' are written: ${unannotated.join(', ')}`;
    return [{ code: 'W-SEC-018' as const, message }];
  });
  return { annotations, warnings };
}
