/**
 * The two questions asked of GitHub's REST API: which assets a release has, and their bytes. Each release is asked for once per client,
 * because unauthenticated callers have sixty requests an hour and a manifest may name many artifacts of one release.
 * Read next: ../source.ts (which release, which asset).
 */
import type { Secret } from '../../../errors/index.js';
import { download, downloadCeiling } from '../download/index.js';
import { baseAddress, below } from '../http/address.js';
import { call, type Reply } from '../http/call.js';
import { NoAnswer, serverText } from '../http/failure.js';
import { objectIn, parseAnswer, textIn } from '../http/json.js';
import type { HttpLimits } from '../http/limits.js';
import type { RegistryContext } from '../types.js';
import type { Asset, Release } from './asset.js';
import { rateLimit } from './limited.js';
import type { Repo } from './repo.js';

const publicApi = 'https://api.github.com';
/** GitHub itself allows a thousand. */
const mostAssets = 1000;

export class GitHubClient {
  readonly #base: URL;
  readonly #isPublic: boolean;
  readonly #releases = new Map<string, Promise<Release | undefined>>();

  constructor(
    readonly context: Omit<RegistryContext, 'config'>,
    readonly limits: HttpLimits,
  ) {
    const override = context.env.MUR_GITHUB_API_BASE?.trim();
    this.#base = baseAddress(override || publicApi, 'MUR_GITHUB_API_BASE');
    this.#isPublic = !override;
  }

  /** The release with this tag, or the latest one; `undefined` when there is none. Throws `NoAnswer`. */
  release(repo: Repo, tag: string | undefined, token: Secret | undefined): Promise<Release | undefined> {
    const which = tag === undefined ? ['latest'] : ['tags', tag];
    const url = below(this.#base, ['repos', repo.owner, repo.repo, 'releases', ...which]);
    const key = `${token?.reveal() ?? ''} ${url.href}`;
    const known = this.#releases.get(key);
    if (known !== undefined) return known;
    const asked = this.#ask(url, token);
    this.#releases.set(key, asked);
    return asked;
  }

  /** The verified bytes of an asset. Throws `NoAnswer`, or a `MurError` for bytes that are not what was promised. */
  async bytes(asset: Asset, token: Secret | undefined): Promise<Uint8Array> {
    const { sizeBytes, sha256 } = asset;
    const { context, limits } = this;
    const result = await download(
      {
        name: serverText(asset.name),
        ...this.#addressOf(asset, token),
        headers: { accept: 'application/octet-stream' },
        expected: { ...(sizeBytes === undefined ? {} : { sizeBytes }), ...(sha256 === undefined ? {} : { sha256 }) },
        limitBytes: downloadCeiling(context.env),
      },
      { folder: context.downloads, limits, signal: context.signal, onProgress: context.onProgress },
    );
    if (result.kind === 'bytes') return result.bytes;
    throw new NoAnswer(
      `${rateLimit(result.reply) ?? `HTTP ${result.reply.status}`} for asset ${serverText(asset.name)}`,
    );
  }

  async #ask(url: URL, token: Secret | undefined): Promise<Release | undefined> {
    const headers = { accept: 'application/vnd.github+json' };
    const reply = await call({ method: 'GET', url, headers, credential: token }, this.limits, this.context.signal);
    if (reply.status === 404) return undefined;
    if (reply.status !== 200) throw new NoAnswer(rateLimit(reply) ?? `HTTP ${reply.status}${said(reply, token)}`);
    return readRelease(parseAnswer(reply.text));
  }

  /** A token goes to the API only. What the API names elsewhere is asked without, and a public API may not name a private address. */
  #addressOf(asset: Asset, token: Secret | undefined) {
    const url = URL.canParse(asset.url) ? new URL(asset.url) : undefined;
    const schemes = this.#base.protocol === 'https:' ? ['https:'] : ['http:', 'https:'];
    if (url === undefined || !schemes.includes(url.protocol) || url.username !== '' || url.password !== '') {
      throw new NoAnswer(`asset ${serverText(asset.name)} has an address that cannot be used`);
    }
    const isApi = url.origin === this.#base.origin;
    return { url, isFromPublic: this.#isPublic && !isApi, ...(isApi ? { credential: token } : {}) };
  }
}

function said({ text }: Reply, token: Secret | undefined): string {
  try {
    const message = textIn(objectIn(JSON.parse(text))?.message);
    return message ? ` (${serverText(message, [token])})` : '';
  } catch {
    return '';
  }
}

function readRelease(value: unknown): Release {
  const release = objectIn(value);
  const tag = textIn(release?.tag_name);
  const listed = release?.assets;
  if (tag === undefined || !Array.isArray(listed)) throw new NoAnswer('the answer is no release');
  if (listed.length > mostAssets) throw new NoAnswer(`the release lists more than ${mostAssets} assets`);
  return { tag: serverText(tag), assets: listed.map(readAsset) };
}

/** The API address is preferred: it is the one a token opens. */
function readAsset(value: unknown): Asset {
  const asset = objectIn(value);
  const name = textIn(asset?.name);
  const url = textIn(asset?.url) ?? textIn(asset?.browser_download_url);
  if (asset === undefined || name === undefined || url === undefined) {
    throw new NoAnswer('the release lists an asset without name or address');
  }
  const digest = /^sha256:([0-9a-f]{64})$/i.exec(textIn(asset.digest) ?? '')?.[1]?.toLowerCase();
  const { size } = asset;
  return {
    name,
    url,
    ...(typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? { sizeBytes: size } : {}),
    ...(digest === undefined ? {} : { sha256: digest }),
  };
}
