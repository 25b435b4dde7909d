/**
 * Which folders of this machine `host_paths` lends: the rules that need no file system (spec/config.md section 7, step 1). Whether
 * they exist, are no system paths and do not meet the work folder is looked at when a session is contained.
 */
import { isAbsolute, join, normalize } from 'node:path';
import { MurError } from '../errors/index.js';
import type { DeclaredHostPath } from './config-types.js';

export interface HostPath {
  /** As written, for messages. */
  readonly declared: string;
  /** Absolute, folded, `~` replaced; links not followed. */
  readonly path: string;
  readonly access: 'read' | 'read-write';
}

/** The entries with their paths made absolute. `userHome` is the HOME mur runs with. Throws `E-CAP-901` for the first bad one. */
export function hostPathsOf(entries: readonly DeclaredHostPath[], userHome: string): readonly HostPath[] {
  const found: HostPath[] = [];
  for (const [index, entry] of entries.entries()) {
    const declared = entry.path ?? '';
    const refuse = (why: string, hint?: string) =>
      new MurError(
        'E-CAP-901',
        `host_paths[${index}]${declared === '' ? '' : ` '${declared}'`}: ${why}`,
        hint === undefined ? {} : { hint },
      );
    if (declared === '') throw refuse('path is missing');
    if (entry.access === undefined) throw refuse('access is missing; it is read or read-write');
    const path = resolved(declared, userHome);
    if (path === undefined) {
      throw refuse(
        'the path is not absolute',
        'write it from / or from ~/; other users and variables are not expanded',
      );
    }
    if (path === '/') throw refuse('the whole file system cannot be lent');
    const earlier = found.findIndex((other) => other.path === path);
    if (earlier !== -1) throw refuse(`names the same folder as host_paths[${earlier}]`);
    found.push({ declared, path, access: entry.access });
  }
  return found;
}

function resolved(declared: string, userHome: string): string | undefined {
  const isBelowHome = declared === '~' || declared.startsWith('~/');
  const path = isBelowHome ? join(userHome, declared.slice(1)) : declared;
  if (!isAbsolute(path)) return undefined;
  const folded = normalize(path);
  return folded.length > 1 && folded.endsWith('/') ? folded.slice(0, -1) : folded;
}
