import { startProblem } from '../policy/index.js';
import type { ScopeInput, StarterRow } from './types.js';

/**
 * Who may start the programs of `capabilities.shell.allow`: a model, and components that ask for it. Which components ask stands in
 * their bytes, which nobody has read yet; `mur doctor` does.
 */
export function starters({
  policy,
  manifest,
  nativeTools = [],
}: Pick<ScopeInput, 'policy' | 'manifest' | 'nativeTools'>): readonly StarterRow[] {
  if (policy.shellAllow.length === 0) return [];
  const own: StarterRow =
    manifest.inference === undefined
      ? { who: 'capsule', role: 'capsule', refused_because: null }
      : { who: 'model', role: 'model', refused_because: null };
  const tools = manifest.artifacts.filter(
    ({ name, runtime }) => runtime === 'tool' && !nativeTools.some(({ artifact }) => artifact === name),
  );
  return [
    own,
    ...tools.map(
      (entry): StarterRow => ({ who: entry.name, role: 'tool', refused_because: startProblem(policy, entry) ?? null }),
    ),
  ];
}
