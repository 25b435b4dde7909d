import { platforms } from './platform.js';

/** Names of the files a store and a release hold of one artifact (spec/artifacts.md sections 3 and 6). */
export function artifactFileName(name: string, version: string, platform?: string): string {
  return `${artifactFileStem(name, version, platform)}.mur.zip`;
}

/** The part that the archive, its hash and its description share. */
export function artifactFileStem(name: string, version: string, platform?: string): string {
  const stem = `${name.slice(name.lastIndexOf('/') + 1)}-${version}`;
  return platform === undefined ? stem : `${stem}-${platform}`;
}

/**
 * Why a file at `place` cannot be `name@version`: its name has the usual form and says something else. A name of another form
 * says nothing.
 */
export function fileNameProblem(place: string, name: string, version: string): string | undefined {
  const stem = stemOf(place);
  if (stem === undefined) return undefined;
  const tag = platformTag(place);
  const said = tag === undefined ? stem : stem.slice(0, -tag.length - 1);
  if (said === artifactFileStem(name, version) || !/-v?\d+\.\d/.test(said)) return undefined;
  return `the file name says '${said}', but its murmur.yaml says '${name}@${version}'`;
}

/** The platform that the name of the archive at `place` ends with; `undefined` when it says none. */
export function platformTag(place: string): (typeof platforms)[number] | undefined {
  const stem = stemOf(place);
  return platforms.find((platform) => stem?.endsWith(`-${platform}`));
}

function stemOf(place: string): string | undefined {
  const file = place.slice(place.lastIndexOf('/') + 1);
  return file.endsWith('.mur.zip') ? file.slice(0, -'.mur.zip'.length) : undefined;
}
