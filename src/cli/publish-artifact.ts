import { join, resolve } from 'node:path';
import { describeArchive, type PackedArtifact } from '../artifacts/describe.js';
import { artifactFileName } from '../artifacts/file-name.js';
import { localStore } from '../artifacts/local-store.js';
import { parseArtifactManifest } from '../artifacts/manifest.js';
import { hostPlatform } from '../artifacts/platform.js';
import { downloadCeiling } from '../artifacts/registries/download/ceiling.js';
import { chooseRegistry, keyNotice, remoteRegistry, workspaceRegistry } from '../artifacts/registries/index.js';
import { MurError, reasonOf } from '../errors/index.js';
import { locateMurmurHome, murmurHome } from '../home/murmur-home.js';
import { isMissing, readManifestText, readRegularFile } from '../manifest/index.js';
import type { CliContext, ExitStatus } from './context.js';
import type { PublishFlags } from './publish.js';
import { oneLine } from './safe-text.js';

const reservedVersions: ReadonlySet<string> = new Set(['latest', 'stable', 'edge']);

/** Publishes one archive. Everything is checked before the first byte leaves or a store is touched. */
export async function publishArtifact(flags: PublishFlags, { stdout, stderr, env }: CliContext): Promise<ExitStatus> {
  const platform = flags.platform === undefined ? undefined : checkedPlatform(flags.platform);
  const path = flags.path ?? defaultPath();
  const bytes = readArchive(path, flags.path === undefined, env);
  const artifact = await described(bytes, path, platform);
  const { name, version } = artifact.meta;
  if (reservedVersions.has(version)) {
    throw new MurError('E-REG-004', `version '${version}' is reserved and cannot be published`, {
      hint: 'latest, stable and edge name what a registry resolves; give the artifact a version of its own',
    });
  }
  const workspace = flags.registry === undefined ? workspaceRegistry('.') : undefined;
  const choice = chooseRegistry(flags.registry, workspace, env);
  const notice = keyNotice(choice);
  if (notice !== undefined) stderr.write(`${oneLine(notice)}\n`);
  const isDetected = platform === undefined && artifact.platform !== undefined;
  if (isDetected && flags.json !== true) stdout.write(`Platform: ${artifact.platform} (auto-detected)\n`);
  const place =
    choice === 'local' ? { path: await publishHere(artifact, env) } : await publishThere(artifact, choice.url, env);
  if (flags.json === true) stdout.write(`${JSON.stringify(json(artifact, place))}\n`);
  else stdout.write(`Published ${oneLine(`${name}@${version}`)}\n`);
  return 0;
}

/** The store of the user: the one every project of theirs is resolved from. */
async function publishHere(artifact: PackedArtifact, env: CliContext['env']): Promise<string> {
  const store = localStore('global', join(murmurHome(env).root, 'artifacts'));
  return (await store.publish(artifact)).path;
}

async function publishThere(artifact: PackedArtifact, url: string, env: CliContext['env']) {
  const downloads = join(locateMurmurHome(env).root, 'downloads');
  const registry = remoteRegistry(url, { env, downloads });
  await registry.publish(artifact);
  return { url: registry.url };
}

/** A native artifact is for one platform: the one that was named, else this host's. Every other one is for none. */
async function described(bytes: Uint8Array, path: string, named: string | undefined): Promise<PackedArtifact> {
  const artifact = await describeArchive(bytes, path, named === undefined ? {} : { platform: named });
  if (named !== undefined) {
    const [os, arch] = named.split('-') as [string, string];
    return { ...artifact, meta: { ...artifact.meta, runtime: 'native', platforms: [[os, arch]] }, platform: named };
  }
  if (artifact.meta.runtime !== 'native') return artifact;
  const platform = hostPlatform();
  if (platform === 'unknown') {
    throw new MurError('E-IO-003', `cannot tell which platform ${path} is for: this host is none that mur knows`, {
      hint: 'name it with --platform, for example --platform linux-x86_64',
    });
  }
  return describeArchive(bytes, path, { platform });
}

function checkedPlatform(text: string): string {
  if (/^[a-z][a-z0-9]{0,31}-[a-z0-9][a-z0-9_]{0,31}$/.test(text)) return text;
  throw new MurError('E-IO-003', `invalid platform '${text}' (expected os-arch, e.g. darwin-aarch64)`);
}

function defaultPath(): string {
  const { name, version } = parseArtifactManifest(readManifestText(resolve('murmur.yaml')), 'murmur.yaml');
  return `./${artifactFileName(name, version)}`;
}

function readArchive(path: string, isDefault: boolean, env: CliContext['env']): Uint8Array {
  try {
    return readRegularFile(path, downloadCeiling(env));
  } catch (error) {
    if (!isMissing(error)) {
      throw new MurError('E-IO-003', `failed to read ${path}: ${reasonOf(error)}`, { cause: error });
    }
    throw isDefault
      ? new MurError(
          'E-IO-001',
          `default artifact path ${path} not found. Run 'mur build' first or pass an explicit artifact path.`,
        )
      : new MurError('E-IO-001', `artifact path ${path} not found`);
  }
}

function json({ meta, platform, sha256 }: PackedArtifact, place: object): Record<string, unknown> {
  const { name, version, runtime } = meta;
  return { name, version, runtime, platform: platform ?? null, sha256, ...place };
}
