/** Paths of a call: relative to the work folder, `/` between parts, never above it. Links are the file host's business. */
import { Failure } from './failure.js';

/** `path` without `.`, `..`, doubled or trailing slashes; the work folder itself is `.`. Throws `Failure` when it leads out. */
export function normalize(path: string): string {
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)) {
    throw new Failure(`${path} is an absolute path; give a path relative to the work folder, such as notes/plan.md`);
  }
  if (path.includes('\0')) throw new Failure('the path contains a NUL character');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined)
      throw new Failure(`${path} leads outside the work folder; only files inside it can be used`);
  }
  return parts.join('/') || '.';
}

/** The folder `path` lies in. */
export function parent(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '.' : path.slice(0, slash);
}

export function join(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}
