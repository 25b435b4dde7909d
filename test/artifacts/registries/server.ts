/** Real servers on loopback for the registries, and what they serve. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { packArchive } from '../../../src/artifacts/archive.js';
import { type HttpLimits, httpLimits } from '../../../src/artifacts/registries/http/limits.js';
import { isMurError, type MurError } from '../../../src/errors/index.js';
import { sha256Hex } from '../../../src/text/index.js';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Its body so far. */
  body(): Buffer;
}

export interface Server {
  readonly url: string;
  readonly seen: readonly Seen[];
}

/** Everything a test opened, closed after it. */
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export function closedAfter(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export async function serve(handler: Handler): Promise<Server> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    seen.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: () => Buffer.concat(chunks),
    });
    response.on('error', () => {});
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closedAfter(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mur-registry-')));
  closedAfter(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Short enough for tests; everything else as in life. */
export const quick: HttpLimits = {
  ...httpLimits,
  requestMs: 3_000,
  paceMs: 200,
  paceBytes: 256,
  transferMs: 10_000,
  backoffMs: 2,
  mostBackoffMs: 10,
};

/** A skill: the smallest artifact there is. `padding` makes it as large as a test wants, in bytes that do not compress. */
export async function skill(name: string, version: string | undefined, padding = 0): Promise<Uint8Array> {
  const versionLine = version === undefined ? '' : `version: "${version}"\n`;
  return packArchive([
    { name: 'murmur.yaml', bytes: Buffer.from(`name: ${name}\n${versionLine}runtime: skill\n`) },
    { name: 'skill.md', bytes: Buffer.from('# Ledger\n') },
    ...(padding === 0 ? [] : [{ name: 'noise.bin', bytes: noise(padding) }]),
  ]);
}

const elf: Readonly<Record<string, number>> = { 'linux-x86_64': 0x3e, 'linux-aarch64': 0xb7 };

/** A native tool whose program has the head of an ELF file for `platform`. */
export async function native(name: string, version: string, platform: string): Promise<Uint8Array> {
  const program = Buffer.alloc(64);
  program.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  program.writeUInt16LE(elf[platform]!, 18);
  const manifest = `name: ${name}\nversion: "${version}"\nruntime: tool\nimplementation: native\n`;
  return packArchive([
    { name: 'murmur.yaml', bytes: Buffer.from(manifest) },
    { name: `bin/${name}`, bytes: program, executable: true },
  ]);
}

/** The same bytes each time. */
export function noise(bytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at * 32 < bytes; at += 1) chunks.push(Buffer.from(sha256Hex(String(at)), 'hex'));
  return Buffer.concat(chunks).subarray(0, bytes);
}

/** The error `work` ends with. */
export async function failureOf(work: Promise<unknown>): Promise<MurError> {
  const thrown = await work.then(
    (value) => new Error(`it succeeded: ${JSON.stringify(value)?.slice(0, 200)}`),
    (error: unknown) => error,
  );
  if (isMurError(thrown)) return thrown;
  throw thrown;
}

/** Every file below `folder`, as `path (mode)`. */
export function filesBelow(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

/** Answers with `bytes`, or the rest of them when the request names their tag. Breaks the connection where `cut` says. */
export function ranged(bytes: Uint8Array, options: { etag?: string; cut?: () => number | undefined } = {}): Handler {
  const { etag = '"one"', cut = () => undefined } = options;
  return (request, response) => {
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const from = asked !== null && request.headers['if-range'] === etag ? Number(asked[1]) : 0;
    const headers = { etag, 'x-murmur-sha256': sha256Hex(bytes), 'content-length': String(bytes.length - from) };
    if (from === 0) response.writeHead(200, headers);
    else {
      response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
    }
    const end = cut();
    if (end === undefined) response.end(bytes.subarray(from));
    else response.write(bytes.subarray(from, Math.max(from, end)), () => response.socket?.destroy());
  };
}
