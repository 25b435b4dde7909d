import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packArchive } from '../../src/artifacts/archive.js';
import { hostPlatform } from '../../src/artifacts/platform.js';
import { sha256Hex } from '../../src/text/index.js';
import { native, serve, skill } from '../artifacts/registries/server.js';
import { Sandbox } from './cli.js';

const key = 'nexus-key-of-the-tests';
let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

/** A built skill in the project folder. */
async function built(version = '0.2.0'): Promise<Uint8Array> {
  const bytes = await skill('ledger', version);
  sandbox.manifest(`name: ledger\nversion: "${version}"\nruntime: skill\n`);
  sandbox.write(`project/ledger-${version}.mur.zip`, bytes);
  return bytes;
}

const stored = (rel: string): string => join(sandbox.home, '.murmur', 'artifacts', rel);

describe('mur publish', () => {
  test('puts what mur build wrote into the store of the user, once', async () => {
    const bytes = await built();
    expect(await sandbox.run(['publish'])).toEqual({
      code: 0,
      signal: null,
      stdout: 'Published ledger@0.2.0\n',
      stderr: '',
    });
    expect(readFileSync(stored('ledger/0.2.0/ledger-0.2.0.mur.zip')).equals(bytes)).toBe(true);
    const again = await sandbox.run(['publish', './ledger-0.2.0.mur.zip']);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(/^error\[E-REG-003\]: artifact .*ledger@0\.2\.0.* already exists/);
    const found = await sandbox.run(['search', 'LEDG', '--registry', 'local']);
    expect(found.stdout).toMatch(/^NAME {4}VERSION {2}RUNTIME {2}DESCRIPTION\nledger {2}0\.2\.0 {4}/);
  });

  test('says where it went as JSON', async () => {
    const bytes = await built();
    const { code, stdout } = await sandbox.run(['publish', '--json', '--registry', 'local']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        name: 'ledger',
        version: '0.2.0',
        runtime: 'static',
        platform: null,
        sha256: sha256Hex(bytes),
        path: stored('ledger/0.2.0/ledger-0.2.0.mur.zip'),
      },
    ]);
  });

  test('names the platform of a native artifact, its own or the one that was given', async () => {
    const host = hostPlatform();
    const other = host === 'linux-aarch64' ? 'linux-x86_64' : 'linux-aarch64';
    sandbox.write('project/fast.mur.zip', await native('fast', '1.0.0', host));
    sandbox.write('project/other.mur.zip', await native('fast', '1.0.0', other));
    const own = await sandbox.run(['publish', 'fast.mur.zip']);
    expect([own.code, own.stdout]).toEqual([0, `Platform: ${host} (auto-detected)\nPublished fast@1.0.0\n`]);
    const named = await sandbox.run(['publish', 'other.mur.zip', '--platform', other]);
    expect([named.code, named.stdout]).toEqual([0, 'Published fast@1.0.0\n']);
    for (const platform of [host, other])
      expect(existsSync(stored(`fast/1.0.0/fast-1.0.0-${platform}.mur.zip`))).toBe(true);
    const wrong = await sandbox.run(['publish', 'other.mur.zip']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('E-RUN-021')]);
  });

  test('forces a native publish when a platform is given', async () => {
    await built();
    const { code, stdout } = await sandbox.run(['publish', '--platform', 'darwin-aarch64', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { runtime: 'native', platform: 'darwin-aarch64' }]);
    expect(existsSync(stored('ledger/0.2.0/ledger-0.2.0-darwin-aarch64.mur.zip'))).toBe(true);
  });

  test.each([
    ['without a manifest', [], 'E-IO-001', '/project/murmur.yaml'],
    ['of a path that is not there', ['gone.mur.zip'], 'E-IO-001', 'artifact path gone.mur.zip not found'],
    [
      'with a bad platform',
      ['--platform', 'linux'],
      'E-IO-003',
      "invalid platform 'linux' (expected os-arch, e.g. darwin-aarch64)",
    ],
    ['to no address', ['x.mur.zip', '--registry', 'nexus'], 'E-IO-003', "'nexus' is no URL"],
    [
      'to a remote registry without a key',
      ['x.mur.zip', '--registry', 'http://localhost:7800'],
      'E-IO-003',
      'NEXUS_API_KEY is required',
    ],
    ['of a folder', ['.'], 'E-IO-003', 'failed to read .: is a directory'],
  ])('%s is refused', async (_name, args, code, text) => {
    sandbox.write('project/x.mur.zip', await skill('x', '1.0.0'));
    const { code: status, stdout, stderr } = await sandbox.run(['publish', ...args]);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining(`error[${code}]: `)]);
    expect(stderr).toContain(text);
    expect(existsSync(stored(''))).toBe(false);
  });

  test('says to build first when the default archive is not there', async () => {
    await built();
    rmSync(join(sandbox.project, 'ledger-0.2.0.mur.zip'));
    const { code, stderr } = await sandbox.run(['publish']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        "default artifact path ./ledger-0.2.0.mur.zip not found. Run 'mur build' first or pass an explicit artifact path.",
      ),
    ]);
  });

  test.each(['latest', 'stable', 'edge'])('of the reserved version %s is refused', async (version) => {
    await built(version);
    const { code, stderr } = await sandbox.run(['publish']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`error[E-REG-004]: version '${version}' is reserved and cannot be published`),
    ]);
    expect(existsSync(stored(''))).toBe(false);
  });

  test('of a broken archive is refused before anything is asked', async () => {
    const server = await serve((_request, response) => void response.end());
    sandbox.write('project/bad.mur.zip', 'no zip');
    sandbox.write('project/bare.mur.zip', await packArchive([{ name: 'skill.md', bytes: Buffer.from('x') }]));
    for (const name of ['bad', 'bare']) {
      const ran = await sandbox.run(['publish', `${name}.mur.zip`, '--registry', server.url], { NEXUS_API_KEY: key });
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('error[E-IO-003]')]);
    }
    expect(server.seen).toEqual([]);
  });

  test('sends it to the registry the manifest names, with the key, and shows the key nowhere', async () => {
    const bytes = await built();
    let status = 201;
    const server = await serve((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status);
        response.end(JSON.stringify({ artifact_id: 'ledger@0.2.0', sha256: sha256Hex(bytes), error: key }));
      });
    });
    sandbox.manifest(`name: ledger\nversion: "0.2.0"\nruntime: skill\nregistry: { remote_url: "${server.url}/" }\n`);
    const ran = await sandbox.run(['publish'], { NEXUS_API_KEY: key });
    const notice = `NEXUS_API_KEY is sent to ${server.url}, which registry.remote_url of murmur.yaml names\n`;
    expect(ran).toMatchObject({ code: 0, stdout: 'Published ledger@0.2.0\n', stderr: notice });
    expect(server.seen[0]).toMatchObject({ path: '/v1/artifacts?name=ledger&version=0.2.0&runtime=static' });
    expect(server.seen[0]!.headers.authorization).toBe(`Bearer ${key}`);
    expect(server.seen[0]!.body().equals(bytes)).toBe(true);
    for (const [next, code] of [
      [409, 'E-REG-003'],
      [401, 'E-IO-003'],
      [500, 'E-IO-003'],
    ] as const) {
      status = next;
      const refused = await sandbox.run(['publish'], { NEXUS_API_KEY: key });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`error[${code}]`)]);
      expect(refused.stderr).not.toContain(key);
    }
    expect(existsSync(stored(''))).toBe(false);
  });
});

describe('mur search', () => {
  const artifacts = Array.from({ length: 12 }, (_, at) => ({
    name: `csv-${at}`,
    version: '1.0.0',
    runtime: 'tool',
    description: at === 0 ? 'evil \u001b[2J text\nwith lines' : `number ${at}`,
  }));

  test('shows the best ten, safely, as a table or as JSON', async () => {
    const server = await serve((_request, response) => {
      response.end(JSON.stringify({ schema_version: '1', updated_at: '', artifacts }));
    });
    sandbox.write('home/.murmur/config.yaml', `registry: { index_url: "${server.url}/artifacts-index.json" }\n`);
    const table = await sandbox.run(['search', 'CSV']);
    expect([table.code, table.stderr]).toEqual([0, '']);
    const lines = table.stdout.trimEnd().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'NAME   VERSION  RUNTIME  DESCRIPTION',
      'csv-0  1.0.0    tool     evil ␛[2J text with lines',
      'csv-1  1.0.0    tool     number 1',
    ]);
    expect(lines).toHaveLength(11);
    const json = await sandbox.run(['search', 'number 11', '--json', '--limit', '3']);
    expect(JSON.parse(json.stdout)).toEqual([
      {
        name: 'csv-11',
        version: '1.0.0',
        runtime: 'tool',
        artifact_runtime: null,
        description: 'number 11',
        tags: [],
        platforms: [],
      },
    ]);
    expect(await sandbox.run(['search', 'nothing'])).toMatchObject({ code: 0, stdout: 'No results found.\n' });
    expect(await sandbox.run(['search', 'nothing', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test('names the address and what was wrong with it', async () => {
    const server = await serve((_request, response) => void response.writeHead(503).end());
    const { code, stdout, stderr } = await sandbox.run(['search', 'x', '--registry', `${server.url}/i.json`]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`error[E-IO-003]: the artifact index ${server.url}/i.json answered HTTP 503`);
  });

  test.each([['0'], ['-1'], ['ten'], ['1.5']])('takes no limit of %s', async (limit) => {
    const { code, stderr } = await sandbox.run(['search', 'x', '--limit', limit]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected a whole number above zero')]);
  });
});
