import { statSync } from 'node:fs';
import { MurError } from '../errors/index.js';
import { artifactNameProblem, versionProblem } from '../manifest/index.js';
import { shorten } from '../text/shorten.js';

/** What `mur install` was asked for (spec/cli.md section 7). */
export type InstallRef =
  | { readonly kind: 'manifest' }
  | { readonly kind: 'exact'; readonly name: string; readonly version: string }
  | { readonly kind: 'latest'; readonly name: string }
  | { readonly kind: 'release'; readonly owner: string; readonly repo: string; readonly tag: string }
  | { readonly kind: 'file'; readonly path: string };

const extension = '.mur.zip';
/** Words that name no bytes, so nothing can be published or installed under them. */
const reservedVersions = ['latest', 'stable', 'edge'];

/** The form of `ref`. Throws `E-IO-003` for text that is none of them. */
export function parseInstallRef(ref: string | undefined): InstallRef {
  if (ref === undefined) return { kind: 'manifest' };
  if (isPath(ref)) return { kind: 'file', path: ref };
  const prefix = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(ref)?.[1];
  if (prefix === 'github') return release(ref);
  if (prefix !== undefined) throw invalid(ref, `'${prefix}:' is not a source; github: is`);
  const at = ref.indexOf('@');
  const name = at === -1 ? ref : ref.slice(0, at);
  const problem = artifactNameProblem(name);
  if (problem !== undefined) throw invalid(ref, `'${name}' is not an artifact name: ${problem}`);
  if (at === -1) return { kind: 'latest', name };
  const version = ref.slice(at + 1);
  const wrong = versionProblem(version);
  if (wrong !== undefined) throw invalid(ref, `'${shorten(version)}' is not a version: ${wrong}`);
  if (reservedVersions.includes(version)) {
    throw invalid(ref, `'${version}' is not a version`, `mur install ${name} takes the latest release`);
  }
  return { kind: 'exact', name, version };
}

function isPath(ref: string): boolean {
  if (/^(?:\.{1,2}(?:$|\/)|\/)/.test(ref)) return true;
  return ref.endsWith(extension) && statSync(ref, { throwIfNoEntry: false })?.isFile() === true;
}

function release(ref: string): InstallRef {
  const [, owner, repo, tag] = /^github:([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+)@(.+)$/.exec(ref) ?? [];
  if (owner !== undefined && repo !== undefined && tag !== undefined) return { kind: 'release', owner, repo, tag };
  throw invalid(ref, 'expected github:<owner>/<repo>@<tag>');
}

function invalid(ref: string, why: string, hint?: string): MurError {
  return new MurError('E-IO-003', `cannot install '${shorten(ref, 120)}': ${why}`, {
    hint: hint ?? 'write name@version, name, github:owner/repo@tag, or a path such as ./tool-0.1.0.mur.zip',
  });
}
