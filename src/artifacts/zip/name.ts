/**
 * Names of archive entries: which are safe, and which would be one file somewhere (spec/artifacts.md section 4). Pure.
 *
 * Does not stop: names that only Windows reads in a special way (`NUL`, a dot at the end); letters that look alike.
 */

/**
 * Why `name` may not be joined to a folder; `undefined` when it may. A single leading `/` has been taken off by the caller.
 * `..foo.txt`, `a..b`, blanks and letters of any script are fine.
 */
export function entryNameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (/[\0-\x1f\x7f-\x9f]/.test(name)) return 'it contains a control character';
  if (name.includes('\\')) return "it contains a '\\'";
  if (name.startsWith('/')) return 'it is an absolute path';
  if (/^[A-Za-z]:/.test(name)) return 'it starts with a drive letter';
  const components = name.replace(/\/$/, '').split('/');
  if (components.includes('..')) return "it contains a '..' component";
  if (components.includes('.')) return "it contains a '.' component";
  return components.includes('') ? 'it contains an empty component' : undefined;
}

/** The bytes of a name as text. Always UTF-8, whatever the entry's flag says; `undefined` for bytes that are not. */
export function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Equal for names that some file system takes for one: by letter case, and by how accents are composed. */
export function foldName(name: string): string {
  return name.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD');
}

/** Tells the first name that another one before it already is, or that is a file where another needs a folder. */
export class NameRegister {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  /** The earlier name that `name` cannot be beside; `undefined` when it is the first of its kind. */
  add(name: string, isFolder: boolean): string | undefined {
    const path = name.replace(/\/$/, '');
    const folded = foldName(path);
    const parts = folded.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const above = parts.slice(0, depth).join('/');
      const file = this.#files.get(above);
      if (file !== undefined) return file;
      this.#folders.set(above, name);
    }
    const same = this.#files.get(folded) ?? (isFolder ? undefined : this.#folders.get(folded));
    if (same !== undefined) return same;
    (isFolder ? this.#folders : this.#files).set(folded, name);
    return undefined;
  }
}
