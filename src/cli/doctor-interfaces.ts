import type { ArtifactMeta, StoreRow } from '../artifacts/index.js';
import { servedVersions } from '../wasm/link.js';
import type { Block } from './doctor-block.js';

/** `murmur:tool/run@0.1.0` in its parts. */
const interfaceName = /^(?<base>(?<pack>murmur:[^/@]+)\/[^@]+)(?:@(?<version>.+))?$/;

/**
 * Why a component with these interfaces would be refused here: `built against murmur:tool/run@0.2.0, this mur serves
 * murmur:tool@0.1.0 (+1 more)`. `undefined` when each `murmur:` interface is served at its version; a name without one never is.
 */
export function interfaceProblem(interfaces: readonly string[]): string | undefined {
  const problems = [...new Set(interfaces)].flatMap((text) => {
    const parts = interfaceName.exec(text)?.groups;
    if (parts === undefined) return [];
    const { base = '', pack = '', version } = parts;
    const served = servedVersions(base);
    if (version !== undefined && served.includes(version)) return [];
    const instead = served.length === 0 ? `no version of ${pack}` : `${pack}@${served.join(', ')}`;
    return [`built against ${text}, this mur serves ${instead}`];
  });
  const [first, ...more] = problems;
  if (first === undefined) return undefined;
  return more.length === 0 ? first : `${first} (+${more.length} more)`;
}

export function interfacesOf({ exports, imports }: Pick<ArtifactMeta, 'exports' | 'imports'>): readonly string[] {
  return [...exports, ...imports];
}

export interface Installed {
  readonly scope: 'project' | 'global';
  readonly row: StoreRow;
}

/** Installed artifacts that this project does not declare and that this mur could not run (`W-REG-003`), by their recorded WIT. */
export function interfacesBlock(installed: readonly Installed[], isDeclared: (meta: ArtifactMeta) => boolean): Block {
  const found = installed.flatMap(({ scope, row: { meta } }) => {
    const problem = isDeclared(meta) ? undefined : interfaceProblem(interfacesOf(meta));
    return problem === undefined ? [] : [{ scope, label: `${meta.name}@${meta.version}`, problem }];
  });
  return {
    key: 'interfaces',
    title: 'Interface versions',
    lines: found.map(({ scope, label, problem }) => ({
      level: 'warning',
      code: 'W-REG-003',
      text: `warning[W-REG-003]: ${label} (${scope}) is ${problem}`,
      fix: `install a release of ${label.slice(0, label.lastIndexOf('@'))} that fits this mur, or remove it`,
    })),
    json: found.map(({ scope, label, problem }) => ({ artifact: label, scope, problem })),
  };
}
