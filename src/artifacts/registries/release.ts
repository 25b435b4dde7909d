import { MurError } from '../../errors/index.js';
import { type Choice, isArchive, platformIn, type Release } from './github/asset.js';
import type { GitHubClient } from './github/client.js';
import { fetchAssets } from './github/fetch.js';
import { isSameRepo, type Repo, repoOf } from './github/repo.js';
import { githubToken } from './github/token.js';
import { NoAnswer, serverText } from './http/failure.js';
import { notResolved } from './refusals.js';
import type { Fetched, ReleaseRef, SourceSettings } from './types.js';

/** Every archive of the release `github:owner/repo@tag`, asked for with the token of a configured source of the same repository. */
export async function fetchReleaseAssets(
  client: GitHubClient,
  ref: ReleaseRef,
  sources: readonly SourceSettings[],
): Promise<readonly Fetched[]> {
  const from = `github:${ref.owner}/${ref.repo}@${ref.tag}`;
  const repo = checkRef(ref, from);
  const owner = sources.find((source) => isOf(source, repo));
  const token = githubToken(owner?.token, client.context.env);
  const place = serverText(from);
  const refuse = (reason: string, isNo: boolean) => notResolved(place, [{ place, reason, isNo }]);
  try {
    const release = await client.release(repo, ref.tag, token);
    if (release === undefined) throw refuse(`there is no release tagged ${serverText(ref.tag)}`, true);
    const choices = release.assets.filter(isArchive).map(choiceOf);
    if (choices.length === 0) throw refuse(`the release has no .mur.zip asset${othersOf(release)}`, true);
    return await fetchAssets(client, { from: place, choices, token, wanted: { fallbackVersion: versionOf(ref.tag) } });
  } catch (error) {
    throw error instanceof NoAnswer ? refuse(error.reason, false) : error;
  }
}

/** The version a tag stands for: `v1.0.0` is 1.0.0. */
export function versionOf(tag: string): string {
  return tag.replace(/^v(?=\d)/, '');
}

function choiceOf(asset: Release['assets'][number]): Choice {
  const platform = platformIn(asset.name);
  return { asset, ...(platform === undefined ? {} : { platform }) };
}

function othersOf({ assets }: Release): string {
  const names = assets.slice(0, 12).map(({ name }) => serverText(name));
  return names.length === 0 ? '' : `; it has ${names.join(', ')}`;
}

function isOf({ type, repo }: SourceSettings, wanted: Repo): boolean {
  const own = type === 'github' && repo !== undefined ? repoOf(repo) : undefined;
  return own !== undefined && isSameRepo(own, wanted);
}

/** Git allows no tag of these forms either, and two of them would climb in an address. */
function checkRef({ owner, repo, tag }: ReleaseRef, from: string): Repo {
  const found = repoOf(`${owner}/${repo}`);
  if (found !== undefined && tag !== '' && !/[\0-\x20\x7f~^:?*[\\]|^\.{1,2}$|\.\./.test(tag)) return found;
  throw new MurError('E-IO-003', `invalid release '${serverText(from)}' (expected github:owner/repo@tag)`);
}
