import { artifactNameProblem } from './grammar.js';
import type { Fault } from './report.js';
import { block, texts, type z } from './shape.js';
import type { Path } from './tree.js';

/** `capabilities.install`. */
export const installShape = block({ skill: texts(), tool: texts(), from: texts() });

/** What a pull may install into a session (spec/manifest.md section 6.5). Entries are verbatim, in declaration order. */
export interface InstallGrant {
  readonly skill: readonly string[];
  readonly tool: readonly string[];
  readonly from: readonly InstallOrigin[];
}

export type InstallOrigin = 'stores' | 'sources';

export function readInstall(raw: NonNullable<z.infer<typeof installShape>>, path: Path, fault: Fault): InstallGrant {
  const skill = raw.skill ?? [];
  const tool = raw.tool ?? [];
  if (skill.length === 0 && tool.length === 0) throw fault(path, 'must name at least one skill or tool');
  for (const [key, entries] of Object.entries({ skill, tool })) {
    for (const [index, entry] of entries.entries()) {
      if (!isInstallEntry(entry)) {
        throw fault(
          [...path, key, index],
          `'${entry}' is no install entry; expected an artifact name, "<prefix>*" or "*", optionally behind "<scope>/"`,
        );
      }
    }
  }
  return { skill, tool, from: readOrigins(raw.from, [...path, 'from'], fault) };
}

function isInstallEntry(entry: string): boolean {
  if (entry === '*') return true;
  if (!entry.endsWith('*')) return artifactNameProblem(entry) === undefined;
  const prefix = entry.slice(0, -1);
  const slash = prefix.indexOf('/');
  const scope = slash === -1 ? undefined : prefix.slice(0, slash);
  if (scope !== undefined && artifactNameProblem(scope) !== undefined) return false;
  return /^[a-z0-9][a-z0-9-]{0,99}$/.test(prefix.slice(slash + 1));
}

function readOrigins(raw: readonly string[] | undefined, path: Path, fault: Fault): readonly InstallOrigin[] {
  if (raw === undefined) return ['stores'];
  const unknown = raw.find((origin) => origin !== 'stores' && origin !== 'sources');
  if (unknown !== undefined) throw fault(path, `unknown value '${unknown}'; expected: stores, sources`);
  if (new Set(raw).size !== raw.length) throw fault(path, 'must not repeat a value');
  if (!raw.includes('stores')) throw fault(path, 'must include stores');
  return raw as readonly InstallOrigin[];
}
