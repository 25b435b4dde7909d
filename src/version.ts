import { readFileSync } from 'node:fs';

/** Version of this package, from its package.json: the one place where it is written. */
export const murVersion: string = readVersion(new URL('.', import.meta.url));

/** Looks in the folders above, because sources, compiled files and the bundle lie at different depths. */
function readVersion(folder: URL): string {
  try {
    const parsed: unknown = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
    const { name, version } = parsed as { name?: unknown; version?: unknown };
    if (name === 'mur' && typeof version === 'string') return version;
  } catch {
    // Not here: one folder up.
  }
  const parent = new URL('..', folder);
  return parent.href === folder.href ? '0.0.0' : readVersion(parent);
}
