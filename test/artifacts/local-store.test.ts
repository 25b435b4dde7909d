import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalStore, localStore, type PackedArtifact } from '../../src/artifacts/index.js';
import { isMurError } from '../../src/errors/index.js';
import { artifactOf, nativeOf } from './packed.js';

let folder = '';
let root = '';
let store: LocalStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-store-'));
  root = join(folder, '.murmur', 'artifacts');
  store = localStore('project', root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const host = 'linux-x86_64';
const files = (path = root): string[] => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message.replaceAll(root, '<root>')}`;
    throw error;
  }
  return 'accepted';
}

describe('what is stored', () => {
  test('lies at its name and version, as archive, hash and description', async () => {
    const artifact = await artifactOf({ manifest: 'description: Merges.\ntags: [data]\n' });
    const { path } = await store.put(artifact);
    expect(path).toBe(join(root, 'csv/1.0.0/csv-1.0.0.mur.zip'));
    expect(files()).toEqual([
      'csv',
      'csv/1.0.0',
      'csv/1.0.0/csv-1.0.0.meta.json',
      'csv/1.0.0/csv-1.0.0.mur.zip',
      'csv/1.0.0/csv-1.0.0.sha256',
    ]);
    expect(readFileSync(path)).toEqual(Buffer.from(artifact.bytes));
    expect(readFileSync(join(root, 'csv/1.0.0/csv-1.0.0.sha256'), 'utf8').trim()).toBe(artifact.sha256);
    expect(JSON.parse(readFileSync(join(root, 'csv/1.0.0/csv-1.0.0.meta.json'), 'utf8'))).toEqual({
      meta: {
        name: 'csv',
        version: '1.0.0',
        runtime: 'wasm',
        artifact_runtime: 'tool',
        platforms: [],
        description: 'Merges.',
        tags: ['data'],
        imports: [],
        exports: [],
      },
    });
  });

  test('is found by name and version, and read', async () => {
    const artifact = await artifactOf();
    await store.put(artifact);
    const stored = await store.find('csv', '1.0.0', host);
    expect(stored).toMatchObject({
      from: 'project',
      place: join(root, 'csv/1.0.0/csv-1.0.0.mur.zip'),
      names: ['murmur.yaml', 'tool.wasm'],
      sha256: artifact.sha256,
    });
    expect(stored).not.toHaveProperty('platform');
    expect(Buffer.from(await stored!.read('murmur.yaml')).toString()).toContain('name: csv');
    expect(await store.find('csv', '1.0.1', host)).toBeUndefined();
    expect(await store.find('other', '1.0.0', host)).toBeUndefined();
  });

  test('under a scope lies in the folder of the scope', async () => {
    const { path } = await store.put(await artifactOf({ name: 'acme/csv' }));
    expect(path).toBe(join(root, 'acme/csv/1.0.0/csv-1.0.0.mur.zip'));
    await store.put(await artifactOf({ name: 'acme', version: 'csv' }));
    expect((await store.list()).map(({ meta }) => [meta.name, meta.version])).toEqual([
      ['acme', 'csv'],
      ['acme/csv', '1.0.0'],
    ]);
    expect((await store.find('acme/csv', '1.0.0', host))?.sha256).toBeDefined();
    expect(await store.versions('acme/csv')).toEqual(['1.0.0']);
    expect(await store.names()).toEqual(['acme', 'acme/csv']);
    expect(await store.problems()).toEqual([]);
  });

  test('is listed by name, version, packaging type and platform', async () => {
    await store.put(await artifactOf({ name: 'z' }));
    await store.put(await artifactOf({ name: 'a', version: '2.0.0', runtime: 'skill' }));
    await store.put(await artifactOf({ name: 'a', version: '1.0.0' }));
    await store.put(await nativeOf('linux-x86_64', { name: 'm' }));
    await store.put(await nativeOf('darwin-aarch64', { name: 'm' }));
    expect((await store.list()).map(({ meta, platform }) => [meta.name, meta.version, meta.runtime, platform])).toEqual(
      [
        ['a', '1.0.0', 'wasm', undefined],
        ['a', '2.0.0', 'static', undefined],
        ['m', '1.0.0', 'native', 'darwin-aarch64'],
        ['m', '1.0.0', 'native', 'linux-x86_64'],
        ['z', '1.0.0', 'wasm', undefined],
      ],
    );
  });

  test('of a user is the user’s alone', async () => {
    const own = localStore('global', root);
    const { path } = await own.put(await artifactOf());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect((await own.find('csv', '1.0.0', host))?.from).toBe('global');
  });

  test('is nothing in a store that is not there', async () => {
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toEqual([]);
    expect(await store.versions('csv')).toEqual([]);
    expect(await store.find('csv', '1.0.0', host)).toBeUndefined();
    expect(existsSync(root)).toBe(false);
  });

  test.each(['../x', '.', 'a/b/c', 'A', '', '/etc', 'a\0b'])(
    'is never found or stored at the name %j',
    async (name) => {
      expect(await store.find(name, '1.0.0', host)).toBeUndefined();
      expect(await store.versions(name)).toEqual([]);
      const artifact = await artifactOf();
      expect(await refusal(store.put({ ...artifact, meta: { ...artifact.meta, name } }))).toMatch(/^E-BLD-001 /);
      expect(existsSync(root)).toBe(false);
    },
  );

  test.each(['../1', '.', '..', '', 'a/b', 'a\\b', 'a\nb'])(
    'is never found or stored at the version %j',
    async (version) => {
      expect(await store.find('csv', version, host)).toBeUndefined();
      const artifact = await artifactOf();
      expect(await refusal(store.put({ ...artifact, meta: { ...artifact.meta, version } }))).toMatch(/^E-MAN-003 /);
      expect(existsSync(root)).toBe(false);
    },
  );
});

describe('platforms', () => {
  test('of a native artifact have a set each, preferred over the one for all', async () => {
    const native = await nativeOf('linux-x86_64');
    const { platform: _, ...untagged } = native;
    await store.put(native);
    await store.put(await nativeOf('darwin-aarch64'));
    await store.put({ ...untagged, meta: { ...native.meta, tags: ['untagged'] } });
    const found = await store.find('csv', '1.0.0', host);
    expect(found).toMatchObject({
      platform: host,
      place: expect.stringMatching(/csv-1\.0\.0-linux-x86_64\.mur\.zip$/),
    });
    expect(found).not.toHaveProperty('warnings');
    expect((await store.find('csv', '1.0.0', 'darwin-aarch64'))?.platform).toBe('darwin-aarch64');
  });

  test('fall back to the set for all, with a warning for a native one', async () => {
    const { platform: _, ...untagged } = await nativeOf('linux-x86_64');
    await store.put(untagged);
    expect((await store.find('csv', '1.0.0', host))?.warnings).toEqual([
      {
        code: 'W-REG-001',
        message: expect.stringContaining("native artifact 'csv@1.0.0' is stored without a platform"),
      },
    ]);
    await store.put(await artifactOf({ name: 'plain' }));
    expect(await store.find('plain', '1.0.0', host)).not.toHaveProperty('warnings');
  });

  test('without a whole set fall back too', async () => {
    const native = await nativeOf('linux-x86_64');
    const { platform: _, ...untagged } = native;
    await store.put(native);
    await store.put(untagged);
    unlinkSync(join(root, 'csv/1.0.0/csv-1.0.0-linux-x86_64.sha256'));
    expect(await store.find('csv', '1.0.0', host)).not.toHaveProperty('platform');
  });
});

describe('publishing', () => {
  test('refuses what exists, and leaves it', async () => {
    const first = await artifactOf();
    await store.publish(first);
    const second = await artifactOf({ manifest: 'description: other\n' });
    expect(await refusal(store.publish(second))).toBe('E-REG-003 artifact csv@1.0.0 already exists in registry <root>');
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(first.sha256);
    expect(files().filter((name) => name.includes('/.'))).toEqual([]);
  });

  test('refuses also where only a part of it lies', async () => {
    mkdirSync(join(root, 'csv/1.0.0'), { recursive: true });
    writeFileSync(join(root, 'csv/1.0.0/csv-1.0.0.mur.zip'), 'torn');
    expect(await refusal(store.publish(await artifactOf()))).toMatch(/^E-REG-003 /);
  });

  test('adds platforms to a version', async () => {
    await store.publish(await nativeOf('linux-x86_64'));
    await store.publish(await nativeOf('linux-aarch64'));
    expect(await refusal(store.publish(await nativeOf('linux-aarch64')))).toMatch(/^E-REG-003 /);
    expect((await store.list()).map(({ platform }) => platform)).toEqual(['linux-aarch64', 'linux-x86_64']);
  });

  test('that another one overtakes at the last moment gives way', async () => {
    const first = await artifactOf();
    const late = overtaken('commit', async (other) => other.publish(first));
    expect(await refusal(late.publish(await artifactOf({ manifest: 'description: late\n' })))).toMatch(/^E-REG-003 /);
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(first.sha256);
    expect(files()).toHaveLength(5);
  });

  test('by several processes at once lets exactly one through', async () => {
    const artifacts = await Promise.all(
      ['a', 'b', 'c', 'd'].map((word) => artifactOf({ manifest: `summary: ${word}\n` })),
    );
    const said = await Promise.all(artifacts.map((artifact) => spoken(writer('publish', artifact))));
    expect(said.flat().sort()).toEqual(['E-REG-003', 'E-REG-003', 'E-REG-003', 'written']);
    await expectWhole(artifacts);
  });
});

describe('installing', () => {
  test('replaces what is there', async () => {
    await store.put(await artifactOf());
    const second = await artifactOf({ manifest: 'description: other\n' });
    await store.put(second);
    const stored = await store.find('csv', '1.0.0', host);
    expect(stored?.sha256).toBe(second.sha256);
    expect((await store.list()).map(({ meta }) => meta.description)).toEqual(['other']);
    expect(files()).toHaveLength(5);
  });

  const steps = [
    'make',
    'write .meta.json',
    'write .mur.zip',
    'write .sha256',
    'keep',
    'commit',
    'move .meta.json',
    'move .mur.zip',
    'move .sha256',
    'clean',
  ];

  test.each(steps)('that fails at %s puts back what was there, and leaves nothing', async (step) => {
    const failing = localStore('project', root, {
      onStep: (name) => {
        if (name === step) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      },
    });
    const before = await artifactOf();
    await store.put(before);
    expect(await refusal(failing.put(await artifactOf({ manifest: 'description: other\n' })))).toMatch(
      /^E-IO-003 cannot store an artifact in .*: disk full$/,
    );
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(before.sha256);
    expect((await store.list())[0]?.meta).toEqual(before.meta);
    expect(files()).toHaveLength(5);
    // Where nothing was, nothing is.
    expect(await refusal(failing.put(await artifactOf({ name: 'fresh' })))).toMatch(/^E-IO-003 /);
    expect(await store.find('fresh', '1.0.0', host)).toBeUndefined();
    expect(files().filter((name) => name.startsWith('fresh'))).toEqual([]);
  });

  test('of a version longer than a file name allows makes no folder', async () => {
    const artifact = await artifactOf();
    for (const [version, platform] of [
      ['1'.repeat(129), undefined],
      ['1'.repeat(128), `${'a'.repeat(32)}-${'b'.repeat(100)}`],
    ] as const) {
      const long = {
        ...artifact,
        meta: { ...artifact.meta, version },
        ...(platform === undefined ? {} : { platform }),
      };
      const refused = await refusal(store.put(long));
      expect(refused).toMatch(/^E-MAN-003 invalid version '1{60}\.\.\.' of artifact 'csv': it/);
      expect(existsSync(root)).toBe(false);
    }
  });

  test('of the longest name, version and platform fits', async () => {
    const name = `${'s'.repeat(100)}/${'n'.repeat(100)}`;
    const artifact = await artifactOf();
    const long = { ...artifact, meta: { ...artifact.meta, name, version: '1'.repeat(128) }, platform: 'linux-aarch64' };
    expect(await refusal(store.put(long))).toBe('accepted');
  });

  test('that fails beside another version takes away its own folder only', async () => {
    await store.put(await artifactOf());
    const failing = localStore('project', root, {
      onStep: () => {
        throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      },
    });
    expect(await refusal(failing.put(await artifactOf({ version: '2.0.0' })))).toMatch(/^E-IO-003 /);
    expect(readdirSync(join(root, 'csv'))).toEqual(['1.0.0']);
  });

  test.each(steps)('killed at %s leaves the old set or the new one, and the next one works', async (step) => {
    const before = await artifactOf();
    const after = await artifactOf({ manifest: 'description: other\n' });
    const isNew = steps.indexOf(step) > steps.indexOf('commit');
    await store.put(before);
    const child = writer('put', after, step);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const expected = isNew ? after : before;
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(expected.sha256);
    expect((await store.list())[0]?.meta).toEqual(expected.meta);
    const third = await artifactOf({ manifest: 'description: third\n' });
    await store.put(third);
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(third.sha256);
    expect(files()).toHaveLength(5);
  });

  test.each(steps)('killed at %s where nothing was leaves nothing or the whole', async (step) => {
    const artifact = await artifactOf();
    for (const verb of ['put', 'publish'] as const) {
      rmSync(root, { recursive: true, force: true });
      const child = writer(verb, artifact, step);
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      const isThere = steps.indexOf(step) > steps.indexOf('commit');
      expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(isThere ? artifact.sha256 : undefined);
      expect(await store.list()).toHaveLength(isThere ? 1 : 0);
      expect(await refusal(store.publish(artifact))).toMatch(isThere ? /^E-REG-003 / : /^accepted$/);
      expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(artifact.sha256);
      expect(files()).toHaveLength(5);
    }
  });

  test('finishes first what another writer has not finished', async () => {
    const artifact = await artifactOf();
    const third = await artifactOf({ manifest: 'description: third\n' });
    const late = overtaken('commit', async () => leaveUnfinished('replace', third));
    await late.put(artifact);
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(artifact.sha256);
    expect(files()).toHaveLength(5);
  });

  test('gives up when others write all the time', async () => {
    const artifact = await artifactOf();
    const busy = localStore('project', root, {
      onStep: (name) => name === 'commit' && leaveUnfinished('replace', artifact),
    });
    expect(await refusal(busy.put(artifact))).toBe(
      'E-IO-003 other processes keep writing csv-1.0.0 in <root>/csv/1.0.0',
    );
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(artifact.sha256);
  });

  test('does not mind who moves its files and clears up', async () => {
    const helped = localStore('project', root, {
      onStep: (name) => {
        if (name === 'move .mur.zip' || name === 'clean') rmSync(pending('new'), { recursive: true, force: true });
      },
    });
    const artifact = await artifactOf();
    const other = overtaken('move .meta.json', async (helper) => helper.put(artifact));
    await other.put(artifact);
    await helped.put(artifact);
    expect(files()).toHaveLength(5);
  });

  test('clears up after a publisher that was killed when all was in place', async () => {
    const artifact = await artifactOf();
    await store.publish(artifact);
    leaveUnfinished('new', await artifactOf({ manifest: 'description: void\n' }));
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(artifact.sha256);
    await store.put(artifact);
    expect(files()).toHaveLength(5);
  });

  test('by processes at once leaves a whole set, and readers see whole sets all the time', async () => {
    const artifacts = await Promise.all(['a', 'b', 'c'].map((word) => artifactOf({ manifest: `summary: ${word}\n` })));
    await store.put(artifacts[0]!);
    const children = artifacts.map((artifact) => writer('put', artifact, '', 40));
    const said = children.map(spoken);
    let seen = 0;
    let isDone = false;
    const all = Promise.all(said).then((lines) => {
      isDone = true;
      return lines.flat();
    });
    while (!isDone) {
      await expectWhole(artifacts);
      seen += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toBeGreaterThan(10);
    expect(new Set(await all)).toEqual(new Set(['written']));
    await expectWhole(artifacts);
    expect(files()).toHaveLength(5);
  });
});

describe('what is damaged', () => {
  const file = (name: string): string => join(root, 'csv/1.0.0', `csv-1.0.0${name}`);
  beforeEach(async () => void (await store.put(await artifactOf())));

  test('an empty hash is an error', async () => {
    writeFileSync(file('.sha256'), ' \n');
    expect(await refusal(store.find('csv', '1.0.0', host))).toBe(
      'E-IO-003 <root>/csv/1.0.0/csv-1.0.0.sha256 is empty, so the bytes of csv@1.0.0 cannot be checked',
    );
  });

  test('a hash is trimmed, and its letters may be large', async () => {
    const sha256 = readFileSync(file('.sha256'), 'utf8').trim();
    writeFileSync(file('.sha256'), `\n  ${sha256.toUpperCase()}\r\n`);
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBe(sha256);
  });

  test('other bytes are refused before anything of them is read', async () => {
    writeFileSync(file('.mur.zip'), 'not even a zip');
    expect(await refusal(store.find('csv', '1.0.0', host))).toMatch(
      /^E-REG-002 artifact integrity check failed for csv@1\.0\.0: .*csv-1\.0\.0\.mur\.zip has sha256 [0-9a-f]{64}, recorded is [0-9a-f]{64}$/,
    );
  });

  test('an archive without a hash, or a hash without an archive, is not there', async () => {
    unlinkSync(file('.sha256'));
    expect(await store.find('csv', '1.0.0', host)).toBeUndefined();
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toEqual([{ path: file('.mur.zip'), reason: 'its .sha256 file is missing' }]);
    await store.put(await artifactOf());
    unlinkSync(file('.mur.zip'));
    expect(await store.find('csv', '1.0.0', host)).toBeUndefined();
    expect(await store.problems()).toEqual([{ path: dirname(file('')), reason: 'it holds no artifact' }]);
  });

  test.each([
    ['missing', undefined],
    ['no JSON', '{'],
    ['null', 'null'],
    ['of no shape', '{"meta": 3}'],
    ['of another artifact', '{"meta":{"name":"x","version":"1.0.0","runtime":"wasm"}}'],
    ['of no known packaging', '{"meta":{"name":"csv","version":"1.0.0","runtime":"jar"}}'],
  ])('a description that is %s is stood in for', async (_, text) => {
    if (text === undefined) unlinkSync(file('.meta.json'));
    else writeFileSync(file('.meta.json'), text);
    expect((await store.find('csv', '1.0.0', host))?.sha256).toBeDefined();
    expect((await store.list())[0]?.meta).toEqual({
      name: 'csv',
      version: '1.0.0',
      runtime: 'wasm',
      artifactRuntime: '',
      platforms: [],
      tags: [],
      imports: [],
      exports: [],
    });
    expect((await store.problems()).map(({ reason }) => reason)).toEqual([
      'its .meta.json file is missing or is not about it',
    ]);
  });

  test('a description of an older writer lacks what came later', async () => {
    const meta = {
      name: 'csv',
      version: '1.0.0',
      runtime: 'native',
      platforms: [['linux', 'x86_64'], 3, ['a']],
      tags: ['x', 1],
    };
    writeFileSync(file('.meta.json'), JSON.stringify({ meta }));
    expect((await store.list())[0]?.meta).toMatchObject({
      runtime: 'native',
      artifactRuntime: '',
      platforms: [['linux', 'x86_64']],
      tags: ['x'],
      exports: [],
    });
  });

  test('links are refused and reported, and lead nowhere', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(join(outside, '1.0.0'), { recursive: true });
    for (const name of ['.mur.zip', '.sha256', '.meta.json']) {
      writeFileSync(join(outside, '1.0.0', `csv-1.0.0${name}`), readFileSync(file(name)));
    }
    rmSync(join(root, 'csv'), { recursive: true });
    symlinkSync(outside, join(root, 'csv'));
    expect(await refusal(store.find('csv', '1.0.0', host))).toBe(
      'E-IO-003 the artifact store cannot be used: <root>/csv is a link',
    );
    expect(await refusal(store.put(await artifactOf()))).toMatch(/<root>\/csv is a link$/);
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toEqual([{ path: join(root, 'csv'), reason: 'it is a link' }]);
    expect(files(outside)).toHaveLength(4);
  });

  test.each(['.mur.zip', '.sha256', '.meta.json'])(
    'a link in place of %s is refused and never written through',
    async (name) => {
      const outside = join(folder, 'outside');
      writeFileSync(outside, readFileSync(file(name)));
      unlinkSync(file(name));
      symlinkSync(outside, file(name));
      expect(await refusal(store.find('csv', '1.0.0', host))).toBe(
        `E-IO-003 failed to read <root>/csv/1.0.0/csv-1.0.0${name}: it is a link`,
      );
      expect((await store.problems()).map(({ reason }) => reason)).toContain('it is a link');
      expect(await refusal(store.put(await artifactOf({ manifest: 'description: other\n' })))).toMatch(
        /is no regular file$/,
      );
      expect(existsSync(outside)).toBe(true);
    },
  );

  test('a link in place of a writer’s folder is refused', async () => {
    symlinkSync(folder, join(root, 'csv/1.0.0/.csv-1.0.0.replace'));
    expect(await refusal(store.find('csv', '1.0.0', host))).toMatch(/is a link$/);
    expect(await refusal(store.put(await artifactOf()))).toMatch(/is a link$/);
    expect((await store.problems())[0]?.reason).toMatch(/is a link$/);
  });

  test('foreign files and folders are reported, and do not hide the rest', async () => {
    writeFileSync(join(root, 'README'), 'x');
    mkdirSync(join(root, 'empty', 'below'), { recursive: true });
    mkdirSync(join(root, 'Not A Name', '1'), { recursive: true });
    writeFileSync(join(root, 'csv/1.0.0/other.txt'), 'x');
    symlinkSync('nowhere', join(root, 'csv/1.0.0/link'));
    expect(await store.list()).toHaveLength(1);
    expect(
      (await store.problems()).map(({ path, reason }) => `${path.slice(root.length + 1)}: ${reason}`).sort(),
    ).toEqual([
      'Not A Name/1: it holds no artifact',
      'README: it is no artifact folder',
      'csv/1.0.0/link: it is a link',
      'csv/1.0.0/other.txt: it is no file of this artifact',
      'empty/below: it holds no artifact',
    ]);
  });

  test('a folder in place of the archive is an error, not a set', async () => {
    unlinkSync(file('.mur.zip'));
    mkdirSync(file('.mur.zip'));
    expect(await refusal(store.find('csv', '1.0.0', host))).toMatch(/^E-IO-003 failed to read .*: is a directory$/);
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toContainEqual({ path: file('.mur.zip'), reason: 'it is a folder' });
  });

  test('a FIFO in place of the archive is not listed as one', async () => {
    unlinkSync(file('.mur.zip'));
    execFileSync('mkfifo', [file('.mur.zip')]);
    expect(await store.list()).toEqual([]);
    expect(await store.problems()).toContainEqual({ path: file('.mur.zip'), reason: 'it is no regular file' });
  });

  test('a file in place of a folder is refused', async () => {
    writeFileSync(join(root, 'other'), '');
    expect(await refusal(store.find('other', '1.0.0', host))).toBe(
      'E-IO-003 the artifact store cannot be used: <root>/other is no folder',
    );
  });

  test('a store that leads to itself is an error', async () => {
    const loop = join(folder, 'loop');
    symlinkSync(loop, loop);
    expect(await refusal(localStore('project', loop).list())).toMatch(/^E-IO-003 failed to read the artifact store /);
  });

  test('a store that is a file is an error', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const broken = localStore('project', path);
    expect(await refusal(broken.put(await artifactOf()))).toMatch(/^E-IO-003 /);
    expect(await refusal(broken.find('csv', '1.0.0', host))).toMatch(/^E-IO-003 failed to read .*: not a directory$/);
    expect(await refusal(broken.list())).toMatch(/^E-IO-003 failed to read the artifact store .*: not a directory$/);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be read is reported', async () => {
    chmodSync(join(root, 'csv'), 0);
    expect((await store.problems()).length).toBe(1);
    chmodSync(join(root, 'csv'), 0o755);
  });
});

function pending(mode: string): string {
  return join(root, 'csv/1.0.0', `.csv-1.0.0.${mode}`);
}

/** What a writer leaves that was killed right after its set began to count. */
function leaveUnfinished(mode: 'replace' | 'new', artifact: PackedArtifact): void {
  mkdirSync(pending(mode), { recursive: true });
  writeFileSync(join(pending(mode), 'csv-1.0.0.mur.zip'), artifact.bytes);
  writeFileSync(join(pending(mode), 'csv-1.0.0.sha256'), artifact.sha256);
}

/** A store whose first write is held at `step` while `work` is done by another one. */
function overtaken(step: string, work: (other: LocalStore) => Promise<unknown>): LocalStore {
  let isFirst = true;
  return localStore('project', root, {
    onStep: (name) => {
      if (name !== step || !isFirst) return;
      isFirst = false;
      // Writing is synchronous up to its promise, so this is done when it returns.
      void work(localStore('project', root));
    },
  });
}

/** Whatever is stored is one of `artifacts`, with its own description. */
async function expectWhole(artifacts: readonly PackedArtifact[]): Promise<void> {
  const found = await store.find('csv', '1.0.0', host);
  expect(artifacts.map(({ sha256 }) => sha256)).toContain(found?.sha256);
}

function writer(verb: 'put' | 'publish', artifact: PackedArtifact, fatal = '', repeat = 1): ChildProcess {
  const script = fileURLToPath(new URL('../fixtures/store/write.mjs', import.meta.url));
  const json = JSON.stringify({ ...artifact, bytes: Buffer.from(artifact.bytes).toString('base64'), repeat });
  return spawn(process.execPath, [script, root, verb, json, fatal], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function spoken(child: ChildProcess): Promise<string[]> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text.split('\n').filter((line) => line !== '');
}
