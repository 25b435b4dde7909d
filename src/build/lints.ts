import type { PackagingType } from '../artifacts/index.js';
import type { BuildPlan } from './plan.js';
import type { BuildWarning } from './types.js';

const reserved = new Set(['murmur.yaml', 'capsule.wasm']);

/** What is allowed and probably not meant: `W-BLD-001` to `003` (spec/artifacts.md section 3). */
export function lintPlan({ entries, shadowed }: BuildPlan, packaging: PackagingType): BuildWarning[] {
  const names = entries.map(({ name }) => name);
  const warnings: BuildWarning[] = shadowed
    .filter((declared) => reserved.has(declared.replace(/^(?:\.\/)+/, '')))
    .map((declared) => ({
      code: 'W-BLD-001',
      message: `requires_files entry '${declared}' names a file that is packed at the root already`,
    }));
  const others = names.filter((name) => /^[^/]+\.wasm$/.test(name) && name !== 'capsule.wasm').sort();
  if (packaging === 'wasm' && names.includes('capsule.wasm') && others.length > 0) {
    warnings.push({
      code: 'W-BLD-002',
      message: `capsule.wasm is what runs; also packed and never run: ${others.join(', ')}`,
    });
  }
  const odd = packaging === 'static' ? [] : names.filter(isSourceOrOutput);
  if (odd.length > 0) {
    warnings.push({ code: 'W-BLD-003', message: `packs sources or build output: ${odd.join(', ')}` });
  }
  return warnings;
}

function isSourceOrOutput(name: string): boolean {
  const parts = name.split('/');
  const file = parts.at(-1) ?? '';
  return file === 'Cargo.toml' || file === 'Cargo.lock' || file.endsWith('.rs') || parts.includes('target');
}
