/** A registry that means harm. Each is refused with its code, in bounded time and memory, and nothing is kept. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { describeArchive } from '../../../src/artifacts/describe.js';
import type { HttpLimits } from '../../../src/artifacts/registries/http/limits.js';
import { remoteRegistry } from '../../../src/artifacts/registries/index.js';
import { sha256Hex } from '../../../src/text/index.js';
import {
  closedAfter,
  failureOf,
  filesBelow,
  type Handler,
  noise,
  quick,
  serve,
  skill,
  temporaryFolder,
} from './server.js';

/** Far below the times of real life, far above what a busy machine needs. */
const inTimeMs = 15_000;
const key = 'nexus-key-of-the-tests';
const bytes = await skill('ledger-style', '0.2.0', 50_000);
const digest = { 'x-murmur-sha256': sha256Hex(bytes) };

interface Outcome {
  readonly code: string;
  readonly message: string;
  readonly kept: readonly string[];
  readonly tookMs: number;
}

async function fetchFrom(
  url: string,
  env: Record<string, string> = {},
  limits: Partial<HttpLimits> = {},
): Promise<Outcome> {
  const downloads = join(temporaryFolder(), 'downloads');
  const remote = remoteRegistry(url, { env: { NEXUS_API_KEY: key, ...env }, downloads }, { ...quick, ...limits });
  const startedAt = performance.now();
  const { code, message } = await failureOf(
    remote.fetch({ name: 'ledger-style', version: '0.2.0', platform: 'linux-x86_64' }),
  );
  return { code, message, kept: filesBelow(downloads), tookMs: performance.now() - startedAt };
}

async function fetchWith(handler: Handler, ...more: [Record<string, string>?, Partial<HttpLimits>?]): Promise<Outcome> {
  return fetchFrom((await serve(handler)).url, ...more);
}

/** A server that writes exactly this to each connection. */
async function raw(answer: string | Buffer, isEnded = true): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (isEnded ? socket.end(answer) : socket.write(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closedAfter(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes `chunk` again and again for as long as somebody reads. */
function pour(response: ServerResponse, chunk: Buffer): void {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => pour(response, chunk));
}

describe('a body', () => {
  test('without end is cut at the ceiling', async () => {
    const { code, message, kept } = await fetchWith(
      (_request, response) => {
        response.writeHead(200, { ...digest, etag: '"one"' });
        pour(response, noise(64 * 1024));
      },
      { MURMUR_MAX_ARTIFACT_DECOMPRESSED_BYTES: '1000000' },
    );
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('exceeds the 1000000-byte ceiling')]);
    expect(kept).toEqual([]);
  });

  test('that says it is over the ceiling is refused before a byte of it is read', async () => {
    const { code, message, kept } = await fetchWith((_request, response) => {
      response.writeHead(200, { ...digest, 'content-length': '524288001' });
      response.flushHeaders();
    });
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('524288000-byte ceiling')]);
    expect(kept).toEqual([]);
  });

  test('shorter than its length is lost, not whole', async () => {
    const { code, message, kept } = await fetchFrom(
      await raw(
        `HTTP/1.1 200 OK\r\nx-murmur-sha256: ${sha256Hex(bytes)}\r\ncontent-length: ${bytes.length}\r\n\r\nshort`,
      ),
    );
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('the connection was lost after 5 bytes')]);
    expect(kept).toEqual([]);
  });

  test('longer than its length is cut there, and the hash says so', async () => {
    const { code, kept } = await fetchFrom(
      await raw(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\nx-murmur-sha256: ${sha256Hex(bytes)}\r\ncontent-length: 100\r\n\r\n`),
          bytes,
        ]),
      ),
    );
    expect(['E-REG-002', 'E-IO-003']).toContain(code);
    expect(kept).toEqual([]);
  });

  test('that drips is given up, although it never stops', async () => {
    const { code, message, kept, tookMs } = await fetchWith((_request, response) => {
      response.writeHead(200, { ...digest, 'content-length': String(bytes.length) });
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    });
    expect([code, message]).toEqual(['E-IO-003', expect.stringMatching(/only \d+ bytes arrived in 0.2 s/)]);
    expect(tookMs).toBeLessThan(inTimeMs);
    expect(kept).toEqual([]);
  });

  test('that never starts is given up', async () => {
    const { code, message } = await fetchWith((_request, response) => {
      response.writeHead(200, { ...digest, 'content-length': String(bytes.length) });
      response.flushHeaders();
    });
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('nothing arrived in 0.2 s')]);
  });

  test('that goes on for longer than a download may take is given up', async () => {
    const { code, message, tookMs } = await fetchWith(
      (_request, response) => {
        response.writeHead(200, digest);
        const flow = setInterval(() => response.write(noise(1024)), 10);
        response.once('close', () => clearInterval(flow));
      },
      {},
      { transferMs: 600 },
    );
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('no whole answer within 0.6 s')]);
    expect(tookMs).toBeLessThan(inTimeMs);
  });

  test('that is a gzip bomb is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { code, message, kept } = await fetchWith((_request, response) => {
      response.writeHead(200, { ...digest, 'content-encoding': 'gzip' }).end(bomb);
    });
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('content-encoding, which was not asked for')]);
    expect(kept).toEqual([]);
  });

  test.each([
    ['no zip', Buffer.from('<html>sign in</html>')],
    ['an empty one', Buffer.alloc(0)],
    ['half a zip', bytes.subarray(0, 30_000)],
  ])('that is %s is refused although its hash is right', async (_name, body) => {
    const { code, kept } = await fetchWith((_request, response) => {
      response.writeHead(200, { 'x-murmur-sha256': sha256Hex(body), etag: '"one"' }).end(body);
    });
    expect(code).toBe('E-IO-003');
    expect(kept).toEqual([]);
  });
});

describe('a head', () => {
  test('without end is refused', async () => {
    const { code, message } = await fetchFrom(
      await raw(`HTTP/1.1 200 OK\r\n${'x-pad: 0123456789\r\n'.repeat(20_000)}`, false),
    );
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('the head of the answer is too large')]);
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['nothing', ''],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a control character', 'HTTP/1.1 200 OK\r\nx-murmur-sha256: a\x00b\r\n\r\n'],
  ])('that is %s is refused', async (_name, text) => {
    const { code, message, kept } = await fetchFrom(await raw(text));
    expect(code).toBe('E-IO-003');
    expect(message).not.toMatch(/[\0-\x1f]/);
    expect(kept).toEqual([]);
  });

  test('that never comes is given up after the time of a request', async () => {
    const { code, message, tookMs } = await fetchWith(() => {}, {}, { requestMs: 200 });
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('no whole answer within 0.2 s')]);
    expect(tookMs).toBeLessThan(inTimeMs);
  });
});

describe('a redirect', () => {
  const to =
    (location: string, status = 302): Handler =>
    (_request, response) => {
      response.writeHead(status, { location }).end();
    };

  test('is followed to another origin, without the key', async () => {
    const other = await serve((_request, response) => void response.writeHead(200, digest).end(bytes));
    const first = await serve(to(`${other.url}/elsewhere`));
    const downloads = join(temporaryFolder(), 'downloads');
    const remote = remoteRegistry(first.url, { env: { NEXUS_API_KEY: key }, downloads }, quick);
    const { artifact } = await remote.fetch({ name: 'ledger-style', version: '0.2.0', platform: 'linux-x86_64' });
    expect(artifact.sha256).toBe(sha256Hex(bytes));
    expect(first.seen[0]!.headers.authorization).toBe(`Bearer ${key}`);
    expect(other.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/elsewhere', undefined]]);
  });

  test('that comes back home does not bring the key back', async () => {
    let home = '';
    const other = await serve((request, response) => to(`${home}/trap`)(request, response));
    const first = await serve((request, response) => {
      if (request.url === '/trap') response.writeHead(200, digest).end(bytes);
      else to(other.url)(request, response);
    });
    home = first.url;
    const remote = remoteRegistry(home, { env: { NEXUS_API_KEY: key }, downloads: temporaryFolder() }, quick);
    await remote.fetch({ name: 'ledger-style', version: '0.2.0', platform: 'linux-x86_64' });
    expect(first.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, undefined]);
  });

  test('to the same origin keeps the key', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/again') response.writeHead(200, digest).end(bytes);
      else to('/again', 308)(request, response);
    });
    const remote = remoteRegistry(server.url, { env: { NEXUS_API_KEY: key }, downloads: temporaryFolder() }, quick);
    await remote.fetch({ name: 'ledger-style', version: '0.2.0', platform: 'linux-x86_64' });
    expect(server.seen[1]!.headers.authorization).toBe(`Bearer ${key}`);
  });

  test('that leads round in a circle ends after five', async () => {
    const server = await serve(to('/round'));
    const { code, message } = await fetchFrom(server.url);
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('redirected more than 5 times')]);
    expect(server.seen).toHaveLength(6);
  });

  test.each([
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['ftp', 'ftp://127.0.0.1/x'],
    ['an address with a password', 'http://me:secret-word@127.0.0.1:9/'],
    ['nothing that can be read', 'http://['],
  ])('to %s is refused', async (_name, location) => {
    const { code, message } = await fetchWith(to(location));
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('redirected')]);
    expect(message).not.toContain('secret-word');
  });

  test('without a place is an answer like any other', async () => {
    const { code, message } = await fetchWith((_request, response) => void response.writeHead(302).end());
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('HTTP 302')]);
  });
});

test('an error body without end is read to its cap only', async () => {
  const { code, message, tookMs } = await fetchWith((_request, response) => {
    response.writeHead(418);
    pour(response, Buffer.from('tea '.repeat(1000)));
  });
  expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('HTTP 418: tea tea')]);
  expect(message.length).toBeLessThan(500);
  expect(tookMs).toBeLessThan(inTimeMs);
});

test('a list without end is refused', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200);
    response.write('[');
    pour(response, Buffer.from('{"name":"a","version":"1","runtime":"wasm"},'.repeat(1000)));
  });
  const context = { env: { NEXUS_API_KEY: key }, downloads: temporaryFolder() };
  const remote = remoteRegistry(server.url, context, { ...quick, answerBytes: 1_000_000 });
  const error = await failureOf(remote.index());
  expect([error.code, error.message]).toEqual(['E-IO-003', expect.stringContaining('larger than 1000000 bytes')]);
});

test('a key that would break out of its header is not sent', async () => {
  const server = await serve((_request, response) => void response.end());
  const { code, message } = await fetchFrom(server.url, { NEXUS_API_KEY: 'a\r\nx-injected: 1' });
  expect([code, message]).toEqual([
    'E-IO-003',
    expect.stringContaining('a character that a request header cannot carry'),
  ]);
  expect(server.seen).toEqual([]);
});

describe('a registry that is published to', () => {
  async function publishTo(handler: Handler): Promise<Outcome> {
    const server = await serve(handler);
    const downloads = join(temporaryFolder(), 'downloads');
    const limits = { ...quick, requestMs: 300 };
    const remote = remoteRegistry(server.url, { env: { NEXUS_API_KEY: key }, downloads }, limits);
    // More than the sockets between us hold.
    const artifact = { ...(await describeArchive(bytes, 'ledger')), bytes: Buffer.alloc(16_000_000) };
    const startedAt = performance.now();
    const { code, message } = await failureOf(remote.publish(artifact));
    return { code, message, kept: filesBelow(downloads), tookMs: performance.now() - startedAt };
  }

  test.each<[string, Handler]>([
    ['takes everything and never answers', (request) => void request.resume()],
    ['stops to take anything', (request) => void request.pause().removeAllListeners('data')],
  ])('is given up when it %s', async (_name, handler) => {
    const { code, message, tookMs } = await publishTo(handler);
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('nothing moved for 0.3 s')]);
    expect(tookMs).toBeLessThan(inTimeMs);
  });

  test('may refuse before it has read everything', async () => {
    const { code, message } = await publishTo((request, response) => {
      request.once('data', () => response.writeHead(413).end('{"error":"too large"}'));
    });
    expect([code, message]).toEqual(['E-IO-003', expect.stringContaining('HTTP 413: too large')]);
  });
});
