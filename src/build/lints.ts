import type { PackagingType } from '../artifacts/index.js';
import { nearestKey } from '../manifest/suggest.js';
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

/** What works in capsules alone that allow it, and on runtimes that serve it to tools. */
const imported: readonly (BuildWarning & { readonly name: string })[] = [
  {
    name: 'murmur:shell/execute',
    code: 'W-BLD-901',
    message:
      'it starts programs of the host (murmur:shell/execute): a capsule has to name them in capabilities.shell.allow, and a runtime other than mur may serve this to no tool',
  },
  {
    name: 'murmur:message/send',
    code: 'W-BLD-902',
    message:
      'it sends to other capsules (murmur:message/send): a capsule has to name their hosts in capabilities.network.allow, and a runtime other than mur may serve this to no tool',
  },
];

/** `W-BLD-901` for a tool that starts programs, `W-BLD-902` for one that sends to other capsules. */
export function lintImports(imports: readonly string[]): BuildWarning[] {
  return imported
    .filter(({ name }) => imports.some((each) => each.startsWith(`${name}@`)))
    .map(({ code, message }) => ({ code, message }));
}

/** What parseArtifactManifest (../artifacts/manifest.ts) and declaration.ts read. A test compares it with `mur schema artifact`. */
export const artifactKeys: readonly string[] = [
  ...['name', 'version', 'runtime', 'implementation', 'execution', 'requires_files', 'description', 'summary', 'tags'],
  ...['input_schema', 'input', 'output_schema', 'upstream_auth', 'models', 'needs_gateway', 'build', 'binding'],
  ...['execution_mode', 'commit_policy', 'inference_auth', 'capabilities'],
];

/**
 * `W-SEC-019` for each key at the top of an artifact's manifest that is a slip of the pen away from one that mur reads. Other
 * unknown keys may be another runtime's.
 */
export function misspeltKeys(tree: unknown): BuildWarning[] {
  const keys = typeof tree === 'object' && tree !== null ? Object.keys(tree) : [];
  return keys.flatMap((key) => {
    const near = artifactKeys.includes(key) ? undefined : nearestKey(key, artifactKeys);
    if (near === undefined) return [];
    return [
      {
        code: 'W-SEC-019' as const,
        message: `unknown key '${key}' at the top level is ignored; did you mean '${near}'?`,
      },
    ];
  });
}

function isSourceOrOutput(name: string): boolean {
  const parts = name.split('/');
  const file = parts.at(-1) ?? '';
  return file === 'Cargo.toml' || file === 'Cargo.lock' || file.endsWith('.rs') || parts.includes('target');
}
