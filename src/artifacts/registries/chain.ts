/**
 * The sources of config.yaml as one: who is asked first, and what many answers come to (spec/artifacts.md section 8.4).
 * Read next: source.ts (one of them), github/client.ts.
 */
import { GitHubClient } from './github/client.js';
import { fetchAssets } from './github/fetch.js';
import { NoAnswer } from './http/failure.js';
import { type HttpLimits, httpLimits } from './http/limits.js';
import { notResolved, type Refusal } from './refusals.js';
import { fetchReleaseAssets, versionOf } from './release.js';
import { checkRequest, labelOf } from './request.js';
import { type Found, findAll, findOne, labelOfSource } from './source.js';
import type { Fetched, FetchRequest, RegistryContext, ReleaseRef, SourceChain, SourceSettings } from './types.js';

/** The chain of `context.config`. Nothing is sent before a method is called; each release is asked for once. */
export function sourceChain(context: RegistryContext, limits: HttpLimits = httpLimits): SourceChain {
  return new Chain(context, new GitHubClient(context, limits));
}

class Chain implements SourceChain {
  readonly #client: GitHubClient;
  readonly #sources: readonly SourceSettings[];

  constructor({ config }: RegistryContext, client: GitHubClient) {
    this.#client = client;
    const isFirst = ({ name }: SourceSettings): boolean => name === config.default;
    this.#sources = [...config.sources.filter(isFirst), ...config.sources.filter((source) => !isFirst(source))];
  }

  async fetch(request: FetchRequest): Promise<Fetched> {
    checkRequest(request);
    const fetched = await this.#first(request, (source) => findOne(this.#client, source, request));
    return fetched[0]!;
  }

  async allPlatforms(name: string, version: string): Promise<readonly Fetched[]> {
    checkRequest({ name, version });
    return this.#first({ name, version }, (source) => findAll(this.#client, source, name, version));
  }

  fetchRelease(ref: ReleaseRef): Promise<readonly Fetched[]> {
    return fetchReleaseAssets(this.#client, ref, this.#sources);
  }

  /** What the first source that has it gives. One that has it and does not deliver has not answered: the next is asked. */
  async #first(
    wanted: Pick<FetchRequest, 'name' | 'version'>,
    find: (source: SourceSettings) => Promise<Found>,
  ): Promise<readonly Fetched[]> {
    const refusals: Refusal[] = [];
    for (const source of this.#sources) {
      const place = labelOfSource(source);
      try {
        const found = await find(source);
        if (found.kind === 'yes') return await this.#fetch(found, place, wanted);
        refusals.push({ place, reason: found.reason, isNo: true });
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        refusals.push({ place, reason: error.reason, isNo: false });
      }
    }
    throw notResolved(labelOf(wanted), refusals);
  }

  #fetch(
    { choices, release, token }: Extract<Found, { kind: 'yes' }>,
    place: string,
    { name, version }: Pick<FetchRequest, 'name' | 'version'>,
  ): Promise<readonly Fetched[]> {
    const wanted = {
      name,
      fallbackVersion: version ?? versionOf(release.tag),
      ...(version === undefined ? {} : { version }),
    };
    return fetchAssets(this.#client, { from: `${place} ${release.tag}`, choices, token, wanted });
  }
}
