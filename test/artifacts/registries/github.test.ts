import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RegistryContext, type SourceSettings, sourceChain } from '../../../src/artifacts/registries/index.js';
import { Secret } from '../../../src/errors/index.js';
import { sha256Hex } from '../../../src/text/index.js';
import {
  failureOf,
  filesBelow,
  type Handler,
  native,
  quick,
  type Server,
  serve,
  skill,
  temporaryFolder,
} from './server.js';

const host = 'linux-x86_64';
/** `${NAME}` as a config file has it. */
const reference = (name: string): string => `\${${name}}`;

interface FakeAsset {
  readonly name: string;
  readonly bytes?: Uint8Array;
  readonly more?: object;
}

interface FakeRelease {
  readonly repo: string;
  readonly tag: string;
  readonly isLatest?: boolean;
  readonly assets: readonly FakeAsset[];
}

/** GitHub's API as far as it is used: releases by tag, the latest one, and assets. */
async function gitHub(releases: readonly FakeRelease[], before?: Handler): Promise<Server> {
  const server = await serve((request, response) => {
    before?.(request, response);
    if (response.writableEnded) return;
    const path = decodeURIComponent(request.url ?? '');
    const at = releases.findIndex(({ repo, tag, isLatest }) => {
      const base = `/repos/${repo}/releases/`;
      return path === `${base}tags/${tag}` || (isLatest === true && path === `${base}latest`);
    });
    const asset = /^\/assets\/(\d+)\/(\d+)$/.exec(path);
    if (at !== -1) {
      const { tag, assets } = releases[at]!;
      const listed = assets.map(({ name, bytes, more }, index) => ({
        name,
        url: `${server.url}/assets/${at}/${index}`,
        browser_download_url: 'http://127.0.0.1:9/',
        ...(bytes === undefined ? {} : { size: bytes.length, digest: `sha256:${sha256Hex(bytes)}` }),
        ...more,
      }));
      response.end(JSON.stringify({ tag_name: tag, assets: listed }));
    } else if (asset !== null) {
      response.end(releases[Number(asset[1])]!.assets[Number(asset[2])]!.bytes);
    } else {
      response.writeHead(404).end('{"message":"Not Found"}');
    }
  });
  return server;
}

const official: SourceSettings = { name: 'official', type: 'github', repo: 'acme/artifacts' };

function chainOf(server: Server, more: { sources?: readonly SourceSettings[]; default?: string; env?: object } = {}) {
  const { sources = [official], default: first = 'official', env = {} } = more;
  const downloads = join(temporaryFolder(), 'downloads');
  const context: RegistryContext = {
    config: { default: first, sources },
    env: { MUR_GITHUB_API_BASE: `${server.url}/`, ...env },
    downloads,
  };
  return { chain: sourceChain(context, quick), downloads };
}

function paths({ seen }: Server): string[] {
  return seen.map(({ path }) => path.replace('/repos/acme/artifacts/releases', ''));
}

const ledger = await skill('ledger', '1.0.0');

describe('an artifact of an exact version', () => {
  const wanted = { name: 'ledger', version: '1.0.0', platform: host };

  test('comes from the release tagged so', async () => {
    const server = await gitHub([
      { repo: 'acme/artifacts', tag: '1.0.0', assets: [{ name: 'ledger-1.0.0.mur.zip', bytes: ledger }] },
    ]);
    const { chain, downloads } = chainOf(server);
    const { artifact, from } = await chain.fetch(wanted);
    expect([artifact.meta.version, artifact.sha256]).toEqual(['1.0.0', sha256Hex(ledger)]);
    expect(from).toBe('official (github:acme/artifacts) 1.0.0');
    expect(paths(server)).toEqual(['/tags/1.0.0', '/assets/0/0']);
    expect(server.seen[0]!.headers).toMatchObject({
      accept: 'application/vnd.github+json',
      'user-agent': expect.stringMatching(/^mur\//),
    });
    expect(server.seen[1]!.headers.accept).toBe('application/octet-stream');
    expect(filesBelow(downloads)).toEqual([]);
  });

  test('else from the one tagged with a v before it, else from the latest', async () => {
    const file = { name: 'ledger-1.0.0.mur.zip', bytes: ledger };
    const tagged = await gitHub([{ repo: 'acme/artifacts', tag: 'v1.0.0', assets: [file] }]);
    expect((await chainOf(tagged).chain.fetch(wanted)).from).toContain('v1.0.0');
    const latest = await gitHub([{ repo: 'acme/artifacts', tag: '2026-11', isLatest: true, assets: [file] }]);
    expect((await chainOf(latest).chain.fetch(wanted)).from).toContain('2026-11');
    expect(paths(latest).slice(0, 3)).toEqual(['/tags/1.0.0', '/tags/v1.0.0', '/latest']);
  });

  test('is the variant for the platform before the one for all', async () => {
    const assets = [
      { name: 'fast-1.0.0.mur.zip', bytes: await skill('fast', '1.0.0') },
      { name: 'fast-1.0.0-linux-aarch64.mur.zip', bytes: await native('fast', '1.0.0', 'linux-aarch64') },
    ];
    const server = await gitHub([{ repo: 'acme/artifacts', tag: '1.0.0', assets }]);
    const { chain } = chainOf(server);
    const own = await chain.fetch({ name: 'fast', version: '1.0.0', platform: 'linux-aarch64' });
    expect([own.artifact.meta.runtime, own.artifact.platform]).toEqual(['native', 'linux-aarch64']);
    const any = await chain.fetch({ name: 'fast', version: '1.0.0', platform: 'darwin-aarch64' });
    expect([any.artifact.meta.runtime, any.artifact.platform]).toEqual(['static', undefined]);
  });

  test('is never another platform’s: the refusal lists what there is', async () => {
    const assets = [
      { name: 'fast-1.0.0-linux-aarch64.mur.zip' },
      { name: 'fast-1.0.0-darwin-aarch64.mur.zip' },
      { name: 'other-1.0.0.mur.zip' },
    ];
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'v1.0.0', assets }]);
    const error = await failureOf(chainOf(server).chain.fetch({ name: 'fast', version: '1.0.0', platform: host }));
    expect(error.code).toBe('E-REG-001');
    expect(error.message).toBe(
      "could not resolve 'fast@1.0.0'\n  official (github:acme/artifacts) - no fast-1.0.0-linux-x86_64.mur.zip or " +
        'fast-1.0.0.mur.zip in a release tagged 1.0.0 or v1.0.0, nor in the latest one; there is ' +
        'fast-1.0.0-linux-aarch64.mur.zip, fast-1.0.0-darwin-aarch64.mur.zip',
    );
  });

  test('that is nowhere is refused naming both tags', async () => {
    const error = await failureOf(chainOf(await gitHub([])).chain.fetch(wanted));
    expect([error.code, error.message]).toEqual(['E-REG-001', expect.stringContaining('tagged 1.0.0 or v1.0.0')]);
  });

  test('may name no version itself: it takes the one that was asked for', async () => {
    const bytes = await skill('ledger', undefined);
    const server = await gitHub([
      { repo: 'acme/artifacts', tag: 'v1.0.0', assets: [{ name: 'ledger-1.0.0.mur.zip', bytes }] },
    ]);
    expect((await chainOf(server).chain.fetch(wanted)).artifact.meta.version).toBe('1.0.0');
  });

  test.each([
    ['another version', 'ledger', '1.0.1'],
    ['another name', 'ledgers', '1.0.0'],
  ])('that says %s inside is refused, and no other source is asked', async (_name, name, version) => {
    const bytes = await skill(name, version);
    const server = await gitHub([
      { repo: 'acme/artifacts', tag: '1.0.0', assets: [{ name: 'ledger-1.0.0.mur.zip', bytes }] },
      { repo: 'acme/more', tag: '1.0.0', assets: [{ name: 'ledger-1.0.0.mur.zip', bytes: ledger }] },
    ]);
    const sources = [official, { name: 'more', type: 'github', repo: 'acme/more' }];
    const error = await failureOf(chainOf(server, { sources }).chain.fetch(wanted));
    expect(error.code).toBe('E-IO-003');
    expect(paths(server).join()).not.toContain('acme/more');
  });

  test.each([
    ['hash', { digest: `sha256:${'0'.repeat(64)}` }],
    ['length', { size: 7 }],
  ])('with another %s than the release lists is refused', async (_name, more) => {
    const server = await gitHub([
      { repo: 'acme/artifacts', tag: '1.0.0', assets: [{ name: 'ledger-1.0.0.mur.zip', bytes: ledger, more }] },
    ]);
    const { chain, downloads } = chainOf(server);
    expect((await failureOf(chain.fetch(wanted))).code).toBe('E-REG-002');
    expect(filesBelow(downloads)).toEqual([]);
  });

  test('is looked for under its last name when it has a scope', async () => {
    const bytes = await skill('acme/ledger', '1.0.0');
    const server = await gitHub([
      { repo: 'acme/artifacts', tag: '1.0.0', assets: [{ name: 'ledger-1.0.0.mur.zip', bytes }] },
    ]);
    const { artifact } = await chainOf(server).chain.fetch({ ...wanted, name: 'acme/ledger' });
    expect(artifact.meta.name).toBe('acme/ledger');
  });
});

describe('an artifact without a version', () => {
  const wanted = { name: 'ledger', platform: host };

  test('is the newest of the latest release that fits the platform', async () => {
    const server = await gitHub([
      {
        repo: 'acme/artifacts',
        tag: 'v9',
        isLatest: true,
        assets: [
          { name: 'ledger-1.9.0.mur.zip', bytes: await skill('ledger', '1.9.0') },
          { name: 'ledger-1.10.0.mur.zip', bytes: await skill('ledger', '1.10.0') },
          { name: 'ledger-1.10.0-rc1.mur.zip', bytes: await skill('ledger', '1.10.0-rc1') },
          { name: 'ledger-2.0.0-darwin-aarch64.mur.zip' },
          { name: 'ledger-book-3.0.0.mur.zip' },
          { name: 'ledger-4.0.0.zip' },
        ],
      },
    ]);
    expect((await chainOf(server).chain.fetch(wanted)).artifact.meta.version).toBe('1.10.0');
    expect(paths(server)[0]).toBe('/latest');
  });

  test('is refused with what there is', async () => {
    const assets = [{ name: 'ledger-2.0.0-darwin-aarch64.mur.zip' }];
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'v9', isLatest: true, assets }]);
    const error = await failureOf(chainOf(server).chain.fetch(wanted));
    expect([error.code, error.message]).toEqual([
      'E-REG-001',
      expect.stringContaining('in the latest release (v9); there is ledger-2.0.0-darwin-aarch64.mur.zip'),
    ]);
    const none = await failureOf(chainOf(await gitHub([])).chain.fetch(wanted));
    expect([none.code, none.message]).toEqual(['E-REG-001', expect.stringContaining('it has no release')]);
  });
});

describe('the token', () => {
  const asked = async (token: string | undefined, env: object): Promise<string | undefined> => {
    const server = await gitHub([]);
    const source = { ...official, ...(token === undefined ? {} : { token: new Secret(token) }) };
    await failureOf(chainOf(server, { sources: [source], env }).chain.fetch({ name: 'ledger', platform: host }));
    return server.seen[0]!.headers.authorization;
  };

  test.each([
    ['none', undefined, {}, undefined],
    ['GITHUB_TOKEN', undefined, { GITHUB_TOKEN: 'general' }, 'Bearer general'],
    ['the source’s variable', reference('ACME_GH'), { ACME_GH: 'own', GITHUB_TOKEN: 'general' }, 'Bearer own'],
    ['the source’s variable by its bare name', 'ACME_GH', { ACME_GH: 'own' }, 'Bearer own'],
    ['the source’s token itself', 'ghp_literal', { GITHUB_TOKEN: 'general' }, 'Bearer ghp_literal'],
    [
      'GITHUB_TOKEN when the source’s variable is not set',
      reference('ACME_GH'),
      { GITHUB_TOKEN: 'general' },
      'Bearer general',
    ],
    [
      'GITHUB_TOKEN when the source’s variable is empty',
      reference('ACME_GH'),
      { ACME_GH: ' ', GITHUB_TOKEN: 'g' },
      'Bearer g',
    ],
    ['none for a reference to nothing', reference('ACME_GH'), {}, undefined],
    ['none of an object’s own properties', reference('constructor'), {}, undefined],
  ])('is %s', async (_name, token, env, header) => {
    expect(await asked(token, env)).toBe(header);
  });

  test('goes to the API and not to where an asset is kept', async () => {
    const storage = await serve((_request, response) => void response.end(ledger));
    const file = { name: 'ledger-1.0.0.mur.zip', bytes: ledger };
    const direct = await gitHub([
      { repo: 'acme/artifacts', tag: '1.0.0', assets: [{ ...file, more: { url: `${storage.url}/direct` } }] },
    ]);
    const redirecting = await gitHub(
      [{ repo: 'acme/artifacts', tag: '1.0.0', assets: [file] }],
      (request, response) => {
        if (request.url?.startsWith('/assets'))
          response.writeHead(302, { location: `${storage.url}/redirected` }).end();
      },
    );
    for (const server of [direct, redirecting]) {
      const { chain } = chainOf(server, { env: { GITHUB_TOKEN: 'general' } });
      await chain.fetch({ name: 'ledger', version: '1.0.0', platform: host });
      expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer general')).toBe(true);
    }
    expect(storage.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/direct', undefined],
      ['/redirected', undefined],
    ]);
  });

  test('is never shown, also when GitHub repeats it', async () => {
    const server = await gitHub([], (request, response) => {
      response.writeHead(401).end(JSON.stringify({ message: `bad ${request.headers.authorization}` }));
    });
    const { chain } = chainOf(server, { env: { GITHUB_TOKEN: 'ghp_general' } });
    const error = await failureOf(chain.fetch({ name: 'ledger', platform: host }));
    expect([error.code, error.message]).toEqual([
      'E-REG-006',
      expect.stringContaining('HTTP 401 (bad Bearer <redacted>)'),
    ]);
    expect(JSON.stringify(error)).not.toContain('ghp_general');
  });
});

describe('the chain of sources', () => {
  const two = [official, { name: 'more', type: 'github', repo: 'acme/more' }];
  const file = { name: 'ledger-1.0.0.mur.zip', bytes: ledger };
  const wanted = { name: 'ledger', version: '1.0.0', platform: host };
  const more = { repo: 'acme/more', tag: '1.0.0', assets: [file] };

  test('asks the default source first, then the others in order', async () => {
    const server = await gitHub([more, { ...more, repo: 'acme/artifacts' }]);
    expect((await chainOf(server, { sources: two, default: 'more' }).chain.fetch(wanted)).from).toContain('acme/more');
    expect((await chainOf(server, { sources: two, default: 'gone' }).chain.fetch(wanted)).from).toContain(
      'acme/artifacts',
    );
  });

  test('goes on after a no and after no answer, and the first success wins', async () => {
    const no = await gitHub([more]);
    expect((await chainOf(no, { sources: two }).chain.fetch(wanted)).from).toContain('acme/more');
    const silent = await gitHub([more], (request, response) => {
      if (request.url?.includes('acme/artifacts')) response.writeHead(429).end();
    });
    expect((await chainOf(silent, { sources: two }).chain.fetch(wanted)).from).toContain('acme/more');
  });

  test('says no only when every source said no, with a line for each', async () => {
    const error = await failureOf(chainOf(await gitHub([]), { sources: two }).chain.fetch(wanted));
    expect(error.code).toBe('E-REG-001');
    expect(error.message.split('\n').map((line) => line.split(' - ')[0])).toEqual([
      "could not resolve 'ledger@1.0.0'",
      '  official (github:acme/artifacts)',
      '  more (github:acme/more)',
    ]);
  });

  const soonSeconds = Math.floor(Date.now() / 1000) + 600;
  const soon = new Date(soonSeconds * 1000).toISOString().replace('.000Z', 'Z');
  test.each([
    ['too many', 429, {}, '', 'rate limited by GitHub (HTTP 429)'],
    [
      'none left',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(soonSeconds) },
      '',
      `rate limited by GitHub (HTTP 403, x-ratelimit-remaining: 0), until ${soon}`,
    ],
    [
      'come back later',
      403,
      { 'retry-after': '60' },
      '',
      'rate limited by GitHub (HTTP 403, retry-after header), until 20',
    ],
    [
      'words',
      403,
      {},
      '{"message":"API rate limit exceeded"}',
      'rate limited by GitHub (HTTP 403, response body says rate limit)',
    ],
    [
      'a reset nobody believes',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '999999999999' },
      '',
      'x-ratelimit-remaining: 0)',
    ],
    ['no access', 403, {}, '{"message":"Forbidden"}', 'HTTP 403 (Forbidden)'],
    ['a bad token', 401, {}, '', 'HTTP 401'],
    ['a fault', 502, {}, '', 'HTTP 502'],
    ['no JSON', 200, {}, '<html>', 'the answer is not JSON'],
    ['no release', 200, {}, '[]', 'the answer is no release'],
    ['wrong types', 200, {}, '{"tag_name":1,"assets":[]}', 'the answer is no release'],
    [
      'an asset of the wrong type',
      200,
      {},
      '{"tag_name":"1","assets":[{"name":{},"url":"x"}]}',
      'asset without name or address',
    ],
  ])('leaves it open when a source answers with %s', async (_name, status, headers, body, text) => {
    const server = await gitHub([], (_request, response) => void response.writeHead(status, headers).end(body));
    const error = await failureOf(chainOf(server, { sources: [two[1]!, official] }).chain.fetch(wanted));
    expect(error.code).toBe('E-REG-006');
    expect(error.message).toMatch(
      /^could not look up 'ledger@1.0.0': official \(github:acme\/artifacts\) did not answer, so whether a source publishes/,
    );
    expect(error.message).toContain(`official (github:acme/artifacts) - `);
    expect(error.message).toContain(text);
    expect(error.hint).toContain('GITHUB_TOKEN');
  });

  test.each([
    ['missing `repo`', { name: 'bad', type: 'github' }],
    ["invalid github repo 'acme'", { name: 'bad', type: 'github', repo: 'acme' }],
    ["invalid github repo 'acme/..'", { name: 'bad', type: 'github', repo: 'acme/..' }],
    ["invalid github repo 'a/b/c'", { name: 'bad', type: 'github', repo: 'a/b/c' }],
    ["unsupported type 'nexus'", { name: 'bad', type: 'nexus', repo: 'a/b' }],
  ])('leaves it open when a source is misconfigured: %s', async (text, source) => {
    const server = await gitHub([]);
    const error = await failureOf(chainOf(server, { sources: [source, official] }).chain.fetch(wanted));
    expect([error.code, error.message]).toEqual(['E-REG-006', expect.stringContaining(text)]);
  });

  test('leaves it open when nothing listens, and when the asset does not arrive', async () => {
    const server = await gitHub([{ ...more, repo: 'acme/artifacts' }], (request, response) => {
      if (request.url?.startsWith('/assets')) response.writeHead(404).end();
    });
    const error = await failureOf(chainOf(server).chain.fetch(wanted));
    expect([error.code, error.message]).toEqual([
      'E-REG-006',
      expect.stringContaining('HTTP 404 for asset ledger-1.0.0.mur.zip'),
    ]);
    const gone = await failureOf(chainOf({ url: 'http://127.0.0.1:9', seen: [] }).chain.fetch(wanted));
    expect([gone.code, gone.message]).toEqual(['E-REG-006', expect.stringContaining('request failed: ')]);
    expect(gone.hint).toBe('check the connection of this machine, then try again');
  });

  test('without a source says how to add one', async () => {
    const error = await failureOf(chainOf(await gitHub([]), { sources: [] }).chain.fetch(wanted));
    expect([error.code, error.hint]).toEqual(['E-REG-001', 'add registry.sources to ~/.murmur/config.yaml']);
  });

  test('asks for each release once, whatever is fetched from it', async () => {
    const assets = [file, { name: 'style-1.0.0.mur.zip', bytes: await skill('style', '1.0.0') }];
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'x', isLatest: true, assets }]);
    const { chain } = chainOf(server);
    await Promise.all([wanted, { ...wanted, name: 'style' }].map((each) => chain.fetch(each)));
    expect(paths(server).filter((path) => path === '/latest')).toHaveLength(1);
  });
});

describe('a whole release', () => {
  const ref = { owner: 'acme', repo: 'artifacts', tag: 'v3' };

  test('gives every archive of the tag, and nothing else', async () => {
    const assets = [
      { name: 'ledger-1.0.0.mur.zip', bytes: ledger },
      { name: 'notes.txt' },
      { name: 'fast-2.0.0-linux-aarch64.mur.zip', bytes: await native('fast', '2.0.0', 'linux-aarch64') },
      { name: 'plain.mur.zip', bytes: await skill('plain', undefined) },
    ];
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'v3', assets }]);
    const fetched = await chainOf(server).chain.fetchRelease(ref);
    expect(fetched.map(({ artifact: { meta, platform }, from }) => [meta.name, meta.version, platform, from])).toEqual([
      ['ledger', '1.0.0', undefined, 'github:acme/artifacts@v3'],
      ['fast', '2.0.0', 'linux-aarch64', 'github:acme/artifacts@v3'],
      ['plain', '3', undefined, 'github:acme/artifacts@v3'],
    ]);
  });

  test('borrows the token of a configured source of the same repository', async () => {
    const server = await gitHub([]);
    const sources = [{ name: 'a', type: 'github', repo: 'Acme/Artifacts', token: new Secret('own') }];
    const { chain } = chainOf(server, { sources, env: { GITHUB_TOKEN: 'general' } });
    await failureOf(chain.fetchRelease(ref));
    await failureOf(chain.fetchRelease({ ...ref, repo: 'other' }));
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer own', 'Bearer general']);
  });

  test('is refused when there is none, and when it holds no archive', async () => {
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'v3', assets: [{ name: 'notes\u001b[2J.txt' }] }]);
    const none = await failureOf(chainOf(server).chain.fetchRelease({ ...ref, tag: 'v4' }));
    expect([none.code, none.message]).toEqual([
      'E-REG-001',
      "could not resolve 'github:acme/artifacts@v4'\n  github:acme/artifacts@v4 - there is no release tagged v4",
    ]);
    const empty = await failureOf(chainOf(server).chain.fetchRelease(ref));
    expect([empty.code, empty.message]).toEqual([
      'E-REG-001',
      expect.stringContaining('no .mur.zip asset; it has notes␛[2J.txt'),
    ]);
  });

  test.each(['', '.', '..', 'a..b', 'a b', 'a\nb', 'a?b', 'a~1'])(
    'with the tag %j is asked for nowhere',
    async (tag) => {
      const server = await gitHub([]);
      expect((await failureOf(chainOf(server).chain.fetchRelease({ ...ref, tag }))).code).toBe('E-IO-003');
      expect((await failureOf(chainOf(server).chain.fetchRelease({ ...ref, repo: '..' }))).code).toBe('E-IO-003');
      expect(server.seen).toEqual([]);
    },
  );

  test('of which one archive is bad gives none', async () => {
    const assets = [
      { name: 'ledger-1.0.0.mur.zip', bytes: ledger },
      { name: 'bad-1.0.0.mur.zip', bytes: Buffer.from('no zip') },
    ];
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'v3', assets }]);
    const { chain, downloads } = chainOf(server);
    expect((await failureOf(chain.fetchRelease(ref))).code).toBe('E-IO-003');
    expect(filesBelow(downloads)).toEqual([]);
  });

  test('is bounded: in assets, in bytes together, and in pages, of which none is asked for', async () => {
    const asset = { name: 'ledger-1.0.0.mur.zip', bytes: ledger };
    const many = await gitHub([{ repo: 'acme/artifacts', tag: 'v3', assets: new Array(1001).fill(asset) }]);
    const error = await failureOf(chainOf(many).chain.fetchRelease(ref));
    expect([error.code, error.message]).toEqual(['E-REG-006', expect.stringContaining('more than 1000 assets')]);
    const heavy = await gitHub([
      { repo: 'acme/artifacts', tag: 'v3', assets: [asset, { ...asset, more: { size: 600_000_000 } }] },
    ]);
    const large = await failureOf(chainOf(heavy).chain.fetchRelease(ref));
    expect([large.code, large.message]).toEqual([
      'E-IO-003',
      expect.stringContaining('exceed 524288000 bytes together'),
    ]);
    expect(heavy.seen).toHaveLength(1);
    const paged = await gitHub([{ repo: 'acme/artifacts', tag: 'v3', assets: [asset] }], (_request, response) => {
      response.setHeader(
        'link',
        Array.from({ length: 500 }, (_, at) => `<${paged.url}/p/${at}>; rel="next"`).join(', '),
      );
    });
    await chainOf(paged)
      .chain.fetchRelease(ref)
      .catch(() => {});
    expect(paged.seen.filter(({ path }) => path.startsWith('/p/'))).toEqual([]);
  });

  test('with names that would climb, or addresses that are none, stores nothing by them', async () => {
    const odd = await gitHub([
      { repo: 'acme/artifacts', tag: 'v3', assets: [{ name: '../../../x.mur.zip', bytes: ledger }] },
    ]);
    const [fetched] = await chainOf(odd).chain.fetchRelease(ref);
    expect(fetched!.artifact.meta.name).toBe('ledger');
    for (const url of ['file:///etc/passwd', 'x', 'http://me:pass@127.0.0.1/']) {
      const bad = await gitHub([
        { repo: 'acme/artifacts', tag: 'v3', assets: [{ name: 'a-1.0.0.mur.zip', bytes: ledger, more: { url } }] },
      ]);
      const error = await failureOf(chainOf(bad).chain.fetchRelease(ref));
      expect([error.code, error.message]).toEqual([
        'E-REG-006',
        expect.stringContaining('an address that cannot be used'),
      ]);
    }
  });
});

describe('all platforms of a version', () => {
  test('are every variant there is, each under its own platform', async () => {
    const platforms = ['linux-x86_64', 'linux-aarch64'];
    const assets = await Promise.all(
      platforms.map(async (each) => ({
        name: `fast-1.0.0-${each}.mur.zip`,
        bytes: await native('fast', '1.0.0', each),
      })),
    );
    const server = await gitHub([{ repo: 'acme/artifacts', tag: 'v1.0.0', assets }]);
    const fetched = await chainOf(server).chain.allPlatforms('fast', '1.0.0');
    expect(fetched.map(({ artifact }) => artifact.platform)).toEqual(platforms);
  });

  test('are refused when there is none', async () => {
    const error = await failureOf(chainOf(await gitHub([])).chain.allPlatforms('fast', '1.0.0'));
    expect(error.code).toBe('E-REG-001');
  });
});

test('whatever GitHub answers, the search ends with an artifact or a code', async () => {
  let body = '';
  const server = await serve((_request, response) => void response.end(body));
  const asset = fc.dictionary(fc.constantFrom('name', 'url', 'browser_download_url', 'size', 'digest'), fc.jsonValue());
  const json = fc.oneof(
    fc.json(),
    fc
      .record({ tag_name: fc.oneof(fc.string(), fc.jsonValue()), assets: fc.oneof(fc.array(asset), fc.jsonValue()) })
      .map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      body = text;
      const { chain } = chainOf(server);
      const errors = [
        await failureOf(chain.fetch({ name: 'ledger', platform: host })),
        await failureOf(chain.fetchRelease({ owner: 'a', repo: 'b', tag: 'v1' })),
      ];
      for (const { code } of errors) expect(['E-REG-001', 'E-REG-006']).toContain(code);
    }),
    { numRuns: 100 },
  );
});
