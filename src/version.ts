import { readFileSync } from 'node:fs';

const found = findPackage(new URL('.', import.meta.url));

/** Version of this package, from its package.json: the one place where it is written. */
export const murVersion: string = found.version;
/** Folder of that package.json, with a trailing slash: where `diagrams/` and `dist/` lie. */
export const packageRoot: URL = found.root;

/** Looks in the folders above, because sources, compiled files and the bundle lie at different depths. */
function findPackage(folder: URL): { readonly version: string; readonly root: URL } {
  try {
    const parsed: unknown = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
    const { name, version } = parsed as { name?: unknown; version?: unknown };
    if (name === 'mur' && typeof version === 'string') return { version, root: folder };
  } catch {
    // Not here: one folder up.
  }
  const parent = new URL('..', folder);
  return parent.href === folder.href ? { version: '0.0.0', root: folder } : findPackage(parent);
}
