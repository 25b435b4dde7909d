import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  artifactStores,
  findProjectRoot,
  hostPlatform,
  type LocalStore,
  localStore,
  projectStoreRoot,
  type ResolvedArtifact,
  resolveArtifacts,
} from '../../src/artifacts/index.js';
import { isMurError } from '../../src/errors/index.js';
import { capsule, parse } from '../manifest/support.js';
import { archiveOf, artifactOf, component, nativeOf, type program } from './packed.js';

let folder = '';
let project: LocalStore;
let global: LocalStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-stores-'));
  project = localStore('project', projectStoreRoot(join(folder, 'project')));
  global = localStore('global', join(folder, 'home', 'artifacts'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const resolve = (entries: string): Promise<ResolvedArtifact[]> =>
  resolveArtifacts(parse(capsule(`artifacts: [${entries}]`)).artifacts, {
    manifestDir: join(folder, 'project'),
    stores: artifactStores({ projectRoot: join(folder, 'project'), murmurHome: join(folder, 'home') }),
  });

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message.replaceAll(folder, '<dir>')}`;
    throw error;
  }
  return 'accepted';
}

const csv = '{ name: csv, version: 1.0.0 }';

describe('resolution', () => {
  test('asks the project, then the user, then what mur ships', async () => {
    const own = await artifactOf({ manifest: 'description: own\n' });
    const shared = await artifactOf({ manifest: 'description: shared\n' });
    await global.put(shared);
    expect(await resolve(csv)).toMatchObject([{ from: 'global', sha256: shared.sha256, version: '1.0.0' }]);
    await project.put(own);
    expect(await resolve(`${csv}, { name: mur-tool-files, version: 0.1.0 }`)).toMatchObject([
      { from: 'project', sha256: own.sha256, name: 'csv', implementation: 'wasm', origin: 'operator' },
      { from: 'embedded' },
    ]);
  });

  test('gives the payload and the manifest of the archive', async () => {
    await project.put(await artifactOf({ files: { 'other.txt': '', 'capsule.wasm': component, 'a.wasm': 'not it' } }));
    const [tool] = await resolve(csv);
    expect(tool!.payload).toEqual({ kind: 'wasm', bytes: Buffer.from(component) });
    expect(tool!.manifestText).toContain('name: csv');
    expect(tool).not.toHaveProperty('platform');
  });

  test('gives the text of a skill', async () => {
    await project.put(await artifactOf({ name: 'acme/how', runtime: 'skill' }));
    const [skill] = await resolve('{ name: acme/how, version: 1.0.0, runtime: skill }');
    expect(skill).toMatchObject({
      name: 'how',
      fullName: 'acme/how',
      role: 'skill',
      payload: { kind: 'skill', text: '# How' },
    });
  });

  test('of a scoped name accepts a manifest that leaves the scope out', async () => {
    const artifact = await artifactOf();
    await project.put({ ...artifact, meta: { ...artifact.meta, name: 'acme/csv' } });
    expect(await resolve('{ name: acme/csv, version: 1.0.0 }')).toMatchObject([{ fullName: 'acme/csv' }]);
  });

  test('goes on to the next store only when one does not have it', async () => {
    await project.put(await artifactOf());
    await global.put(await artifactOf());
    writeFileSync(join(project.root, 'csv/1.0.0/csv-1.0.0.mur.zip'), 'damaged');
    expect(await refusal(resolve(csv))).toMatch(/^E-REG-002 /);
  });

  test('names everything that is missing at once, with what is near', async () => {
    await project.put(await artifactOf({ version: '2.0.0' }));
    await global.put(await artifactOf({ name: 'acme/tsv', version: '3.0.0' }));
    const work = resolve(`${csv}, { name: acme/tsw, version: 1.0.0 }, { name: mur-tool-file, version: 0.1.0 }`);
    await expect(work).rejects.toMatchObject({
      code: 'E-RUN-008',
      message: 'missing artifacts: csv@1.0.0, acme/tsw@1.0.0, mur-tool-file@0.1.0',
      hint: 'mur install csv@1.0.0 && mur install acme/tsw@1.0.0 && mur install mur-tool-file@0.1.0; found instead: acme/tsv@3.0.0, csv@2.0.0, mur-tool-files@0.1.0',
    });
  });

  test('refuses another artifact than its folder says', async () => {
    const other = await artifactOf({ name: 'other' });
    await project.put({ ...other, meta: { ...other.meta, name: 'csv' } });
    expect(await refusal(resolve(csv))).toBe(
      "E-IO-003 artifact 'csv@1.0.0' in <dir>/project/.murmur/artifacts/csv/1.0.0/csv-1.0.0.mur.zip is another one: its murmur.yaml says 'other@1.0.0'",
    );
  });

  test.each([
    ['a skill', 'skill', { 'a.txt': '' }, 'artifact missing required file skill.md'],
    ['a tool', 'tool', { 'a.txt': '' }, 'missing root .wasm file (expected capsule.wasm or one root *.wasm)'],
  ])('refuses %s without its payload', async (_, runtime, files, reason) => {
    const artifact = await artifactOf();
    const bytes = await archiveOf({ runtime, files });
    const { sha256Hex } = await import('../../src/text/index.js');
    await project.put({ ...artifact, bytes, sha256: sha256Hex(bytes) });
    expect(await refusal(resolve(`{ name: csv, version: 1.0.0, runtime: ${runtime} }`))).toBe(
      `E-IO-003 artifact 'csv@1.0.0' in <dir>/project/.murmur/artifacts/csv/1.0.0/csv-1.0.0.mur.zip: ${reason}`,
    );
  });

  test('reports a broken archive by the artifact it is of', async () => {
    const artifact = await artifactOf();
    const bytes = Buffer.from('no zip');
    const { sha256Hex } = await import('../../src/text/index.js');
    await project.put({ ...artifact, bytes, sha256: sha256Hex(bytes) });
    expect(await refusal(resolve(csv))).toBe(
      'E-IO-003 failed to read artifact archive for csv@1.0.0: it is no zip file, or its end is cut off',
    );
  });
});

describe('native tools', () => {
  const host = hostPlatform() as keyof typeof program;
  const foreign = host === 'linux-x86_64' ? 'linux-aarch64' : 'linux-x86_64';

  test('of this host come with the bytes of their program', async () => {
    await project.put(await nativeOf(host));
    const [found] = await resolve(csv);
    expect(found).toMatchObject({ role: 'tool', implementation: 'native', platform: host });
    expect(found!.payload).toEqual({ kind: 'native', bytes: expect.objectContaining({ length: 64 }) });
  });

  test('are no drivers', async () => {
    await project.put(await nativeOf(host));
    expect(await refusal(resolve(csv.replace(' }', ', runtime: driver }')))).toBe(
      "E-RUN-029 artifact 'csv@1.0.0' is a native program, which cannot be a driver",
    );
  });

  test('of another host are refused by both platforms', async () => {
    const artifact = await nativeOf(foreign);
    const { platform: _, ...untagged } = artifact;
    await project.put(untagged);
    expect(await refusal(resolve(csv))).toBe(
      `E-RUN-021 native artifact 'csv@1.0.0' was built for ${foreign}, not for ${host}`,
    );
  });

  test('with variants for other hosts only are missing here', async () => {
    await project.put(await nativeOf(foreign));
    expect(await refusal(resolve(csv))).toMatch(/^E-RUN-008 /);
  });
});

describe('a project', () => {
  test('is the nearest folder with a murmur.yaml', () => {
    const inner = join(folder, 'a', 'b', 'c');
    mkdirSync(inner, { recursive: true });
    expect(findProjectRoot(inner)).toBeUndefined();
    writeFileSync(join(folder, 'murmur.yaml'), '');
    expect(findProjectRoot(inner)).toBe(folder);
    writeFileSync(join(folder, 'a', 'b', 'murmur.yaml'), '');
    expect(findProjectRoot(inner)).toBe(join(folder, 'a', 'b'));
    expect(findProjectRoot(join(folder, 'a', 'b'))).toBe(join(folder, 'a', 'b'));
  });

  test('is not needed: without one, and without a home, mur has what it ships', async () => {
    expect(artifactStores({})).toHaveLength(1);
    expect(await artifactStores({})[0]!.versions('mur-tool-files')).toEqual(['0.1.0']);
    const stored = await artifactStores({})[0]!.find('mur-tool-files', '0.1.0', 'any');
    expect(stored?.sha256).toMatch(/^[0-9a-f]{64}$/);
    await expect(stored?.read('nothing')).rejects.toMatchObject({ code: 'E-IO-003' });
    expect(await artifactStores({})[0]!.names()).toContain('mur-tool-files');
  });
});
