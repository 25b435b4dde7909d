/** One entry of `registry.sources`: which of its releases and assets an artifact is (spec/artifacts.md section 8.4). */
import type { Secret } from '../../errors/index.js';
import { artifactFileName } from '../file-name.js';
import { assetsNamed, type Choice, exactAsset, newestAsset, type Release, variants } from './github/asset.js';
import type { GitHubClient } from './github/client.js';
import { type Repo, repoOf } from './github/repo.js';
import { githubToken } from './github/token.js';
import { NoAnswer, serverText } from './http/failure.js';
import type { FetchRequest, SourceSettings } from './types.js';

/** A source says yes with assets, or no with a reason. It throws `NoAnswer` when it says neither. */
export type Found =
  | {
      readonly kind: 'yes';
      readonly release: Release;
      readonly choices: readonly Choice[];
      readonly token: Secret | undefined;
    }
  | { readonly kind: 'no'; readonly reason: string };

/** How a source is called in messages. A `repo` of another form is left out: it may be an address with a token in it, or one alone. */
export function labelOfSource({ name, repo }: SourceSettings): string {
  const isPlain = repo !== undefined && /^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/.test(repo);
  return serverText(isPlain ? `${name} (github:${repo})` : name);
}

/** The asset for the request's platform. */
export function findOne(client: GitHubClient, source: SourceSettings, request: FetchRequest): Promise<Found> {
  const { name, version, platform } = request;
  if (version === undefined) return findNewest(client, source, request);
  return search(client, source, { name, version }, platform, (release) => {
    const choice = exactAsset(release, name, version, platform);
    return choice === undefined ? [] : [choice];
  });
}

/** Every asset of the version, for whatever platform. */
export function findAll(client: GitHubClient, source: SourceSettings, name: string, version: string): Promise<Found> {
  return search(client, source, { name, version }, '<platform>', (release) => variants(release, name, version));
}

/** The release tagged with the version, with `v` before it, or the latest one: the first that has such an asset. */
async function search(
  client: GitHubClient,
  source: SourceSettings,
  { name, version }: { readonly name: string; readonly version: string },
  platform: string,
  choose: (release: Release) => readonly Choice[],
): Promise<Found> {
  const { repo, token } = access(client, source);
  const seen: Release[] = [];
  for (const tag of [version, `v${version}`, undefined]) {
    const release = await client.release(repo, tag, token);
    if (release === undefined) continue;
    const choices = choose(release);
    if (choices.length > 0) return { kind: 'yes', release, choices, token };
    seen.push(release);
  }
  const files = `${artifactFileName(name, version, platform)} or ${artifactFileName(name, version)}`;
  if (seen.length === 0) return no(`no release is tagged ${version} or v${version}, and there is no latest one`);
  return no(
    `no ${files} in a release tagged ${version} or v${version}, nor in the latest one${alternatives(seen, name)}`,
  );
}

async function findNewest(client: GitHubClient, source: SourceSettings, request: FetchRequest): Promise<Found> {
  const { repo, token } = access(client, source);
  const release = await client.release(repo, undefined, token);
  if (release === undefined) return no('it has no release');
  const choice = newestAsset(release, request.name, request.platform);
  if (choice !== undefined) return { kind: 'yes', release, choices: [choice], token };
  const file = artifactFileName(request.name, '<version>');
  return no(
    `no ${file} for ${request.platform} in the latest release (${release.tag})${alternatives([release], request.name)}`,
  );
}

function access(
  client: GitHubClient,
  source: SourceSettings,
): { readonly repo: Repo; readonly token: Secret | undefined } {
  if (source.type !== 'github') throw new NoAnswer(`unsupported type '${serverText(source.type)}' (expected github)`);
  if (source.repo === undefined) throw new NoAnswer('missing `repo` (expected owner/name)');
  const repo = repoOf(source.repo);
  if (repo === undefined) throw new NoAnswer(`invalid github repo '${serverText(source.repo)}' (expected owner/name)`);
  return { repo, token: githubToken(source.token, client.context.env) };
}

function no(reason: string): Found {
  return { kind: 'no', reason };
}

const mostNamed = 12;

/** What there is instead; another platform's file is never taken for it. */
function alternatives(releases: readonly Release[], name: string): string {
  const names = [...new Set(releases.flatMap((release) => assetsNamed(release, name).map((asset) => asset.name)))];
  if (names.length === 0) return '';
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `; there is ${names
    .slice(0, mostNamed)
    .map((each) => serverText(each))
    .join(', ')}${more}`;
}
