import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openArchive } from '../../src/artifacts/index.js';
import { type BuildWarning, type Built, buildArtifact } from '../../src/build/index.js';
import { artifactKeys, lintImports } from '../../src/build/lints.js';
import { isMurError } from '../../src/errors/index.js';
import { jsonSchemaOf } from '../../src/reference/index.js';
import { Project } from './guest.js';

/** The smallest component: its header. */
const wasm = Uint8Array.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]);

function manifest(requires: readonly string[], more = ''): string {
  return `name: thing\nversion: 1.0.0\nruntime: tool\nrequires_files: ${JSON.stringify(requires)}\n${more}`;
}

interface Outcome {
  readonly built?: Built;
  readonly warnings: readonly BuildWarning[];
  /** `CODE message`. */
  readonly refused?: string;
  /** What is left in the folder beside what was there. */
  readonly made: readonly string[];
  names(): Promise<readonly string[]>;
}

async function build(project: Project, output?: string): Promise<Outcome> {
  const before = project.names();
  const warnings: BuildWarning[] = [];
  const outcome = await buildArtifact({
    source: project.root,
    onWarning: (warning) => warnings.push(warning),
    ...(output === undefined ? {} : { output }),
  }).catch((error: unknown) => error);
  const made = project.names().filter((name) => !before.includes(name));
  const names = async () => (await openArchive(readFileSync((outcome as Built).path), 'built')).names;
  if (isMurError(outcome)) return { warnings, refused: `${outcome.code} ${outcome.message}`, made, names };
  if (outcome instanceof Error) throw outcome;
  return { built: outcome as Built, warnings, made, names };
}

async function tried(
  requires: readonly string[],
  files: Readonly<Record<string, string | Uint8Array>>,
  more = '',
): Promise<Outcome> {
  using project = new Project();
  project.write('murmur.yaml', manifest(requires, more));
  for (const [name, content] of Object.entries(files)) project.write(name, content);
  const outcome = await build(project);
  const names = outcome.built === undefined ? [] : await outcome.names();
  return { ...outcome, names: async () => names };
}

test('the manifest is always first, byte for byte, whatever else is declared', async () => {
  using project = new Project();
  project.write('murmur.yaml', `# kept\n${manifest(['a.txt', 'thing.wasm'])}`);
  project.write('a.txt', 'a');
  project.write('thing.wasm', wasm);
  const { built, names, made, warnings } = await build(project);
  expect(await names()).toEqual(['murmur.yaml', 'a.txt', 'thing.wasm']);
  expect(warnings).toEqual([]);
  expect(made).toEqual(['thing-1.0.0.mur.zip']);
  const archive = await openArchive(readFileSync(built?.path ?? ''), 'built');
  expect(Buffer.from(await archive.read('murmur.yaml')).toString()).toBe(
    `# kept\n${manifest(['a.txt', 'thing.wasm'])}`,
  );
});

test('the same files give the same archive, and building again replaces it', async () => {
  using project = new Project();
  project.write('murmur.yaml', manifest(['bin/run', 'thing.wasm']));
  project.write('bin/run', '#!/bin/sh\n');
  chmodSync(join(project.root, 'bin/run'), 0o755);
  project.write('thing.wasm', wasm);
  const first = (await build(project)).built?.sha256;
  await new Promise((done) => setTimeout(done, 5));
  project.write('thing.wasm', wasm);
  expect((await build(project)).built?.sha256).toBe(first);
});

test.each([
  [['/etc/passwd'], "E-BLD-002 requires_files entry '/etc/passwd' has an unsafe path: is an absolute path"],
  [['../x'], "E-BLD-002 requires_files entry '../x' has an unsafe path: contains a '..' component"],
  [['a/../../x'], "E-BLD-002 requires_files entry 'a/../../x' has an unsafe path: contains a '..' component"],
  [['..\\x'], "E-BLD-002 requires_files entry '..\\x' has an unsafe path: contains a '..' component"],
  [['C:\\x'], "E-BLD-002 requires_files entry 'C:\\x' has an unsafe path: is an absolute path"],
  [['folder'], "E-BLD-002 requires_files entry 'folder' has an unsafe path: is a folder; declare its files"],
  [['.'], "E-BLD-002 requires_files entry '.' has an unsafe path: is a folder; declare its files"],
])('%j is refused, and nothing is written', async (requires, expected) => {
  const { refused, made } = await tried(requires, { 'thing.wasm': wasm, 'folder/file.txt': 'x' });
  expect(refused).toBe(expected);
  expect(made).toEqual([]);
});

test('the first file that is missing is named', async () => {
  const { refused } = await tried(['a.txt', 'b.txt', 'c.txt'], { 'a.txt': '' });
  expect(refused).toMatch(/^E-IO-003 missing required file 'b\.txt' in \//);
  expect((await tried(['a.txt/b'], { 'a.txt': '' })).refused).toMatch(/^E-IO-003 missing required file 'a\.txt\/b'/);
});

test('a symlink is refused, at the end and on the way', async () => {
  using project = new Project();
  project.write('real/file.txt', 'x');
  symlinkSync('real/file.txt', join(project.root, 'link.txt'));
  symlinkSync('real', join(project.root, 'way'));
  for (const [declared, place] of [
    ['link.txt', 'link.txt'],
    ['way/file.txt', 'way'],
  ] as const) {
    project.write('murmur.yaml', manifest([declared]));
    const at = join(project.root, place);
    expect((await build(project)).refused).toBe(
      `E-BLD-002 requires_files entry '${declared}' is a symlink (${at}); declare the file it points to instead`,
    );
  }
});

test('one file declared twice packs once; two files of one archive name collide', async () => {
  const twice = await tried(['thing.wasm', './thing.wasm', 'a.txt', './/a.txt'], { 'thing.wasm': wasm, 'a.txt': '' });
  expect(await twice.names()).toEqual(['murmur.yaml', 'a.txt', 'thing.wasm']);
  expect(twice.warnings).toEqual([]);
  const collide = await tried(['d/x.txt', 'd\\x.txt'], { 'd/x.txt': '', 'd\\x.txt': '' });
  expect(collide.refused).toBe(
    "E-BLD-002 requires_files entries 'd/x.txt' and 'd\\x.txt' both pack as the archive entry 'd/x.txt'",
  );
});

test('the archive of an earlier build is not packed into the next', async () => {
  using project = new Project();
  project.write('murmur.yaml', manifest(['thing.wasm', 'thing-1.0.0.mur.zip']));
  project.write('thing.wasm', wasm);
  project.write('thing-1.0.0.mur.zip', 'old');
  expect(await (await build(project)).names()).toEqual(['murmur.yaml', 'thing.wasm']);
});

test('a WASM artifact needs one component at its root', async () => {
  expect((await tried([], {})).refused).toBe(
    'E-BLD-003 missing root .wasm file (expected capsule.wasm or one root *.wasm)',
  );
  expect((await tried(['in/thing.wasm'], { 'in/thing.wasm': wasm })).refused).toMatch(/^E-BLD-003 missing root/);
  expect((await tried(['b.wasm', 'a.wasm'], { 'a.wasm': wasm, 'b.wasm': wasm })).refused).toBe(
    'E-BLD-003 multiple root .wasm files found: a.wasm, b.wasm',
  );
  expect((await tried([], {}, 'execution: static\n')).refused).toBeUndefined();
});

test('W-BLD-001: a declaration that names what is packed at the root already', async () => {
  const { warnings } = await tried(['murmur.yaml', 'capsule.wasm', './capsule.wasm'], { 'capsule.wasm': wasm });
  expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
    "W-BLD-001 requires_files entry 'murmur.yaml' names a file that is packed at the root already",
    "W-BLD-001 requires_files entry './capsule.wasm' names a file that is packed at the root already",
  ]);
});

test('W-BLD-002: components beside capsule.wasm never run', async () => {
  const { warnings, built } = await tried(['b.wasm', 'capsule.wasm', 'a.wasm'], {
    'a.wasm': wasm,
    'b.wasm': wasm,
    'capsule.wasm': wasm,
  });
  expect(built).toBeDefined();
  expect(warnings).toEqual([
    { code: 'W-BLD-002', message: 'capsule.wasm is what runs; also packed and never run: a.wasm, b.wasm' },
  ]);
});

test('W-BLD-003: sources and build output, except in a static artifact', async () => {
  const files = { 'thing.wasm': wasm, 'Cargo.toml': '', 'src/lib.rs': '', 'target/x': '', 'notes.md': '' };
  const { warnings } = await tried(Object.keys(files), files);
  expect(warnings).toEqual([
    { code: 'W-BLD-003', message: 'packs sources or build output: Cargo.toml, src/lib.rs, target/x' },
  ]);
  expect((await tried(Object.keys(files), files, 'execution: static\n')).warnings).toEqual([]);
});

test('W-SEC-004 names the path of what reads like a secret, never its value', async () => {
  const secret = 'hunter2-hunter2';
  const { warnings } = await tried(
    ['thing.wasm'],
    { 'thing.wasm': wasm },
    [
      `gateway: { api_key: ${secret}, API_KEY_2: "\${OK}" }`,
      `nested: [{ My_Token: [${secret}] }, { password: short, secret: sk-1 }]`,
      'models: { m: { max_output_tokens: 8192, context_window: 1 } }',
      'token_note: { text: a long text of no danger }',
      '',
    ].join('\n'),
  );
  expect(warnings.map(({ code }) => code)).toEqual(['W-SEC-004', 'W-SEC-004', 'W-SEC-004']);
  expect(warnings.map(({ message }) => /'([^']*)'/.exec(message)?.[1])).toEqual([
    'gateway.api_key',
    'nested[0].My_Token[0]',
    'nested[1].secret',
  ]);
  expect(JSON.stringify(warnings)).not.toContain(secret);
});

test.each([
  ['name: Bad_Name\nversion: 1.0.0\nruntime: skill\n', /^E-BLD-001 invalid artifact name 'Bad_Name': expected/],
  [
    'name: a\nversion: 1.0.0\nruntime: driver\ninference_auth: { header: x }\n',
    /^E-BLD-004 murmur\.yaml: field 'inference_auth' was renamed to 'upstream_auth'/,
  ],
  ['name: a\nruntime: tool\n', /^E-MAN-001 .*'version'/],
  ['name: [\n', /^E-MAN-002 murmur\.yaml: YAML syntax error at line/],
  ['name: a\nversion: 1.0.0\nruntime: tool\nexecution: fast\n', /^E-MAN-003 .*one of: wasm, native, static/],
  [
    'name: a\nversion: 1.0.0\nruntime: tool\nbuild: src/main.ts\n',
    /^E-MAN-003 murmur\.yaml: field 'build' has invalid type \(expected mapping/,
  ],
  ['name: a\nversion: 1.0.0\nruntime: tool\nbuild: { raw: true }\n', /^E-MAN-003 .*'build\.source'/],
  ['name: a\nversion: 1.0.0\nruntime: tool\nbuild: { source: x.ts, raw: 1 }\n', /^E-MAN-003 .*'build\.raw'/],
  [
    'name: a\nversion: 1.0.0\nruntime: tool\nbuild: { source: x.ts, world: y }\n',
    /^E-MAN-003 .*unknown key 'build\.world'/,
  ],
  [
    'name: a\nversion: 1.0.0\nruntime: skill\nrequires_files: []\nbuild: { source: x.ts }\n',
    /^E-MAN-003 .*build: compiles a WASM tool, driver or hook, not a static artifact with 'runtime: skill'/,
  ],
  [
    'name: a\nversion: 1.0.0\nruntime: tool\nbuild: { source: nope.ts }\n',
    /^E-IO-001 build\.source 'nope\.ts' is no file in \//,
  ],
])('%j', async (text, expected) => {
  using project = new Project();
  project.write('murmur.yaml', text);
  const { refused, made } = await build(project);
  expect(refused).toMatch(expected);
  expect(refused).not.toMatch(/\n/);
  expect(made).toEqual([]);
});

test('where the archive goes: beside the manifest, into a folder, or as the file that is named', async () => {
  using project = new Project();
  project.write('murmur.yaml', manifest(['thing.wasm']));
  project.write('thing.wasm', wasm);
  mkdirSync(join(project.root, 'dist'));
  expect((await build(project)).built?.path).toBe(join(project.root, 'thing-1.0.0.mur.zip'));
  expect((await build(project, join(project.root, 'dist'))).built?.path).toBe(
    join(project.root, 'dist/thing-1.0.0.mur.zip'),
  );
  expect((await build(project, join(project.root, 'x.mur.zip'))).built?.path).toBe(join(project.root, 'x.mur.zip'));
  expect((await build(project, join(project.root, 'x.zip'))).refused).toBe(
    `E-IO-003 output path must end with .mur.zip: ${join(project.root, 'x.zip')}`,
  );
  expect((await build(project, join(project.root, 'no/such/x.mur.zip'))).refused).toMatch(/^E-IO-003 failed to write/);
  expect(project.names().filter((name) => name.includes('.tmp'))).toEqual([]);
});

test('a folder without a manifest, and no folder at all', async () => {
  using project = new Project();
  expect((await build(project)).refused).toMatch(/^E-IO-001 murmur\.yaml not found at .*\/murmur\.yaml$/);
  mkdirSync(join(project.root, 'murmur.yaml'));
  expect((await build(project)).refused).toMatch(/^E-IO-003 failed to read murmur\.yaml at .*: is a directory$/);
  await expect(buildArtifact({ source: join(project.root, 'nope') })).rejects.toMatchObject({ code: 'E-IO-001' });
});

test('whatever requires_files says, a build gives an archive of safe names or one error of its own', async () => {
  using project = new Project();
  project.write('thing.wasm', wasm);
  project.write('a/b.txt', 'b');
  const part = fc.oneof(
    fc.constantFrom('a', 'b.txt', '..', '.', '', 'thing.wasm', '~', ' ', 'ü'),
    fc.string({ maxLength: 4 }),
  );
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  await fc.assert(
    fc.asyncProperty(fc.array(path, { maxLength: 4 }), async (requires) => {
      project.write('murmur.yaml', manifest(['thing.wasm', ...requires]));
      const { refused, names } = await build(project);
      if (refused !== undefined) expect(refused).toMatch(/^E-(?:BLD-00[123]|IO-003|MAN-00[23]) /);
      else for (const name of await names()) expect(name).toMatch(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))/);
    }),
    { numRuns: 300 },
  );
});

describe('a misspelt key of an artifact manifest', () => {
  test('is a warning that names the key it may have been; a key of another runtime is none', async () => {
    const { warnings, built } = await tried(['thing.wasm'], { 'thing.wasm': wasm }, 'input_shema: {}\nx_owner: me\n');
    expect(built).toBeDefined();
    expect(warnings).toEqual([
      {
        code: 'W-SEC-019',
        message: "unknown key 'input_shema' at the top level is ignored; did you mean 'input_schema'?",
      },
    ]);
  });

  test('is one that mur schema artifact does not list', () => {
    const { properties } = jsonSchemaOf('artifact') as unknown as { properties: object };
    expect([...artifactKeys].sort()).toEqual(Object.keys(properties).sort());
  });
});

test('a source that starts programs or sends to peers is told of: not every capsule, nor every runtime, lets it', () => {
  expect(lintImports(['murmur:shell/execute@0.1.0', 'wasi:filesystem/preopens@0.2.9'])).toMatchObject([
    { code: 'W-BLD-901', message: expect.stringContaining('capabilities.shell.allow') },
  ]);
  expect(lintImports(['murmur:message/send@0.1.0'])).toMatchObject([
    { code: 'W-BLD-902', message: expect.stringContaining('capabilities.network.allow') },
  ]);
  expect(lintImports(['wasi:filesystem/preopens@0.2.9'])).toEqual([]);
});
