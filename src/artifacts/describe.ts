/**
 * What an archive is, read from its bytes: checked whole, described, and ready for a store or a registry. Not where it goes
 * (local-store.ts, registries/). Read next: archive.ts, manifest.ts, file-name.ts.
 */
import { MurError } from '../errors/index.js';
import { sha256Hex } from '../text/index.js';
import { type Contract, interfaceText, readContract } from '../wasm/contract.js';
import { type Archive, archiveText, openArchive } from './archive.js';
import { fileNameProblem, platformTag } from './file-name.js';
import { packagingOf, parseArtifactManifest } from './manifest.js';
import { checkPlatform, hostPlatform, nativePlatformOf, platforms } from './platform.js';
import { programOf, rootWasm } from './program.js';
import type { ArtifactManifest, PackagingType } from './types.js';

/** What a store keeps of an artifact beside its bytes (spec/artifacts.md section 6). */
export interface ArtifactMeta {
  readonly name: string;
  readonly version: string;
  /** Packaging type. */
  readonly runtime: PackagingType;
  /** Role: `tool`, `driver`, `hook`, `skill`, `capsule`, or a word of the artifact's own. */
  readonly artifactRuntime: string;
  readonly platforms: readonly (readonly [os: string, arch: string])[];
  readonly description?: string;
  readonly tags: readonly string[];
  /** WIT interfaces of its component, as it names them: `murmur:tool/run@0.1.0`. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
}

/** An artifact as it travels: its archive, and what was read from it. */
export interface PackedArtifact {
  readonly meta: ArtifactMeta;
  /** `linux-x86_64`, for a native artifact. */
  readonly platform?: string;
  readonly bytes: Uint8Array;
  /** Lowercase hex sha256 of the whole zip. */
  readonly sha256: string;
}

export interface DescribeOptions {
  /** The platform a native artifact must be for. */
  readonly platform?: string;
  /** Version of an artifact whose manifest has none (a release's tag). */
  readonly fallbackVersion?: string;
}

/**
 * The artifact in `bytes`; `place` names it in messages and, when it is a file name of the usual form, must fit its manifest.
 * Every entry is unpacked and checked, one at a time, so nothing that is stored fails later on its content. Rejects with a
 * `MurError`: `E-IO-003` for a broken archive or payload, `E-MAN-*` for its manifest, `E-RUN-021` for another platform's program.
 */
export async function describeArchive(
  bytes: Uint8Array,
  place: string,
  options: DescribeOptions = {},
): Promise<PackedArtifact> {
  const archive = await openArchive(bytes, place);
  for (const name of archive.names) await archive.read(name);
  const text = archiveText(await archive.read('murmur.yaml'), 'murmur.yaml', place);
  const manifest = parseArtifactManifest(text, `murmur.yaml of ${place}`, options.fallbackVersion);
  const runtime = packagingOf(manifest);
  const native =
    runtime === 'native' ? await readNative(archive, manifest, options.platform ?? platformTag(place)) : undefined;
  const problem = fileNameProblem(place, manifest.name, manifest.version);
  if (problem !== undefined) throw new MurError('E-IO-003', `failed to read artifact archive ${place}: ${problem}`);
  if (manifest.runtime === 'skill') requireFile(archive, 'skill.md');
  const component = runtime === 'wasm' ? await readComponent(archive, manifest) : undefined;
  const contract = component === undefined ? noContract : readContract(manifest.name, component);
  return {
    meta: {
      name: manifest.name,
      version: manifest.version,
      runtime,
      artifactRuntime: manifest.runtime,
      platforms: native?.platforms ?? [],
      ...describedBy(manifest),
      tags: manifest.tags,
      imports: interfacesOf(contract.imports),
      exports: interfacesOf(contract.exports),
    },
    ...(native === undefined ? {} : { platform: native.platform }),
    bytes,
    sha256: sha256Hex(bytes),
  };
}

const noContract: Contract = { imports: [], exports: [] };

/** Bare functions, which toolchains add for themselves, are no interfaces. */
function interfacesOf(refs: Contract['imports']): readonly string[] {
  return refs.filter((ref) => ref.package !== '').map(interfaceText);
}

function describedBy({ description, summary }: ArtifactManifest): { readonly description?: string } {
  const text = description ?? summary;
  return text === undefined ? {} : { description: text };
}

/** The component; a capsule that is driven by a model has none. */
async function readComponent(archive: Archive, manifest: ArtifactManifest): Promise<Uint8Array | undefined> {
  const hasNone = !archive.names.some((name) => name.endsWith('.wasm'));
  if (manifest.runtime === 'capsule' && hasNone) return undefined;
  return archive.read(rootWasm(archive.place, archive.names, manifest));
}

async function readNative(
  archive: Archive,
  manifest: ArtifactManifest,
  wanted: string | undefined,
): Promise<{ readonly platform: string; readonly platforms: ArtifactMeta['platforms'] }> {
  const program = programOf(manifest.name);
  requireFile(archive, program);
  const built = nativePlatformOf(await archive.read(program));
  const platform = wanted ?? (built === undefined || built === 'darwin' ? hostPlatform() : built);
  checkPlatform(`${manifest.name}@${manifest.version}`, built, platform);
  const all = built === 'darwin' ? platforms.filter((name) => name.startsWith('darwin-')) : [platform];
  return { platform, platforms: all.map((name) => name.split('-') as [string, string]) };
}

function requireFile(archive: Archive, name: string): void {
  if (archive.names.includes(name)) return;
  throw new MurError(
    'E-IO-003',
    `failed to read artifact archive ${archive.place}: artifact missing required file ${name}`,
  );
}
