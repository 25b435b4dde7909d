import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  embeddedStore,
  hostPlatform,
  type ResolvedArtifact,
  readCapsuleComponent,
  resolveArtifacts,
  selectRootWasm,
} from '../../src/artifacts/index.js';
import { isMurError } from '../../src/errors/index.js';
import { capsule, parse } from '../manifest/support.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-artifacts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(path: string, content: string | Uint8Array = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const resolve = (entries: string, root?: string): Promise<ResolvedArtifact[]> =>
  resolveArtifacts(parse(capsule(`artifacts: [${entries}]`)).artifacts, {
    manifestDir: folder,
    ...(root === undefined ? {} : { stores: [embeddedStore(root)] }),
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

const wasm = new Uint8Array([0, 97, 115, 109, 13, 0, 1, 0]);
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('artifacts this package ships', () => {
  test('are found by name and version, in declaration order', async () => {
    const resolved = await resolve(
      '{ name: mur-tool-files, version: 0.1.0 }, { name: mur-skill-report, version: 0.1.0, runtime: skill }, { name: mur-driver-rehearsal, version: 0.1.0, runtime: driver }',
    );
    expect(
      resolved.map(({ name, role, from, implementation, origin }) => [name, role, from, implementation, origin]),
    ).toEqual([
      ['mur-tool-files', 'tool', 'embedded', 'wasm', 'operator'],
      ['mur-skill-report', 'skill', 'embedded', 'wasm', 'operator'],
      ['mur-driver-rehearsal', 'driver', 'embedded', 'wasm', 'operator'],
    ]);
    const [files, report, rehearsal] = resolved;
    expect(files!.payload.kind === 'wasm' && sha256(files!.payload.bytes)).toBe(files!.sha256);
    expect(files!.manifest.inputSchema).toMatchObject({ type: 'object', required: ['action'] });
    expect(files!.manifestText).toContain('name: mur-tool-files');
    expect(report!.payload.kind).toBe('skill');
    expect(rehearsal!.manifest.models?.get('rehearsal')).toEqual({ maxOutputTokens: 8192, contextWindow: 200_000 });
  });

  test('that are missing are named together, with what is there instead', async () => {
    const work = resolve(
      '{ name: nobody, version: 2.0 }, { name: mur-tool-files, version: 9.9.9 }, { name: acme/x, version: 1 }',
    );
    await expect(work).rejects.toMatchObject({
      code: 'E-RUN-008',
      message: 'missing artifacts: nobody@2.0, mur-tool-files@9.9.9, acme/x@1',
      hint: 'mur install nobody@2.0 && mur install mur-tool-files@9.9.9 && mur install acme/x@1; found instead: mur-tool-files@0.1.0',
    });
  });

  test('are never found through a path', async () => {
    file('artifacts/a/murmur.yaml', 'name: a\nversion: 1\nruntime: tool\n');
    const store = embeddedStore(join(folder, 'artifacts'));
    expect(await store.find('a', '1', 'any')).toBeDefined();
    for (const name of ['../artifacts/a', 'a/', './a', '']) expect(await store.find(name, '1', 'any')).toBeUndefined();
  });

  test.each([
    [
      'without a component',
      [],
      "E-IO-003 artifact 'a@1' in <dir>/s/a: missing root .wasm file (expected capsule.wasm or one root *.wasm)",
    ],
    [
      'with two components',
      ['b.wasm', 'a.wasm'],
      "E-IO-003 artifact 'a@1' in <dir>/s/a: multiple root .wasm files found: a.wasm, b.wasm",
    ],
  ])('%s are refused', async (_, names, expected) => {
    file('s/a/murmur.yaml', 'name: a\nversion: 1\nruntime: tool\n');
    for (const name of names) file(`s/a/${name}`, wasm);
    expect(await refusal(resolve('{ name: a, version: 1 }', join(folder, 's')))).toBe(expected);
  });
});

describe('a local source', () => {
  const skill = '{ name: s, runtime: skill, source: ./s }';

  test('that is a file is the skill itself', async () => {
    file('s', '# How to');
    const [artifact] = await resolve(skill);
    expect(artifact).toMatchObject({
      role: 'skill',
      version: 'local',
      from: 'source',
      origin: 'operator',
      sha256: sha256('# How to'),
      manifestText: 'name: s\nversion: local\nruntime: skill\n',
      payload: { kind: 'skill', text: '# How to' },
    });
  });

  test.each(['skill.md', 'SKILL.MD', 'Skill.md'])('that is a folder with %s is a skill', async (name) => {
    file(`s/${name}`, 'text');
    expect((await resolve(skill))[0]!.payload).toEqual({ kind: 'skill', text: 'text' });
  });

  test('is described by its own manifest when that says skill', async () => {
    file('s/skill.md', 'text');
    file('s/murmur.yaml', 'name: s\nversion: 3\nruntime: skill\ndescription: Knows.\n');
    expect((await resolve(skill))[0]!.manifest.description).toBe('Knows.');
  });

  test('of a capsule folder is still a skill', async () => {
    file('s/skill.md', 'text');
    file('s/murmur.yaml', capsule());
    expect((await resolve(skill))[0]!.role).toBe('skill');
  });

  test('stays a skill when a tool entry points at one', async () => {
    file('s/skill.md', 'text');
    expect((await resolve('{ name: s, source: ./s, local_source: true }'))[0]!.role).toBe('skill');
  });

  test.each(['tool', 'driver'])('that is the project of a %s is staged as one', async (role) => {
    file('p/murmur.yaml', `name: p\nversion: 0.0.1\nruntime: ${role}\n`);
    file('p/p.wasm', wasm);
    const [artifact] = await resolve(`{ name: p, runtime: ${role}, source: ./p, local_source: true }`);
    expect(artifact).toMatchObject({
      role,
      version: 'local',
      from: 'source',
      payload: { kind: 'wasm', bytes: Buffer.from(wasm) },
    });
  });

  test.each([
    ['is not there', () => {}, skill, 'E-IO-001 skill source path not found: <dir>/s'],
    [
      'is an empty folder',
      () => mkdirSync(join(folder, 's')),
      skill,
      "E-IO-001 skill source directory '<dir>/s' contains no skill.md",
    ],
    [
      'is not UTF-8',
      () => file('s', new Uint8Array([0xff])),
      skill,
      'E-IO-003 failed to read <dir>/s: not valid UTF-8',
    ],
    [
      'has skill.md as a folder',
      () => file('s/skill.md/x'),
      skill,
      "E-IO-001 skill source directory '<dir>/s' contains no skill.md",
    ],
    [
      'is a project of another role',
      () => file('s/murmur.yaml', 'name: s\nversion: 1\nruntime: driver\n'),
      '{ name: s, source: ./s, local_source: true }',
      "E-MAN-003 murmur.yaml: invalid artifact declaration at index 0: artifact 's' has 'runtime: tool' but <dir>/s/murmur.yaml says 'runtime: driver'",
    ],
    [
      'is a native tool without its program',
      () => file('s/murmur.yaml', 'name: s\nversion: 1\nruntime: tool\nimplementation: native\n'),
      '{ name: s, source: ./s, local_source: true }',
      "E-IO-001 native tool 's' has no program at <dir>/s/bin/s",
    ],
    [
      'holds nothing a tool needs',
      () => mkdirSync(join(folder, 's')),
      '{ name: s, source: ./s, local_source: true }',
      "E-IO-001 source directory '<dir>/s' of artifact 's' holds neither skill.md nor a murmur.yaml with runtime: tool",
    ],
    [
      'is a broken link',
      () => symlinkSync('nowhere', join(folder, 's')),
      skill,
      'E-IO-001 skill source path not found: <dir>/s',
    ],
  ])('that %s is refused', async (_, make, entry, expected) => {
    make();
    expect(await refusal(resolve(entry))).toBe(expected);
  });

  test('that is a FIFO is refused, and does not hang', async () => {
    execFileSync('mkfifo', [join(folder, 's')]);
    expect(await refusal(resolve(skill))).toBe('E-IO-003 failed to read <dir>/s: not a regular file');
  });

  test('that fails is reported before artifacts that are missing after it', async () => {
    expect(await refusal(resolve(`${skill}, { name: nobody, version: 1 }`))).toMatch(/^E-IO-001 /);
    expect(await refusal(resolve(`{ name: nobody, version: 1 }, ${skill}`))).toMatch(/^E-IO-001 /);
  });
});

describe('the root component', () => {
  test.each([
    [[], { kind: 'none' }],
    [['x/a.wasm', '/a.wasm', 'a.txt'], { kind: 'none' }],
    [['a.wasm', 'murmur.yaml'], { kind: 'one', name: 'a.wasm' }],
    [['z.wasm', 'capsule.wasm', 'a.wasm'], { kind: 'one', name: 'capsule.wasm' }],
    [['z.wasm', 'a.wasm'], { kind: 'several', names: ['a.wasm', 'z.wasm'] }],
  ])('of %j is %j', (names, expected) => expect(selectRootWasm(names)).toEqual(expected));

  test('of a script capsule is read, or refused by name', async () => {
    expect(await refusal(Promise.resolve().then(() => readCapsuleComponent(folder)))).toBe(
      'E-RUN-004 no capsule component found in <dir> (expected capsule.wasm or exactly one root *.wasm)',
    );
    file('b.wasm', wasm);
    expect(readCapsuleComponent(folder)).toEqual({ path: join(folder, 'b.wasm'), bytes: Buffer.from(wasm) });
    file('a.wasm', wasm);
    expect(await refusal(Promise.resolve().then(() => readCapsuleComponent(folder)))).toBe(
      'E-RUN-004 multiple root *.wasm files found in <dir>: a.wasm, b.wasm (set capsule.wasm explicitly)',
    );
    file('capsule.wasm', wasm);
    expect(readCapsuleComponent(folder).path).toBe(join(folder, 'capsule.wasm'));
  });
});

test.each([
  ['linux', 'x64', 'linux-x86_64'],
  ['linux', 'arm64', 'linux-aarch64'],
  ['darwin', 'arm64', 'darwin-aarch64'],
  ['win32', 'x64', 'unknown'],
  ['linux', 'riscv64', 'unknown'],
])('the platform of %s on %s is %s', (platform, arch, expected) => expect(hostPlatform(platform, arch)).toBe(expected));
