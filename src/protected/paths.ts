import { realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** A path that falls under a rule. */
export interface ProtectedMatch {
  /** As the manifest has it. */
  readonly rule: string;
  /** Relative to the work folder. */
  readonly path: string;
}

type Names = readonly string[];

/** Longer than any path the kernel takes, so nothing is written under it. */
const mostPathBytes = 4096;

/**
 * `capabilities.filesystem.read_only` of one session, as paths are compared with it (spec/containment.md 16.2). Rules and candidates
 * are compared as written and as they lead now, links followed, so that neither spelling is a way around the other.
 *
 * Does not stop: a link that is made, or moved, after the look; a second name (hard link) a protected file had before.
 */
export class ProtectedPaths {
  /** As the manifest has them, in its order. */
  readonly declared: readonly string[];
  /** The same, without `.` and `..`; `.` for the work folder itself. */
  readonly rules: readonly string[];
  readonly #workFolder: string;

  constructor(declared: readonly string[], workFolder: string) {
    this.declared = declared;
    this.#workFolder = workFolder;
    this.rules = declared.map((rule) => (lexical([], rule) ?? []).join('/') || '.');
  }

  get isEmpty(): boolean {
    return this.declared.length === 0;
  }

  /**
   * The first rule that covers `candidate`, a path as a call names it. `base`: the folder of the work folder it is relative to.
   * With `above`, also a rule below it: what removes or moves a folder removes what is in it.
   */
  match(
    candidate: string,
    options: { readonly base?: string; readonly above?: boolean } = {},
  ): ProtectedMatch | undefined {
    if (this.isEmpty || candidate === '' || candidate.includes('\0')) return undefined;
    if (Buffer.byteLength(candidate) > mostPathBytes) return undefined;
    const root = canonical(this.#workFolder);
    const base = lexical([], options.base ?? '.') ?? [];
    const meant = candidate.startsWith('/')
      ? [absolute(candidate, [this.#workFolder, root]), led(root, '/', candidate)]
      : [lexical(base, candidate), led(root, join(root, ...base), candidate)];
    for (const rule of this.declared) {
      const forms = [lexical([], rule), led(root, root, rule)].filter((form) => form !== undefined);
      for (const path of meant) {
        if (path === undefined) continue;
        const isHit = forms.some((form) => isBelow(path, form) || (options.above === true && isBelow(form, path)));
        if (isHit) return { rule, path: path.join('/') || '.' };
      }
    }
    return undefined;
  }

  /**
   * What the rules say of one folder of the work folder, for a guest that sees that folder only: all of it, or these paths below it.
   * Every rule is given as written and as it leads now.
   */
  below(folder: string): { readonly all: boolean; readonly paths: readonly string[] } {
    const root = canonical(this.#workFolder);
    const top = lexical([], folder) ?? [];
    const forms = this.declared.flatMap((rule) => [lexical([], rule), led(root, root, rule)]);
    const known = forms.filter((form) => form !== undefined);
    const paths = known.filter((form) => isBelow(form, top)).map((form) => form.slice(top.length).join('/'));
    return { all: known.some((form) => isBelow(top, form)), paths: [...new Set(paths)].filter((path) => path !== '') };
  }
}

/** The names of `path` from `base` on; `undefined` once it leaves the work folder, also when it would come back. */
function lexical(base: Names, path: string): Names | undefined {
  const names = [...base];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names;
}

/** Below the work folder by its name or by where it really is. */
function absolute(path: string, roots: readonly string[]): Names | undefined {
  const names = lexical([], path) ?? [];
  for (const root of roots) {
    const top = lexical([], root) ?? [];
    if (isBelow(names, top)) return names.slice(top.length);
  }
  return undefined;
}

/** Where the kernel would get, one name after the other, links followed as far as there is something. */
function led(root: string, from: string, path: string): Names | undefined {
  let at = from;
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    at = name === '..' ? dirname(at) : canonical(join(at, name));
  }
  const rest = relative(root, at);
  if (rest === '..' || rest.startsWith(`..${sep}`) || rest.startsWith('/')) return undefined;
  return rest === '' ? [] : rest.split(sep);
}

/** Whether the first is the second, or lies in it. By whole names: `tests2` does not lie in `tests`. */
function isBelow(path: Names, folder: Names): boolean {
  return folder.length <= path.length && folder.every((name, index) => path[index] === name);
}

function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
