/** The files of a release by their names (spec/artifacts.md sections 3 and 8.4). Pure. */
import { toolNameOf } from '../../../manifest/index.js';
import { artifactFileName } from '../../file-name.js';
import { platforms } from '../../platform.js';

export interface Asset {
  readonly name: string;
  /** Where its bytes are; checked by the client before it is asked. */
  readonly url: string;
  readonly sizeBytes?: number;
  /** Lowercase hex, when GitHub computed one. */
  readonly sha256?: string;
}

export interface Release {
  readonly tag: string;
  readonly assets: readonly Asset[];
}

/** An asset that was chosen, and the platform its name says it is for. */
export interface Choice {
  readonly asset: Asset;
  readonly platform?: string;
}

const archive = '.mur.zip';

export function isArchive({ name }: Asset): boolean {
  return name.endsWith(archive);
}

/** The platform a file name ends with. */
export function platformIn(name: string): string | undefined {
  return platforms.find((platform) => name.endsWith(`-${platform}${archive}`));
}

/** The asset of exactly this version: the one for the platform, else the one without. Never one for another platform. */
export function exactAsset(release: Release, name: string, version: string, platform: string): Choice | undefined {
  return named(release, name, version, platform) ?? named(release, name, version);
}

/** Every asset of this version, whatever platform it is for. */
export function variants(release: Release, name: string, version: string): readonly Choice[] {
  return [undefined, ...platforms].flatMap((platform) => named(release, name, version, platform) ?? []);
}

function named(release: Release, name: string, version: string, platform?: string): Choice | undefined {
  const file = artifactFileName(name, version, platform);
  const asset = release.assets.find((each) => each.name === file);
  return asset && { asset, ...(platform === undefined ? {} : { platform }) };
}

/** The asset of the newest version this release has for the platform, which is normally the only one. */
export function newestAsset(release: Release, name: string, platform: string): Choice | undefined {
  const versions = new Set(assetsNamed(release, name).map((asset) => versionIn(asset.name, name)));
  const newest = [...versions].filter((version) => version !== undefined).sort(compareVersions);
  return newest.reduceRight<Choice | undefined>(
    (found, version) => found ?? exactAsset(release, name, version, platform),
    undefined,
  );
}

/** Archives whose name starts as those of the artifact do, of any version and platform. */
export function assetsNamed(release: Release, name: string): readonly Asset[] {
  return release.assets.filter((asset) => versionIn(asset.name, name) !== undefined);
}

/** `1.2.0` of `tool-1.2.0-linux-x86_64.mur.zip`. A name that goes on with letters or one number is another artifact's (`tool-x-1.0`). */
function versionIn(file: string, name: string): string | undefined {
  const start = `${toolNameOf(name)}-`;
  if (!file.startsWith(start) || !file.endsWith(archive)) return undefined;
  const platform = platformIn(file);
  const end = platform === undefined ? archive : `-${platform}${archive}`;
  const version = file.slice(start.length, -end.length);
  return /^\d+\.\d[\w.+-]*$/.test(version) ? version : undefined;
}

/** By number where both have one; a pre-release (`1.0.0-rc1`) comes before its release. */
function compareVersions(a: string, b: string): number {
  const [[coreA, preA], [coreB, preB]] = [partsOf(a), partsOf(b)];
  const core = coreA.localeCompare(coreB, 'en', { numeric: true });
  if (core !== 0) return core;
  if (preA === '' || preB === '') return (preA === '' ? 1 : 0) - (preB === '' ? 1 : 0);
  return preA.localeCompare(preB, 'en', { numeric: true });
}

function partsOf(version: string): readonly [core: string, pre: string] {
  const dash = version.indexOf('-');
  return dash === -1 ? [version, ''] : [version.slice(0, dash), version.slice(dash + 1)];
}
