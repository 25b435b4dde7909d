import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeArchive } from '../../src/artifacts/describe.js';
import { type LocalStore, localStore } from '../../src/artifacts/local-store.js';
import { hostPlatform } from '../../src/artifacts/platform.js';
import { InstallTarget } from '../../src/cli/install-target.js';
import { type PinRequest, pin, readLock, updateLock } from '../../src/lock/index.js';
import { sha256Hex } from '../../src/text/index.js';
import { native, serve, skill } from '../artifacts/registries/server.js';
import { acmeConfig, serveReleases, toolZip } from './artifacts.js';
import { type Ran, rehearsal, Sandbox } from './cli.js';

let sandbox: Sandbox;
let global: LocalStore;
let project: LocalStore;
beforeEach(() => {
  sandbox = new Sandbox();
  global = localStore('global', join(sandbox.home, '.murmur', 'artifacts'));
  project = localStore('project', join(sandbox.project, '.murmur', 'artifacts'));
});
afterEach(() => sandbox.remove());

const nowhere = { MUR_GITHUB_API_BASE: 'http://127.0.0.1:9' };
const install = (...args: string[]): Promise<Ran> => sandbox.install(['--no-precompile', ...args], nowhere);
const put = async (store: LocalStore, bytes: Uint8Array) => store.put(await describeArchive(bytes, 'test.zip'));
const lockText = (): string | undefined => {
  const path = join(sandbox.project, 'murmur.lock');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};
const lockPins = (): string[] =>
  (readLock(sandbox.project)?.artifacts ?? []).map(({ name, resolvedVersion }) => `${name}@${resolvedVersion}`);
const stored = async (store: LocalStore): Promise<string[]> =>
  (await store.list()).map(({ meta }) => `${meta.name}@${meta.version}`);
const manifestOf = (...artifacts: readonly object[]): string =>
  rehearsal([{ say: 'Done.' }], {
    artifacts: [{ name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' }, ...artifacts],
  });
const pinned = (bytes: Uint8Array, name: string, version: string, more: Partial<PinRequest> = {}) =>
  updateLock(sandbox.project, (lock) =>
    pin(lock, { name, version, sha256: sha256Hex(bytes), origin: 'operator', ...more }),
  );

describe('mur install: what a ref may be (spec/cli.md section 7)', () => {
  test('a file is stored in the project and not pinned', async () => {
    sandbox.manifest(manifestOf());
    sandbox.write('project/dist/ledger-style-1.0.0.mur.zip', await skill('ledger-style', '1.0.0'));
    const path = join(project.root, 'ledger-style/1.0.0/ledger-style-1.0.0.mur.zip');
    const ran = await install('./dist/ledger-style-1.0.0.mur.zip');
    expect(ran).toMatchObject({ code: 0, stdout: `Installed ledger-style@1.0.0 -> ${path}\n`, stderr: '' });
    expect(existsSync(path)).toBe(true);
    expect(lockText()).toBeUndefined();
    expect(await install('dist/ledger-style-1.0.0.mur.zip')).toMatchObject({ code: 0 });
    expect(await install('./nothing.mur.zip')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error[E-IO-00'),
    });
  });

  test('name@version comes from the local registry, without a network, and is pinned', async () => {
    sandbox.manifest(manifestOf());
    const bytes = await skill('acme/ledger-style', '1.0.0');
    await put(global, bytes);
    const ran = await install('acme/ledger-style@1.0.0');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const folder = join(project.root, 'acme/ledger-style/1.0.0/');
    expect(ran.stdout).toContain(`Installed acme/ledger-style@1.0.0 -> ${folder}`);
    expect(await stored(project)).toEqual(['acme/ledger-style@1.0.0']);
    expect(readLock(sandbox.project)).toEqual({
      artifacts: [
        { name: 'acme/ledger-style', resolvedVersion: '1.0.0', sha256: { any: sha256Hex(bytes) }, origin: 'operator' },
      ],
    });
  });

  test('-g stores for every project, also outside of one, and pins nothing', async () => {
    const file = sandbox.write('project/ledger-style-1.0.0.mur.zip', await skill('ledger-style', '1.0.0'));
    expect(await install('-g', file)).toMatchObject({ code: 0 });
    expect(await stored(global)).toEqual(['ledger-style@1.0.0']);
    expect(readdirSync(sandbox.project)).toEqual(['ledger-style-1.0.0.mur.zip']);
    const ran = await install('ledger-style@1.0.0');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /^error\[E-IO-001\]: no project root found \(no murmur\.yaml in current or parent directories\)\n {2}hint: .*-g/,
    );
  });

  test('without a ref everything declared is installed, in order; what mur ships is not', async () => {
    sandbox.manifest(
      manifestOf({ name: 'beta-skill', version: '2.0.0', runtime: 'skill' }, { name: 'acme-files', version: '1.0.0' }),
    );
    await put(global, await skill('beta-skill', '2.0.0'));
    await put(global, await toolZip('acme-files', '1.0.0'));
    const ran = await install();
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout.split('\n').map((line) => line.replace(/ -> .*/, ''))).toEqual([
      'mur-driver-rehearsal@0.1.0 is part of mur, nothing to install',
      'Installed beta-skill@2.0.0',
      'Installed acme-files@1.0.0',
      '',
    ]);
    expect(lockPins()).toEqual(['acme-files@1.0.0', 'beta-skill@2.0.0']);
    const before = lockText();
    rmSync(global.root, { recursive: true });
    expect(await install()).toMatchObject({ code: 0, stdout: ran.stdout });
    expect(lockText()).toBe(before);
  });

  test('a manifest that declares nothing to install says so', async () => {
    sandbox.manifest('name: a\nversion: "1"\n');
    expect(await install()).toMatchObject({ code: 0, stdout: 'No artifacts in manifest.\n', stderr: '' });
  });

  test('a bare name is the latest release, a release is each of its archives, all platforms go to the home', async () => {
    sandbox.manifest(manifestOf());
    sandbox.write('home/.murmur/config.yaml', acmeConfig);
    const variants = ['linux-x86_64', 'linux-aarch64'];
    const assets = await Promise.all(
      variants.map(async (platform) => ({
        name: `counter-2.0.0-${platform}.mur.zip`,
        bytes: await native('counter', '2.0.0', platform),
      })),
    );
    const style = { name: 'ledger-style-1.1.0.mur.zip', bytes: await skill('ledger-style', '1.1.0') };
    const server = await serveReleases({ '1.0.0': [style], 'v2.0.0': [...assets, style] });
    const run = (...args: string[]) => sandbox.install(args, { MUR_GITHUB_API_BASE: server.url });

    expect(await run('ledger-style')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Installed ledger-style@1\.1\.0 from .*acme\/tools/),
    });
    expect(lockPins()).toEqual(['ledger-style@1.1.0']);

    expect(await run('github:acme/tools@v2.0.0')).toMatchObject({ code: 0 });
    const [, counter] =
      readLock(sandbox.project)
        ?.artifacts.map(({ sha256 }) => sha256)
        .reverse() ?? [];
    expect(counter).toEqual({
      platforms: Object.fromEntries(variants.map((platform, at) => [platform, sha256Hex(assets[at]!.bytes)])),
    });

    expect(await run('--all-platforms', 'counter@2.0.0')).toMatchObject({ code: 0 });
    expect(await stored(global)).toEqual(['counter@2.0.0', 'counter@2.0.0']);
    expect(await run('--all-platforms', 'counter')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--all-platforms' needs name@version"),
    });
  });

  test('--registry <url> asks that registry, and the sources when it has no such artifact', async () => {
    sandbox.manifest(manifestOf());
    sandbox.write('home/.murmur/config.yaml', acmeConfig);
    const bytes = await skill('ledger-style', '1.0.0');
    const registry = await serve((request, response) => {
      if (request.url?.startsWith('/v1/artifacts/ledger-style/1.0.0') !== true) {
        response.writeHead(404).end('{"error": "no"}');
        return;
      }
      response
        .writeHead(200, { 'x-murmur-sha256': sha256Hex(bytes), 'content-length': String(bytes.length) })
        .end(bytes);
    });
    const other = { name: 'other-1.0.0.mur.zip', bytes: await skill('other', '1.0.0') };
    const github = await serveReleases({ '1.0.0': [other] });
    const env = { MUR_GITHUB_API_BASE: github.url, NEXUS_API_KEY: 'k' };
    const run = (ref: string) => sandbox.install(['--registry', registry.url, ref], env);
    expect(await run('ledger-style@1.0.0')).toMatchObject({ code: 0, stdout: expect.stringContaining(' -> ') });
    expect(await run('other@1.0.0')).toMatchObject({ code: 0, stdout: expect.stringContaining(' from ') });
    const missing = await run('nothing@1.0.0');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('error[E-REG-001]') });
    expect(missing.stderr).toContain(`${registry.url} - no such artifact`);
    expect(lockPins()).toEqual(['ledger-style@1.0.0', 'other@1.0.0']);
  });

  test.each([
    ['nexus:a@1', "'nexus:' is not a source"],
    ['github:acme/tools', 'expected github:<owner>/<repo>@<tag>'],
    ['Big@1', "'Big' is not an artifact name"],
    ['a@', "'' is not a version"],
    ['a@../b', "'../b' is not a version"],
    ['a@latest', "'latest' is not a version"],
  ])('%s is refused by name', async (ref, text) => {
    sandbox.manifest(manifestOf());
    const ran = await install(ref);
    expect(ran.stderr).toContain(`error[E-IO-003]: cannot install '${ref}': ${text}`);
    expect(ran.code).toBe(1);
  });

  test('--json is one line', async () => {
    sandbox.manifest(manifestOf({ name: 'beta-skill', version: '2.0.0', runtime: 'skill' }));
    const bytes = await skill('beta-skill', '2.0.0');
    await put(global, bytes);
    const ran = await install('--json');
    expect(JSON.parse(ran.stdout)).toEqual({
      installed: [
        {
          name: 'beta-skill',
          version: '2.0.0',
          platform: null,
          sha256: sha256Hex(bytes),
          from: join(global.root, 'beta-skill/2.0.0/beta-skill-2.0.0.mur.zip'),
          path: join(project.root, 'beta-skill/2.0.0/beta-skill-2.0.0.mur.zip'),
          pinned: true,
          adopted_from: null,
          replaced: null,
        },
      ],
      shipped: ['mur-driver-rehearsal@0.1.0'],
      failed: [],
    });
  });
});

describe('mur install: the lock', () => {
  test('a conflict is E-REG-005, and nothing is written', async () => {
    sandbox.manifest(manifestOf());
    await put(global, await skill('ledger-style', '1.0.0', 1_000));
    await put(global, await skill('ledger-style', '1.1.0'));
    await pinned(await skill('ledger-style', '1.0.0'), 'ledger-style', '1.0.0');
    const before = lockText();
    for (const version of ['1.0.0', '1.1.0']) {
      const ran = await install(`ledger-style@${version}`);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^error\[E-REG-005\]: murmur\.lock pins .*\n {2}hint: .*remove the entry/);
    }
    expect(lockText()).toBe(before);
    expect(existsSync(join(sandbox.project, '.murmur'))).toBe(false);
  });

  test('a file of other bytes than the lock pins is refused too, and those it pins go in', async () => {
    sandbox.manifest(manifestOf());
    const first = await skill('ledger-style', '1.0.0');
    await pinned(first, 'ledger-style', '1.0.0');
    sandbox.write('project/changed.mur.zip', await skill('ledger-style', '1.0.0', 1_000));
    const ran = await install('./changed.mur.zip');
    expect(ran.stderr).toMatch(
      /^error\[E-REG-005\]: murmur\.lock pins .*\n {2}hint: .*: mur install --repin \.\/changed\.mur\.zip replaces the pin\n$/,
    );
    expect(existsSync(join(sandbox.project, '.murmur'))).toBe(false);
    sandbox.write('project/same.mur.zip', first);
    expect(await install('./same.mur.zip')).toMatchObject({ code: 0 });
  });

  test('--repin replaces the pin of a changed file, says what it was, and leaves every other pin', async () => {
    sandbox.manifest(manifestOf());
    const [before, after] = [await skill('ledger-style', '1.0.0'), await skill('ledger-style', '1.0.0', 1_000)];
    await pinned(before, 'ledger-style', '1.0.0');
    const other = { version: '2.0.0', sha256: 'f'.repeat(64), origin: 'operator' as const };
    await updateLock(sandbox.project, (lock) => pin(lock, { name: 'other', ...other }));
    sandbox.write('project/changed.mur.zip', after);
    const ran = await install('--repin', './changed.mur.zip');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain(
      `Replaced the pin of ledger-style in murmur.lock\n  was 1.0.0 any ${sha256Hex(before)}\n  is  1.0.0 any ${sha256Hex(after)}\n`,
    );
    expect(readLock(sandbox.project)?.artifacts).toMatchObject([
      { name: 'ledger-style', sha256: { any: sha256Hex(after) }, origin: 'operator' },
      { name: 'other', sha256: { any: other.sha256 } },
    ]);
    // Nothing to replace now, and what is in no lock is still not pinned.
    const again = JSON.parse((await install('--repin', './changed.mur.zip', '--json')).stdout);
    expect(again.installed).toMatchObject([{ pinned: false, replaced: null }]);
    sandbox.write('project/new.mur.zip', await skill('beta-skill', '2.0.0'));
    expect((await install('--repin', './new.mur.zip')).code).toBe(0);
    expect(lockText()).not.toContain('beta-skill');
  });

  test('--repin takes another version of a file, and never the pin of a pull', async () => {
    sandbox.manifest(manifestOf());
    const bytes = await skill('ledger-style', '1.0.0');
    await pinned(bytes, 'ledger-style', '1.0.0', { origin: 'runtime', session: 'ses_1' });
    sandbox.write('project/next.mur.zip', await skill('ledger-style', '1.1.0'));
    const before = lockText();
    const refused = await install('--repin', './next.mur.zip');
    expect([refused.code, lockText()]).toEqual([1, before]);
    expect(refused.stderr).toMatch(/^error\[E-REG-005\]: .*\n {2}hint: .*remove the entry/);
    expect(existsSync(join(sandbox.project, '.murmur'))).toBe(false);

    await updateLock(sandbox.project, () => ({ artifacts: [] }));
    await pinned(bytes, 'ledger-style', '1.0.0');
    expect(JSON.parse((await install('--repin', './next.mur.zip', '--json')).stdout).installed).toMatchObject([
      { version: '1.1.0', pinned: true, replaced: { version: '1.0.0', sha256: { any: sha256Hex(bytes) } } },
    ]);
    expect(readLock(sandbox.project)?.artifacts).toMatchObject([{ resolvedVersion: '1.1.0' }]);
  });

  test('--repin is refused for all but a file, and with -g', async () => {
    sandbox.manifest(manifestOf());
    for (const ref of [[], ['ledger-style@1.0.0'], ['ledger-style']]) {
      const ran = await install('--repin', ...ref);
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('--repin needs a file to install')]);
    }
    expect((await install('--repin', '-g', './x.mur.zip')).code).toBe(2);
  });

  test('a lock that cannot be used stops everything before anything is asked', async () => {
    sandbox.manifest(manifestOf());
    sandbox.write('project/murmur.lock', 'lock_version: 1\n');
    await put(global, await skill('ledger-style', '1.0.0'));
    const ran = await install('ledger-style@1.0.0');
    expect(ran.stderr).toContain('error[E-RUN-003]: invalid murmur.lock: unsupported lock_version 1 (expected 2)');
    expect(ran.stderr).toContain('hint: delete murmur.lock and run mur install');
    expect(existsSync(join(sandbox.project, '.murmur'))).toBe(false);
  });

  test('what a session pulled is adopted', async () => {
    sandbox.manifest(manifestOf());
    const bytes = await skill('ledger-style', '1.0.0');
    await put(global, bytes);
    await pinned(bytes, 'ledger-style', '1.0.0', { origin: 'runtime', session: 'ses_1' });
    expect((await install('ledger-style@1.0.0')).stdout).toContain(
      'Adopted ledger-style@1.0.0 as operator-declared (it was pulled at runtime by session ses_1)\n',
    );
    expect(readLock(sandbox.project)?.artifacts).toMatchObject([{ origin: 'operator' }]);
  });

  test('a damaged copy, or one that is not what the lock pins, is replaced by the pinned one', async () => {
    sandbox.manifest(manifestOf());
    const bytes = await skill('ledger-style', '1.0.0');
    await put(global, bytes);
    await pinned(bytes, 'ledger-style', '1.0.0');
    await put(project, await skill('ledger-style', '1.0.0', 1_000));
    expect(await install('ledger-style@1.0.0')).toMatchObject({ code: 0 });
    const { path } = (await project.list())[0]!;
    expect(sha256Hex(readFileSync(path))).toBe(sha256Hex(bytes));
    writeFileSync(path, 'damaged');
    expect(await install('ledger-style@1.0.0')).toMatchObject({ code: 0 });
    expect(sha256Hex(readFileSync(path))).toBe(sha256Hex(bytes));
    rmSync(global.root, { recursive: true });
    writeFileSync(path, 'damaged');
    expect(await install('ledger-style@1.0.0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('E-REG-002'),
    });
  });

  test('a copy without its description gets one again', async () => {
    sandbox.manifest(manifestOf());
    const bytes = await skill('ledger-style', '1.0.0');
    const { path } = await put(project, bytes);
    const meta = path.replace(/\.mur\.zip$/, '.meta.json');
    const before = readFileSync(meta, 'utf8');
    rmSync(meta);
    expect(await install('ledger-style@1.0.0')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(meta, 'utf8')).toBe(before);
  });

  test('failures of a project are listed whole; what succeeded stays stored and pinned', async () => {
    sandbox.manifest(
      manifestOf(
        { name: 'good-skill', version: '1.0.0', runtime: 'skill' },
        { name: 'absent-skill', version: '1.0.0', runtime: 'skill' },
      ),
    );
    sandbox.write('home/.murmur/config.yaml', acmeConfig);
    await put(global, await skill('good-skill', '1.0.0'));
    const server = await serveReleases({});
    const ran = await sandbox.install([], { MUR_GITHUB_API_BASE: server.url });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('Installed good-skill@1.0.0 -> ');
    expect(ran.stderr).toMatch(
      /^\n1 of 3 artifact\(s\) failed to install:\n {2}absent-skill@1\.0\.0\n {4}error\[E-REG-001\]: .*\n(?: {4}.*\n)+installed good-skill@1\.0\.0\n$/,
    );
    expect(lockPins()).toEqual(['good-skill@1.0.0']);
    expect(await stored(project)).toEqual(['good-skill@1.0.0']);
  });

  test('two processes at once leave a whole lock with both entries and whole stores', async () => {
    sandbox.manifest(manifestOf());
    for (const name of ['a-skill', 'b-skill']) await put(global, await skill(name, '1.0.0'));
    // test/soak/lock.test.ts does it for a minute.
    for (let round = 0; round < 2; round += 1) {
      rmSync(project.root, { recursive: true, force: true });
      rmSync(join(sandbox.project, 'murmur.lock'), { force: true });
      const ran = await Promise.all(['a-skill@1.0.0', 'b-skill@1.0.0', 'a-skill@1.0.0'].map((ref) => install(ref)));
      expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
      expect(lockPins()).toEqual(['a-skill@1.0.0', 'b-skill@1.0.0']);
      expect(await stored(project)).toEqual(['a-skill@1.0.0', 'b-skill@1.0.0']);
      expect(await project.problems()).toEqual([]);
    }
    expect(readdirSync(sandbox.project).sort()).toEqual(['.murmur', 'murmur.lock', 'murmur.yaml']);
  });
});

describe('mur install: kill -9', () => {
  test('at every step the lock is the one before or after, the store whole, and the next install mends it', async () => {
    sandbox.manifest(manifestOf());
    const bytes = await skill('b-skill', '1.0.0');
    await put(global, bytes);
    const a = await skill('a-skill', '1.0.0');
    await pinned(a, 'a-skill', '1.0.0');
    const before = lockText()!;
    const die = resolve(import.meta.dirname, '../fixtures/install/die.mjs');
    const counted = join(sandbox.root, 'count');
    const env = { ...nowhere, NODE_OPTIONS: `--import ${die}`, MUR_TEST_BELOW: sandbox.project };
    const ref = ['--no-precompile', 'b-skill@1.0.0'];
    expect(await sandbox.install(ref, { ...env, MUR_TEST_COUNT: counted })).toMatchObject({ code: 0 });
    const steps = Number(readFileSync(counted, 'utf8'));
    const after = lockText()!;
    expect(steps).toBeGreaterThan(20);
    const target = (): InstallTarget => new InstallTarget(project, sandbox.project);
    for (let step = 1; step <= steps; step += 1) {
      rmSync(project.root, { recursive: true });
      writeFileSync(join(sandbox.project, 'murmur.lock'), before);
      const { signal, stderr } = await sandbox.install(ref, { ...env, MUR_TEST_DIE_AT: String(step) });
      expect([signal, stderr]).toEqual(['SIGKILL', '']);
      const left = lockText();
      expect([before, after]).toContain(left);
      const found = await project.find('b-skill', '1.0.0', hostPlatform());
      if (left === after) expect(found?.sha256).toBe(sha256Hex(bytes));
      else expect([undefined, sha256Hex(bytes)]).toContain(found?.sha256);
      await target().install({ artifact: await describeArchive(bytes, 'b.zip'), from: 'test', isFromSource: false });
      expect(lockText()).toBe(after);
      expect(await project.problems()).toEqual([]);
      expect(readdirSync(sandbox.project).sort()).toEqual(['.murmur', 'murmur.lock', 'murmur.yaml']);
    }
  }, 300_000);
});

describe('mur install: compiling', () => {
  test('components are compiled at once, so that mur precompile finds them', async () => {
    sandbox.manifest(manifestOf());
    const file = sandbox.write('project/acme-files-1.0.0.mur.zip', await toolZip('acme-files', '1.0.0'));
    const compiled = join(sandbox.home, '.murmur', 'compiled');
    rmSync(compiled, { recursive: true, force: true });
    expect(await install(file)).toMatchObject({ code: 0 });
    expect(existsSync(compiled)).toBe(false);
    expect(await sandbox.install([file])).toMatchObject({ code: 0 });
    expect(readdirSync(compiled)).toHaveLength(1);
    expect(await sandbox.run(['precompile', file])).toMatchObject({
      code: 0,
      stdout: 'already stored  acme-files@1.0.0\n',
    });
  });
});

describe('mur precompile (spec/cli.md section 8)', () => {
  test('each archive gets its outcome; one that fails makes it 1', async () => {
    const tool = sandbox.write('project/acme-files-1.0.0.mur.zip', await toolZip('acme-files', '1.0.0'));
    const style = sandbox.write('project/ledger-style-1.0.0.mur.zip', await skill('ledger-style', '1.0.0'));
    const broken = sandbox.write('project/broken.mur.zip', 'no zip');
    rmSync(join(sandbox.home, '.murmur', 'compiled'), { recursive: true, force: true });
    expect(await sandbox.run(['precompile', tool, style])).toMatchObject({
      code: 0,
      stdout: 'compiled        acme-files@1.0.0\nnot wasm        ledger-style@1.0.0\n',
      stderr: '',
    });
    const ran = await sandbox.run(['precompile', '--json', tool, style, broken]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('error[E-IO-003]');
    expect(JSON.parse(ran.stdout)).toEqual({
      mur_version: expect.any(String),
      decompression_ceiling: 524_288_000,
      artifacts: [
        { path: tool, name: 'acme-files', version: '1.0.0', outcome: 'already_stored' },
        { path: style, name: 'ledger-style', version: '1.0.0', outcome: 'not_wasm' },
        { path: broken, name: null, version: null, outcome: 'failed' },
      ],
    });
    expect(existsSync(join(sandbox.project, 'murmur.lock'))).toBe(false);
    expect(await stored(global)).toEqual([]);
  });

  test('a work folder around the murmur home is refused as a run would; no archive is wrong usage', async () => {
    const tool = sandbox.write('project/acme-files-1.0.0.mur.zip', await toolZip('acme-files', '1.0.0'));
    expect(await sandbox.run(['precompile', '--workdir', sandbox.home, tool])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error[E-RUN-908]'),
    });
    expect(await sandbox.run(['precompile'])).toMatchObject({ code: 2 });
  });
});

describe('mur list (spec/cli.md section 9)', () => {
  test('the project, else the home; both with --all; as a table or as JSON', async () => {
    sandbox.manifest(manifestOf());
    expect(await sandbox.run(['list'])).toMatchObject({ code: 0, stdout: 'No artifacts found.\n', stderr: '' });
    expect(await sandbox.run(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
    await put(project, await toolZip('acme-files', '1.0.0'));
    for (const platform of ['linux-x86_64', 'linux-aarch64'])
      await put(global, await native('counter', '2.0.0', platform));
    await put(global, await skill('ledger-style', '1.0.0'));
    expect((await sandbox.run(['list'])).stdout).toBe(
      'NAME        VERSION  RUNTIME  PLATFORMS\nacme-files  1.0.0    wasm     —\n',
    );
    expect((await sandbox.run(['list', '-g'])).stdout).toBe(
      [
        'NAME          VERSION  RUNTIME  PLATFORMS',
        'counter       2.0.0    native   linux-aarch64, linux-x86_64',
        'ledger-style  1.0.0    static   —',
        '',
      ].join('\n'),
    );
    expect((await sandbox.run(['list', '--all'])).stdout).toBe(
      [
        'SCOPE    NAME          VERSION  RUNTIME  PLATFORMS',
        'project  acme-files    1.0.0    wasm     —',
        'global   counter       2.0.0    native   linux-aarch64, linux-x86_64',
        'global   ledger-style  1.0.0    static   —',
        '',
      ].join('\n'),
    );
    expect(await sandbox.run(['list', '--all', '-g'])).toMatchObject({ code: 2 });
    const listed = JSON.parse((await sandbox.run(['list', '--json'])).stdout) as object[];
    expect(listed).toMatchObject([
      { scope: 'project', name: 'acme-files', runtime: 'wasm', artifact_runtime: 'tool', platforms: [] },
    ]);
  });

  test('--contract keeps what speaks an interface, and names it', async () => {
    await put(global, await toolZip('acme-files', '1.0.0'));
    await put(global, await skill('ledger-style', '1.0.0'));
    const ran = await sandbox.run(['list', '--contract', 'murmur:tool/run']);
    expect(ran.stdout).toBe(
      [
        'NAME        VERSION  RUNTIME  PLATFORMS  CONTRACTS',
        'acme-files  1.0.0    wasm     —          murmur:tool/run@0.1.0',
        '',
      ].join('\n'),
    );
    expect((await sandbox.run(['list', '--contract', 'murmur:hook'])).stdout).toBe('No artifacts found.\n');
  });

  test('what cannot be used is told of on stderr', async () => {
    const { path } = await put(global, await skill('ledger-style', '1.0.0'));
    rmSync(path);
    const ran = await sandbox.run(['list', '-g']);
    expect(ran).toMatchObject({ code: 0, stdout: 'No artifacts found.\n' });
    expect(ran.stderr).toMatch(/^warning: .*ledger-style/);
  });

  test('a store that is a file is an error, and a store full of other files gives a screen of warnings', async () => {
    const root = join(sandbox.home, '.murmur', 'artifacts');
    sandbox.write('home/.murmur/artifacts', 'x');
    expect(await sandbox.run(['list', '-g'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`error[E-IO-003]: failed to read the artifact store ${root}: not a directory`),
    });
    rmSync(root);
    for (let n = 0; n < 30; n += 1) sandbox.write(`home/.murmur/artifacts/${'x'.repeat(200)}${n}`, '');
    const { stderr } = await sandbox.run(['list', '-g']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(21);
    expect(stderr).toContain('warning: 10 more in ');
  });
});
