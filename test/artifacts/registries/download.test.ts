import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Download, download } from '../../../src/artifacts/registries/download/index.js';
import { NoAnswer } from '../../../src/artifacts/registries/http/failure.js';
import { sha256Hex } from '../../../src/text/index.js';
import { failureOf, filesBelow, noise, quick, ranged, serve, temporaryFolder } from './server.js';

const bytes = noise(200_000);

function surroundings(more: object = {}) {
  return { folder: join(temporaryFolder(), 'downloads'), limits: quick, ...more };
}

function of(url: string, more: Partial<Download> = {}): Download {
  return { name: 'thing@1.0.0', url: new URL(url), digestHeader: 'x-murmur-sha256', limitBytes: 1_000_000, ...more };
}

async function whole(result: ReturnType<typeof download>): Promise<string> {
  const got = await result;
  if (got.kind !== 'bytes') throw new Error(`refused with ${got.reply.status}`);
  return sha256Hex(got.bytes);
}

describe('a download whose connection breaks', () => {
  test.each([1, 17, 65_536, 100_000, 199_999])('goes on from byte %i with a range', async (cut) => {
    let tries = 0;
    const server = await serve(ranged(bytes, { cut: () => (tries++ === 0 ? cut : undefined) }));
    const around = surroundings();
    expect(await whole(download(of(server.url), around))).toBe(sha256Hex(bytes));
    expect(server.seen[1]!.headers).toMatchObject({
      'if-range': '"one"',
      range: expect.stringMatching(/^bytes=\d+-$/),
    });
    expect(filesBelow(around.folder)).toEqual([]);
  });

  test('goes on wherever it breaks, as often as it brings something', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 6 }),
        async (places) => {
          const cuts = [...places].sort((a, b) => a - b);
          const server = await serve(ranged(bytes, { cut: () => cuts.shift() }));
          expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('is continued by the next download after it was given up', async () => {
    const around = surroundings();
    let cuts = 50_000;
    const server = await serve(ranged(bytes, { cut: () => cuts }));
    await expect(download(of(server.url), around)).rejects.toThrow(NoAnswer);
    const [part] = filesBelow(around.folder);
    expect(part).toMatch(/^[0-9a-f]{64}\.part$/);
    expect(statSync(join(around.folder, part!)).mode & 0o777).toBe(0o600);
    expect(statSync(around.folder).mode & 0o777).toBe(0o700);
    cuts = Number.MAX_SAFE_INTEGER;
    const before = server.seen.length;
    expect(await whole(download(of(server.url), around))).toBe(sha256Hex(bytes));
    expect(server.seen[before]!.headers.range).toBe('bytes=50000-');
    expect(filesBelow(around.folder)).toEqual([]);
  });

  test('starts again when the server knows no ranges', async () => {
    let tries = 0;
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'x-murmur-sha256': sha256Hex(bytes), 'content-length': String(bytes.length) });
      if (tries++ === 0) response.write(bytes.subarray(0, 90_000), () => response.socket?.destroy());
      else response.end(bytes);
    });
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
    expect(server.seen[1]!.headers.range).toBeUndefined();
  });

  test('starts again when the file has changed meanwhile', async () => {
    const newer = noise(150_000);
    let tries = 0;
    const server = await serve((request, response) => {
      if (tries++ === 0) ranged(bytes, { cut: () => 90_000 })(request, response);
      else ranged(newer, { etag: '"two"' })(request, response);
    });
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(newer));
  });

  test('is not continued on a weak tag, which promises no equal bytes', async () => {
    let tries = 0;
    const server = await serve(ranged(bytes, { etag: 'W/"one"', cut: () => (tries++ === 0 ? 90_000 : undefined) }));
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
    expect(server.seen[1]!.headers.range).toBeUndefined();
  });

  test('gives up after three tries that brought nothing', async () => {
    const server = await serve((request) => request.socket.destroy());
    await expect(download(of(server.url), surroundings())).rejects.toThrow(/request failed/);
    expect(server.seen).toHaveLength(3);
  });

  test('gives up after ten tries that brought a little each', async () => {
    let cut = 0;
    const server = await serve(ranged(bytes, { cut: () => (cut += 10) }));
    await expect(download(of(server.url), surroundings())).rejects.toThrow(/request failed/);
    expect(server.seen).toHaveLength(10);
  });
});

describe('an answer to a request for a part', () => {
  test.each([
    ['another start', { 'content-range': `bytes 5-${bytes.length - 1}/${bytes.length}` }],
    ['another length', { 'content-range': `bytes 90000-${bytes.length}/${bytes.length + 1}` }],
    ['another tag', { 'content-range': `bytes 90000-${bytes.length - 1}/${bytes.length}`, etag: '"two"' }],
    ['no range', {}],
  ])('is not joined to what was received when it has %s', async (_name, headers) => {
    let tries = 0;
    const server = await serve((request, response) => {
      tries += 1;
      if (tries !== 2) return ranged(bytes, { cut: () => (tries === 1 ? 90_000 : undefined) })(request, response);
      response.writeHead(206, { 'x-murmur-sha256': sha256Hex(bytes), ...headers }).end(bytes.subarray(90_000));
    });
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
    expect(server.seen[2]!.headers.range).toBeUndefined();
  });

  test('that it cannot give it makes the download start again', async () => {
    let tries = 0;
    const server = await serve((request, response) => {
      tries += 1;
      if (tries !== 2) return ranged(bytes, { cut: () => (tries === 1 ? 90_000 : undefined) })(request, response);
      response.writeHead(416).end();
    });
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
  });

  test('is refused when the whole was asked for', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(206, { 'x-murmur-sha256': sha256Hex(bytes), 'content-range': 'bytes 0-9/10' }).end(bytes);
    });
    await expect(download(of(server.url), surroundings())).rejects.toThrow(/is a part/);
  });

  test('with wrong bytes is found by the hash, and the whole is fetched once more', async () => {
    let tries = 0;
    const server = await serve((request, response) => {
      tries += 1;
      const wrong = Buffer.from(bytes).fill(0, 90_000);
      if (tries === 2) {
        const headers = { 'x-murmur-sha256': sha256Hex(bytes), 'content-range': `bytes 90000-199999/200000` };
        return void response.writeHead(206, headers).end(wrong.subarray(90_000));
      }
      ranged(bytes, { cut: () => (tries === 1 ? 90_000 : undefined) })(request, response);
    });
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
    expect(server.seen).toHaveLength(3);
  });
});

describe('what an earlier download left', () => {
  /** A part of `received` bytes, as another download that failed leaves it. */
  async function leftBy(url: string, folder: string, head: string, received: Uint8Array): Promise<string> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${sha256Hex(`${url}/`)}.part`);
    writeFileSync(path, Buffer.concat([Buffer.from(head), received]), { mode: 0o600 });
    return path;
  }
  const head = `{"etag":"\\"one\\"","totalBytes":${bytes.length}}\n`;

  test.each([
    ['is used', head, bytes.subarray(0, 70_000), 'bytes=70000-'],
    ['is asked for its last byte when it seems whole', head, bytes, 'bytes=199999-'],
    ['is cut when it is too long', head, Buffer.concat([bytes, bytes]), 'bytes=199999-'],
    ['is dropped when its head is torn', head.slice(0, 20), Buffer.alloc(0), undefined],
    ['is dropped when its head is no JSON', 'x\n', bytes, undefined],
    ['is dropped when its head has no tag', '{}\n', bytes, undefined],
    ['is dropped when its tag would break a header', '{"etag":"\\"a\\r\\nb: c\\""}\n', bytes, undefined],
    ['is dropped when it has no end of its head', 'x'.repeat(9000), bytes, undefined],
    ['is dropped when it is empty', '', Buffer.alloc(0), undefined],
  ])('%s', async (_name, first, received, range) => {
    const server = await serve(ranged(bytes));
    const around = surroundings();
    await leftBy(server.url, around.folder, first, received);
    expect(await whole(download(of(server.url), around))).toBe(sha256Hex(bytes));
    expect(server.seen[0]!.headers.range).toBe(range);
    expect(filesBelow(around.folder)).toEqual([]);
  });

  test('is never taken for the whole: damage in it is found and mended', async () => {
    const server = await serve(ranged(bytes));
    const around = surroundings();
    await leftBy(server.url, around.folder, head, Buffer.alloc(70_000));
    expect(await whole(download(of(server.url), around))).toBe(sha256Hex(bytes));
    expect(server.seen.map(({ headers }) => headers.range)).toEqual(['bytes=70000-', undefined]);
  });

  test('is not used for bytes that no hash can check', async () => {
    const server = await serve(ranged(bytes));
    const around = surroundings();
    await leftBy(server.url, around.folder, head, Buffer.alloc(70_000));
    const { digestHeader: _, ...what } = of(server.url);
    expect(await whole(download(what, around))).toBe(sha256Hex(bytes));
    expect(server.seen[0]!.headers.range).toBeUndefined();
  });

  test('is removed after a day; what is younger, and what is not ours, stays', async () => {
    const server = await serve(ranged(bytes));
    const around = surroundings();
    const stale = await leftBy('http://stale', around.folder, head, bytes);
    const young = await leftBy('http://young', around.folder, head, bytes);
    const strange = join(around.folder, 'notes.txt');
    writeFileSync(strange, 'mine');
    const old = (Date.now() - 25 * 60 * 60_000) / 1000;
    for (const path of [stale, strange]) utimesSync(path, old, old);
    await download(of(server.url), around);
    expect(filesBelow(around.folder)).toEqual([young.slice(around.folder.length + 1), 'notes.txt'].sort());
  });

  test('serves one of two downloads at once, and both end whole', async () => {
    const server = await serve(ranged(bytes));
    const around = surroundings();
    await leftBy(server.url, around.folder, head, bytes.subarray(0, 70_000));
    const results = await Promise.all([1, 2, 3].map(() => whole(download(of(server.url), around))));
    expect(results).toEqual([1, 2, 3].map(() => sha256Hex(bytes)));
    expect(server.seen.map(({ headers }) => headers.range).filter((range) => range !== undefined)).toHaveLength(1);
    expect(readdirSync(around.folder)).toEqual([]);
  });
});

describe('a server with a fault', () => {
  test('is asked again, and not before the time it names', async () => {
    const times: number[] = [];
    const server = await serve((request, response) => {
      times.push(performance.now());
      if (times.length === 1) response.writeHead(503, { 'retry-after': '1' }).end();
      else ranged(bytes)(request, response);
    });
    expect(await whole(download(of(server.url), surroundings()))).toBe(sha256Hex(bytes));
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
  });

  test('is not waited for longer than the download may take', async () => {
    const server = await serve((_request, response) => void response.writeHead(503, { 'retry-after': '86400' }).end());
    expect(await download(of(server.url), surroundings())).toMatchObject({ kind: 'refused', reply: { status: 503 } });
    expect(server.seen).toHaveLength(1);
  });
});

test('progress counts from the start of the file, and ends at its length', async () => {
  const seen: { receivedBytes: number; totalBytes?: number; name: string }[] = [];
  let tries = 0;
  const server = await serve(ranged(bytes, { cut: () => (tries++ === 0 ? 90_000 : undefined) }));
  await download(of(server.url), surroundings({ onProgress: (at: (typeof seen)[number]) => seen.push(at) }));
  expect(seen.at(-1)).toEqual({ name: 'thing@1.0.0', receivedBytes: bytes.length, totalBytes: bytes.length });
  expect(seen.every(({ receivedBytes }, at) => at === 0 || receivedBytes > seen[at - 1]!.receivedBytes)).toBe(true);
});

test('an interruption leaves a part that the next download continues', async () => {
  const stop = new AbortController();
  const server = await serve(ranged(bytes));
  const onProgress = ({ receivedBytes }: { receivedBytes: number }) => receivedBytes > 50_000 && stop.abort();
  const around = surroundings();
  expect((await failureOf(download(of(server.url), { ...around, signal: stop.signal, onProgress }))).message).toBe(
    'the transfer was interrupted',
  );
  expect(filesBelow(around.folder)).toHaveLength(1);
  expect(await whole(download(of(server.url), around))).toBe(sha256Hex(bytes));
  expect(server.seen[1]!.headers.range).toMatch(/^bytes=\d+-$/);
});

test('a link in place of a part is not written through', async () => {
  const server = await serve(ranged(bytes));
  const around = surroundings();
  mkdirSync(around.folder, { mode: 0o700 });
  const victim = join(around.folder, 'victim');
  writeFileSync(victim, 'keep me');
  symlinkSync(victim, join(around.folder, `${sha256Hex(`${server.url}/`)}.part`));
  expect(await whole(download(of(server.url), around))).toBe(sha256Hex(bytes));
  expect(readFileSync(victim, 'utf8')).toBe('keep me');
});
