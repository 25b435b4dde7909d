import { readFileSync } from 'node:fs';

/** Version of this package, from its package.json: the one place it is written. */
export const murVersion: string = readVersion();

function readVersion(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'));
      const { name, version } = parsed as { name?: unknown; version?: unknown };
      if (name === 'mur' && typeof version === 'string') return version;
    } catch {
      // The file is one folder further up: sources and compiled files lie at different depths.
    }
  }
  return '0.0.0';
}
