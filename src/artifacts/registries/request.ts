import { MurError } from '../../errors/index.js';
import { artifactNameProblem, versionProblem } from '../../manifest/index.js';
import { serverText } from './http/failure.js';
import type { FetchRequest } from './types.js';

/** Refuses what could not be the name and version of an artifact, before any of it becomes part of an address. */
export function checkRequest({ name, version }: Pick<FetchRequest, 'name' | 'version'>): void {
  const wrongName = artifactNameProblem(name);
  if (wrongName !== undefined)
    throw new MurError('E-IO-003', `invalid artifact name '${serverText(name)}': ${wrongName}`);
  const wrongVersion = version === undefined ? undefined : versionProblem(version);
  if (wrongVersion === undefined) return;
  throw new MurError('E-IO-003', `invalid version '${serverText(version ?? '')}' of '${name}': ${wrongVersion}`);
}

/** `name@version`, or the name alone. */
export function labelOf({ name, version }: Pick<FetchRequest, 'name' | 'version'>): string {
  return version === undefined ? name : `${name}@${version}`;
}
