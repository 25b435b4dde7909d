import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeArchive } from '../../../src/artifacts/describe.js';
import { remoteRegistry } from '../../../src/artifacts/registries/index.js';
import { sha256Hex } from '../../../src/text/index.js';
import { failureOf, filesBelow, type Handler, native, quick, serve, skill, temporaryFolder } from './server.js';

const key = 'nexus-key-of-the-tests';
const wanted = { name: 'ledger-style', version: '0.2.0', platform: 'linux-x86_64' };

async function registry(handler: Handler, more: object = {}) {
  const server = await serve(handler);
  const downloads = join(temporaryFolder(), 'downloads');
  const context = { env: { NEXUS_API_KEY: key }, downloads, ...more };
  return { server, downloads, remote: remoteRegistry(`${server.url}/`, context, quick) };
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, headers);
      response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
    });
  };
}

describe('a download from a remote registry', () => {
  test('asks for the version and platform with the key, and gives verified bytes', async () => {
    const bytes = await skill('ledger-style', '0.2.0');
    const progress: number[] = [];
    const { server, remote, downloads } = await registry(answer(200, bytes, { 'x-murmur-sha256': sha256Hex(bytes) }), {
      onProgress: (at: { receivedBytes: number }) => progress.push(at.receivedBytes),
    });
    const { artifact, from } = await remote.fetch(wanted);
    expect(artifact.meta).toMatchObject({ name: 'ledger-style', version: '0.2.0', artifactRuntime: 'skill' });
    expect(artifact.sha256).toBe(sha256Hex(bytes));
    expect(from).toBe(server.url);
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/artifacts/ledger-style/0.2.0?platform=linux-x86_64',
    ]);
    expect(server.seen[0]!.headers.authorization).toBe(`Bearer ${key}`);
    expect(progress.at(-1)).toBe(bytes.length);
    expect(filesBelow(downloads)).toEqual([]);
  });

  test('keeps a scope in one segment of the address', async () => {
    const bytes = await skill('acme/ledger', '1.0.0');
    const { server, remote } = await registry(answer(200, bytes, { 'x-murmur-sha256': sha256Hex(bytes) }));
    await remote.fetch({ ...wanted, name: 'acme/ledger', version: '1.0.0' });
    expect(server.seen[0]!.path).toBe('/v1/artifacts/acme%2Fledger/1.0.0?platform=linux-x86_64');
  });

  test.each([
    ['no such artifact', 404, {}, 'E-REG-001', 'artifact ledger-style@0.2.0 not found in registry'],
    ['a wrong key', 401, {}, 'E-IO-003', 'Check NEXUS_API_KEY and try again.'],
    ['a forbidden key', 403, {}, 'E-IO-003', 'registry authentication failed for http://127.0.0.1'],
    ['another status', 418, { error: 'a teapot' }, 'E-IO-003', 'answered HTTP 418: a teapot'],
    ['a fault that stays', 503, 'down', 'E-IO-003', '503'],
  ])('maps %s to its code', async (_name, status, body, code, text) => {
    const { remote, downloads } = await registry(answer(status, body));
    const error = await failureOf(remote.fetch(wanted));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
    expect(filesBelow(downloads)).toEqual([]);
  });

  test('refuses bytes with another hash', async () => {
    const bytes = await skill('ledger-style', '0.2.0');
    const { remote, downloads } = await registry(answer(200, bytes, { 'x-murmur-sha256': sha256Hex('other') }));
    const error = await failureOf(remote.fetch(wanted));
    expect([error.code, error.message]).toEqual([
      'E-REG-002',
      expect.stringContaining('artifact integrity check failed for ledger-style@0.2.0'),
    ]);
    expect(filesBelow(downloads)).toEqual([]);
  });

  test.each([
    ['missing', {}, 'registry response missing x-murmur-sha256 header'],
    ['no hash', { 'x-murmur-sha256': 'yes' }, 'x-murmur-sha256 header that is no sha256'],
  ])('refuses an answer whose hash header is %s', async (_name, headers, text) => {
    const { remote } = await registry(answer(200, await skill('ledger-style', '0.2.0'), headers));
    const error = await failureOf(remote.fetch(wanted));
    expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining(text)]);
  });

  test('refuses an archive that is another artifact or version', async () => {
    const bytes = await skill('ledger-style', '0.3.0');
    const { remote } = await registry(answer(200, bytes, { 'x-murmur-sha256': sha256Hex(bytes) }));
    const error = await failureOf(remote.fetch(wanted));
    expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining('ledger-style@0.3.0')]);
  });

  test('asks nothing for a name or version that would leave its place in the address', async () => {
    const { server, remote } = await registry(answer(200, ''));
    for (const bad of [
      { name: '../x' },
      { name: 'a/b/c' },
      { version: '..' },
      { version: 'a/b' },
      { version: 'a\r\nb' },
    ]) {
      expect((await failureOf(remote.fetch({ ...wanted, ...bad }))).code).toBe('E-IO-003');
    }
    expect((await failureOf(remote.fetch({ name: 'x', platform: 'linux-x86_64' }))).code).toBe('E-REG-001');
    expect(server.seen).toEqual([]);
  });

  test('never shows the key, not even when the server sends it back', async () => {
    const { remote } = await registry((request, response) => {
      response.writeHead(418).end(JSON.stringify({ error: `got ${request.headers.authorization}\u001b[2J\nerror: x` }));
    });
    const error = await failureOf(remote.fetch(wanted));
    expect(error.message).toContain('got Bearer <redacted>');
    expect(error.message).not.toContain(key);
    expect(error.message).not.toMatch(/[\0-\x1f]/);
  });

  test('says when nothing listens', async () => {
    const server = await serve(() => {});
    const remote = remoteRegistry(
      'http://127.0.0.1:9',
      { env: { NEXUS_API_KEY: key }, downloads: temporaryFolder() },
      quick,
    );
    const error = await failureOf(remote.fetch(wanted));
    expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining('request failed')]);
    expect(server.seen).toEqual([]);
  });

  test('ends at once when it is interrupted', async () => {
    const stop = new AbortController();
    const { remote } = await registry(() => stop.abort(), { signal: stop.signal });
    const error = await failureOf(remote.fetch(wanted));
    expect([error.code, error.message]).toEqual(['E-IO-003', 'the transfer was interrupted']);
  });
});

describe('publishing to a remote registry', () => {
  test('sends the bytes with what they are', async () => {
    const bytes = await native('fast', '1.0.0', 'linux-aarch64');
    const artifact = await describeArchive(bytes, 'fast', { platform: 'linux-aarch64' });
    const { server, remote } = await registry(answer(201, { artifact_id: 'fast@1.0.0', sha256: artifact.sha256 }));
    expect(await remote.publish(artifact)).toEqual({ artifactId: 'fast@1.0.0', sha256: artifact.sha256 });
    const [seen] = server.seen;
    expect(`${seen!.method} ${seen!.path}`).toBe(
      'POST /v1/artifacts?name=fast&version=1.0.0&runtime=native&platform=linux-aarch64',
    );
    expect(seen!.headers).toMatchObject({ 'content-type': 'application/octet-stream', authorization: `Bearer ${key}` });
    expect(seen!.body().equals(bytes)).toBe(true);
  });

  test('sends a large archive whole', async () => {
    const bytes = await skill('large', '1.0.0', 3_000_000);
    const artifact = await describeArchive(bytes, 'large');
    const { server, remote } = await registry(answer(201, { artifact_id: 'large@1.0.0', sha256: artifact.sha256 }));
    await remote.publish(artifact);
    expect(sha256Hex(server.seen[0]!.body())).toBe(artifact.sha256);
  });

  test.each([
    [400, { error: 'bad name' }, 'E-IO-003', 'HTTP 400: bad name'],
    [401, {}, 'E-IO-003', 'Check NEXUS_API_KEY'],
    [409, { error: 'exists' }, 'E-REG-003', 'artifact ledger-style@0.2.0 already exists in registry'],
    [
      422,
      { error: "reserved artifact version 'edge' is not allowed" },
      'E-REG-004',
      "version 'edge' is reserved and cannot be published",
    ],
    [422, { error: 'no archive' }, 'E-IO-003', 'HTTP 422: no archive'],
    [500, 'oops', 'E-IO-003', 'HTTP 500: oops'],
    [201, { artifact_id: 'ledger-style@0.2.0', sha256: 'f'.repeat(64) }, 'E-REG-002', 'stored other bytes'],
    [201, { artifact_id: 7 }, 'E-IO-003', 'names no artifact_id and sha256'],
    [201, '<html>', 'E-IO-003', 'the answer is not JSON'],
  ])('maps %i %j to its code', async (status, body, code, text) => {
    const artifact = await describeArchive(await skill('ledger-style', '0.2.0'), 'ledger');
    const { server, remote } = await registry(answer(status, body));
    const error = await failureOf(remote.publish(artifact));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
    expect(server.seen).toHaveLength(1);
  });

  test('does not follow a redirect with the bytes to another server', async () => {
    const other = await serve((_request, response) => response.writeHead(201).end('{}'));
    const artifact = await describeArchive(await skill('ledger-style', '0.2.0'), 'ledger');
    const { remote } = await registry(answer(307, '', { location: `${other.url}/v1/artifacts` }));
    const error = await failureOf(remote.publish(artifact));
    expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining('redirected a POST')]);
    expect(other.seen).toEqual([]);
  });
});

describe('the list of a remote registry', () => {
  test('is read with its defaults', async () => {
    const rows = [
      { name: 'a', version: '1', runtime: 'wasm', artifact_runtime: 'tool', description: null },
      {
        name: 'b',
        version: '2',
        runtime: 'native',
        platforms: [['linux', 'x86_64'], 'darwin-aarch64'],
        tags: ['x', 7],
      },
    ];
    const { remote } = await registry(answer(200, rows));
    expect(await remote.index()).toEqual([
      { name: 'a', version: '1', runtime: 'wasm', artifactRuntime: 'tool', tags: [], platforms: [] },
      { name: 'b', version: '2', runtime: 'native', tags: ['x'], platforms: ['linux-x86_64', 'darwin-aarch64'] },
    ]);
  });

  test.each([
    ['an object', {}],
    ['a row without a name', [{ version: '1', runtime: 'wasm' }]],
    ['a row that is no object', ['a@1']],
    ['a name of another type', [{ name: 1, version: '1', runtime: 'wasm' }]],
    ['no JSON', '[{'],
    ['JSON nested too deep', '['.repeat(5000) + ']'.repeat(5000)],
  ])('is refused when it is %s', async (_name, body) => {
    const { remote } = await registry(answer(200, body));
    expect((await failureOf(remote.index())).code).toBe('E-IO-003');
  });
});

test('an address with a key in it, or of another scheme, is refused and not repeated', () => {
  const context = { env: {}, downloads: '/nowhere' };
  expect(() => remoteRegistry('https://me:pass-word@example.com', context)).toThrow(/holds a user name or a password/);
  expect(() => remoteRegistry('https://me:pass-word@example.com', context)).not.toThrow(/pass-word/);
  expect(() => remoteRegistry('file:///etc', context)).toThrow(/the scheme is 'file'/);
  expect(() => remoteRegistry('example.com', context)).toThrow(/no URL/);
});
