import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  describeArchive,
  hostPlatform,
  nativePlatformOf,
  packagingOf,
  parseArtifactManifest,
} from '../../src/artifacts/index.js';
import { checkPlatform } from '../../src/artifacts/platform.js';
import { isMurError } from '../../src/errors/index.js';
import { sha256Hex } from '../../src/text/index.js';
import { buildZip, manifest } from '../fixtures/zip/build.js';
import { archiveOf, artifactOf, component, nativeOf, program } from './packed.js';

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isMurError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('the description of an archive', () => {
  test('says what its manifest, its bytes and its component say', async () => {
    const wasm = readFileSync(
      fileURLToPath(new URL('../../artifacts/mur-tool-files/mur-tool-files.wasm', import.meta.url)),
    );
    const bytes = await archiveOf({ manifest: 'description: Files.\ntags: [a, b]\n', files: { 'capsule.wasm': wasm } });
    const { meta, sha256, platform } = await describeArchive(bytes, 'x');
    expect(sha256).toBe(sha256Hex(bytes));
    expect(platform).toBeUndefined();
    expect(meta).toMatchObject({
      name: 'csv',
      version: '1.0.0',
      runtime: 'wasm',
      artifactRuntime: 'tool',
      platforms: [],
      description: 'Files.',
      tags: ['a', 'b'],
    });
    expect(meta.exports).toEqual(['murmur:tool/run@0.1.0']);
    expect(meta.imports.length).toBeGreaterThan(0);
    for (const name of meta.imports) expect(name).toMatch(/^(wasi|murmur):[a-z-]+\/[a-z-]+@\d/);
  });

  test('takes the summary where there is no description', async () => {
    expect((await artifactOf({ manifest: 'summary: short\n' })).meta.description).toBe('short');
  });

  test('of a skill needs skill.md at its root', async () => {
    expect((await artifactOf({ runtime: 'skill' })).meta).toMatchObject({
      runtime: 'static',
      artifactRuntime: 'skill',
    });
    expect(await refusal(artifactOf({ runtime: 'skill', files: { 'x/skill.md': '' } }))).toBe(
      'E-IO-003 failed to read artifact archive test archive: artifact missing required file skill.md',
    );
  });

  test.each([
    ['no component', { 'a.txt': '' }, 'missing root .wasm file (expected capsule.wasm or one root *.wasm)'],
    [
      'a component in a folder',
      { 'x/a.wasm': component },
      'missing root .wasm file (expected capsule.wasm or one root *.wasm)',
    ],
    [
      'several components',
      { 'b.wasm': component, 'a.wasm': component },
      'multiple root .wasm files found: a.wasm, b.wasm',
    ],
  ])('is refused with %s', async (_, files, reason) => {
    expect(await refusal(artifactOf({ files }))).toBe(`E-IO-003 artifact 'csv@1.0.0' in test archive: ${reason}`);
  });

  test('is refused for what is no component', async () => {
    expect(await refusal(artifactOf({ files: { 'a.wasm': 'not wasm' } }))).toMatch(
      /^E-RUN-001 artifact "csv" is not a usable/,
    );
  });

  test('of a capsule may be without a component', async () => {
    expect((await artifactOf({ runtime: 'capsule', files: {} })).meta).toMatchObject({ runtime: 'wasm', exports: [] });
    expect((await artifactOf({ runtime: 'capsule' })).meta.artifactRuntime).toBe('capsule');
    expect(await refusal(artifactOf({ runtime: 'capsule', files: { 'x/a.wasm': component } }))).toMatch(/missing root/);
  });

  test('is refused when any file of it is damaged, not only its payload', async () => {
    const zip = buildZip([manifest, { name: 'a.wasm', content: component }, { name: 'x', content: 'x', crc32: 1 }]);
    expect(await refusal(describeArchive(zip, 'p'))).toMatch(/zip entry 'x' is damaged: its checksum does not fit/);
  });

  test('is refused for a manifest that is none', async () => {
    const zip = (content: string | Uint8Array): Buffer => buildZip([{ name: 'murmur.yaml', content }]);
    expect(await refusal(describeArchive(zip('name: [\n'), 'p'))).toMatch(/^E-MAN-002 murmur\.yaml of p: /);
    expect(await refusal(describeArchive(zip('name: a\nruntime: tool\n'), 'p'))).toMatch(/^E-MAN-001 .*'version'/);
    expect(await refusal(describeArchive(zip(Buffer.from([0xff])), 'p'))).toMatch(/'murmur.yaml' is not valid UTF-8$/);
  });

  test('takes the version of its release where it has none', async () => {
    const zip = buildZip([{ name: 'murmur.yaml', content: 'name: a\nruntime: capsule\n' }]);
    expect((await describeArchive(zip, 'p', { fallbackVersion: '2.0' })).meta.version).toBe('2.0');
    expect((await describeArchive(await archiveOf(), 'p', { fallbackVersion: '2.0' })).meta.version).toBe('1.0.0');
  });
});

describe('a file name', () => {
  test.each([
    ['csv-1.0.0.mur.zip', undefined],
    ['/a/b/csv-1.0.0.mur.zip', undefined],
    ['csv-1.0.0-linux-x86_64.mur.zip', undefined],
    ['out.mur.zip', undefined],
    ['my-own-name.mur.zip', undefined],
    ['https://example.com/csv-2.0.0', undefined],
    ['csv-2.0.0.mur.zip', "the file name says 'csv-2.0.0', but its murmur.yaml says 'csv@1.0.0'"],
    ['tsv-1.0.0.mur.zip', "the file name says 'tsv-1.0.0', but its murmur.yaml says 'csv@1.0.0'"],
    ['tsv-v1.0-darwin-aarch64.mur.zip', "the file name says 'tsv-v1.0', but its murmur.yaml says 'csv@1.0.0'"],
  ])('like %s is compared with the manifest', async (place, problem) => {
    const expected =
      problem === undefined ? 'accepted' : `E-IO-003 failed to read artifact archive ${place}: ${problem}`;
    expect(await refusal(describeArchive(await archiveOf(), place))).toBe(expected);
  });
});

describe('a native artifact', () => {
  test.each(['linux-x86_64', 'linux-aarch64', 'darwin-x86_64', 'darwin-aarch64'] as const)(
    'for %s is told by its program',
    async (platform) => {
      const { meta, platform: found } = await nativeOf(platform);
      expect(found).toBe(platform);
      expect(meta).toMatchObject({ runtime: 'native', artifactRuntime: 'tool', platforms: [platform.split('-')] });
      expect(nativePlatformOf(program[platform])).toBe(platform);
    },
  );

  test('under a scope has the program of its last name', async () => {
    expect((await nativeOf('linux-x86_64', { name: 'acme/csv' })).platform).toBe('linux-x86_64');
  });

  test('without its program is refused, and told where it must be', async () => {
    expect(await refusal(artifactOf({ manifest: 'implementation: native\n', files: { 'bin/other': 'x' } }))).toMatch(
      /artifact missing required file bin\/csv$/,
    );
  });

  test('for another platform than asked, or than its file name says, is refused', async () => {
    const { bytes } = await nativeOf('linux-aarch64');
    expect(await refusal(describeArchive(bytes, 'p', { platform: 'linux-x86_64' }))).toBe(
      "E-RUN-021 native artifact 'csv@1.0.0' was built for linux-aarch64, not for linux-x86_64",
    );
    expect(await refusal(describeArchive(bytes, 'csv-1.0.0-darwin-aarch64.mur.zip'))).toMatch(
      /not for darwin-aarch64$/,
    );
    expect((await describeArchive(bytes, 'p', { platform: 'linux-aarch64' })).platform).toBe('linux-aarch64');
  });

  test('for every Mac is for the one asked', async () => {
    const files = { 'bin/csv': program.darwin };
    const bytes = await archiveOf({ manifest: 'implementation: native\n', files });
    const described = await describeArchive(bytes, 'p', { platform: 'darwin-x86_64' });
    expect(described.platform).toBe('darwin-x86_64');
    expect(described.meta.platforms).toEqual([
      ['darwin', 'x86_64'],
      ['darwin', 'aarch64'],
    ]);
    expect(await refusal(describeArchive(bytes, 'p', { platform: 'linux-x86_64' }))).toMatch(
      /^E-RUN-021 .*for darwin, not/,
    );
  });

  test('of no known format is for this host unless its file name says otherwise', async () => {
    const bytes = await archiveOf({ manifest: 'implementation: native\n', files: { 'bin/csv': '#!/bin/sh\n' } });
    expect((await describeArchive(bytes, 'p')).platform).toBe(hostPlatform());
    expect((await describeArchive(bytes, 'csv-1.0.0-darwin-x86_64.mur.zip')).platform).toBe('darwin-x86_64');
  });

  test.each([
    ['an empty file', []],
    ['a script', [...Buffer.from('#!/bin/sh\nexec something')]],
    ['a 32-bit ELF', [...program['linux-x86_64']].map((byte, at) => (at === 4 ? 1 : byte))],
    ['an ELF of another machine', [...program['linux-x86_64']].map((byte, at) => (at === 18 ? 0xf3 : byte))],
    ['a Mach-O of another machine', [...program['darwin-x86_64']].map((byte, at) => (at === 4 ? 0x12 : byte))],
    ['a 32-bit Mach-O', [...program['darwin-x86_64']].map((byte, at) => (at === 0 ? 0xce : byte))],
  ])('%s says nothing of its platform', (_, bytes) => expect(nativePlatformOf(Uint8Array.from(bytes))).toBeUndefined());

  test('a big-endian ELF is read in its own order', () => {
    const bytes = Buffer.from(program['linux-aarch64']);
    bytes[5] = 2;
    bytes.writeUInt16BE(0xb7, 18);
    expect(nativePlatformOf(bytes)).toBe('linux-aarch64');
  });

  test('on a host that is none of ours is let through', () => {
    expect(() => checkPlatform('a@1', 'linux-x86_64', 'unknown')).not.toThrow();
    expect(() => checkPlatform('a@1', undefined, 'linux-x86_64')).not.toThrow();
    expect(() => checkPlatform('a@1', 'darwin', 'darwin-x86_64')).not.toThrow();
  });
});

describe('the packaging type', () => {
  const typeOf = (lines: string): string => packagingOf(parseArtifactManifest(`name: a\nversion: "1"\n${lines}`, 'm'));
  test.each([
    ['runtime: tool', 'wasm'],
    ['runtime: tool\nimplementation: native', 'native'],
    ['runtime: tool\nimplementation: anything', 'wasm'],
    ['runtime: driver\nimplementation: native', 'wasm'],
    ['runtime: skill', 'static'],
    ['runtime: skill\nexecution: wasm', 'wasm'],
    ['runtime: tool\nexecution: NATIVE', 'native'],
    ['runtime: own-word\nexecution: Static', 'static'],
  ])('of %j is %s', (lines, type) => expect(typeOf(lines)).toBe(type));

  test('of no known word is refused', () => {
    expect(() => typeOf('runtime: tool\nexecution: jar')).toThrow(
      "m: field 'execution' has invalid value 'jar' (expected one of: wasm, native, static)",
    );
  });

  test.each([
    ['runtime: skill', ['skill.md']],
    ['runtime: tool', []],
    ['runtime: skill\nrequires_files: []', []],
    ['runtime: tool\nrequires_files: [a, b/c]', ['a', 'b/c']],
  ])('%j requires %j', (lines, files) => {
    expect(parseArtifactManifest(`name: a\nversion: "1"\n${lines}\n`, 'm').requiresFiles).toEqual(files);
  });
});
