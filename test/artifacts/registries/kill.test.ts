/** A process that is killed while it downloads: what it received is used by the next one, and is never taken for the whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { remoteRegistry } from '../../../src/artifacts/registries/index.js';
import { sha256Hex } from '../../../src/text/index.js';
import { closedAfter, filesBelow, quick, ranged, serve, skill, temporaryFolder } from './server.js';

const built = resolve(import.meta.dirname, '../../../dist/src/artifacts/registries/index.js');
const program = `
  const { remoteRegistry } = await import(process.argv[1]);
  const remote = remoteRegistry(process.argv[2], { env: { NEXUS_API_KEY: 'k' }, downloads: process.argv[3] });
  await remote.fetch({ name: 'large', version: '1.0.0', platform: 'linux-x86_64' });
`;

test('kill -9 in the middle leaves a part, which the next process continues to the end', async () => {
  const bytes = await skill('large', '1.0.0', 400_000);
  let isSlow = true;
  const server = await serve((request, response) => {
    if (!isSlow) return ranged(bytes)(request, response);
    const headers = { etag: '"one"', 'x-murmur-sha256': sha256Hex(bytes), 'content-length': String(bytes.length) };
    response.writeHead(200, headers);
    // The rest never comes.
    response.write(bytes.subarray(0, 150_000));
  });
  const downloads = join(temporaryFolder(), 'downloads');
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', program, '--', built, server.url, downloads],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  closedAfter(() => void child.kill('SIGKILL'));
  const received = (): number =>
    filesBelow(downloads).reduce((sum, name) => sum + statSync(join(downloads, name)).size, 0);
  await expect.poll(received, { timeout: 20_000, interval: 10 }).toBeGreaterThan(150_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const [left] = filesBelow(downloads);
  expect(left).toMatch(/^[0-9a-f]{64}\.mur-\d+-\d*-[0-9a-f]{16}\.tmp$/);

  isSlow = false;
  const remote = remoteRegistry(server.url, { env: { NEXUS_API_KEY: 'k' }, downloads }, quick);
  const { artifact } = await remote.fetch({ name: 'large', version: '1.0.0', platform: 'linux-x86_64' });
  expect(artifact.sha256).toBe(sha256Hex(bytes));
  expect(server.seen.at(-1)!.headers.range).toBe('bytes=150000-');
  expect(filesBelow(downloads)).toEqual([]);
});
