/** The same over TLS. The certificate is made for the test, so a process of its own is told to trust it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { remoteRegistry } from '../../../src/artifacts/registries/index.js';
import { sha256Hex } from '../../../src/text/index.js';
import { closedAfter, failureOf, type Handler, quick, serve, skill, temporaryFolder } from './server.js';

const built = resolve(import.meta.dirname, '../../../dist/src/artifacts/registries/index.js');
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const wanted = { name: 'ledger', version: '1.0.0', platform: 'linux-x86_64' };
const program = `
  const [, module, url, downloads] = process.argv;
  const remote = (await import(module)).remoteRegistry(url, { env: { NEXUS_API_KEY: 'k' }, downloads });
  const end = await remote.fetch(${JSON.stringify(wanted)}).then(
    ({ artifact }) => artifact.sha256,
    ({ code, message }) => code + ' ' + message,
  );
  process.stdout.write(end);
`;

async function secure(handler: Handler): Promise<{ url: string; certificate: string }> {
  const folder = temporaryFolder();
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = [
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  expect(spawnSync('openssl', [...made, ...named]).status).toBe(0);
  const server: Server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, handler);
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closedAfter(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate };
}

/** What a process that trusts `certificate` gets from `url`: a hash, or a code and a message. */
async function fetchedBy(url: string, certificate: string): Promise<string> {
  const args = ['--input-type=module', '--eval', program, '--', built, url, join(temporaryFolder(), 'downloads')];
  const child = spawn(process.execPath, args, { env: { NODE_EXTRA_CA_CERTS: certificate } });
  closedAfter(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  return said;
}

test.skipIf(!hasOpenssl)('a certificate nobody vouches for is refused before a byte of the key is sent', async () => {
  const { url } = await secure((_request, response) => void response.end());
  const remote = remoteRegistry(url, { env: { NEXUS_API_KEY: 'k' }, downloads: temporaryFolder() }, quick);
  const error = await failureOf(remote.fetch(wanted));
  expect([error.code, error.message]).toEqual([
    'E-IO-003',
    expect.stringContaining('request failed: self-signed certificate'),
  ]);
});

test.skipIf(!hasOpenssl)(
  'a trusted one is fetched from, also after a redirect up from http; never down to it',
  async () => {
    const bytes = await skill('ledger', '1.0.0');
    const headers = { 'x-murmur-sha256': sha256Hex(bytes) };
    const plain = await serve((_request, response) => void response.writeHead(200, headers).end(bytes));
    let down = false;
    const { url, certificate } = await secure((_request, response) => {
      if (down) response.writeHead(302, { location: `${plain.url}/x` }).end();
      else response.writeHead(200, headers).end(bytes);
    });
    const up = await serve((_request, response) => void response.writeHead(302, { location: `${url}/x` }).end());
    expect(await fetchedBy(url, certificate)).toBe(sha256Hex(bytes));
    expect(await fetchedBy(up.url, certificate)).toBe(sha256Hex(bytes));
    down = true;
    expect(await fetchedBy(url, certificate)).toMatch(/^E-IO-003 .*redirected from https to http$/);
    expect(plain.seen).toEqual([]);
  },
);
