import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleSource } from '../../src/build/compile/bundle.js';
import { type Compiled, compileSource } from '../../src/build/compile/index.js';
import { isMurError, type MurError } from '../../src/errors/index.js';
import { type Guest, openGuest, Project } from './guest.js';

vi.setConfig({ testTimeout: 120_000 });

/** One tool with many actions, so that one compilation serves all tests of what a tool can do. */
const source = `
import { answer, config, env, fail, files, sleep } from 'mur:tool';
import data from './data.json';
import { Color, type Gone } from './other.js';
import tiny from 'tiny';

const built = Date.now();
async function* count() { yield 1; await sleep(5); yield 2; }

const actions: Record<string, (input: any) => unknown> = {
  value: ({ n }: { n: number }) => ({ twice: n * 2 }),
  text: () => 'plain',
  nothing: () => undefined,
  async promises() {
    const seen: number[] = [];
    for await (const n of count()) seen.push(n);
    const raced = await Promise.race([sleep(40).then(() => 'late'), sleep(1).then(() => 'early')]);
    const all = await Promise.all([1, Promise.resolve(2), sleep(1).then(() => 3)]);
    const settled = await Promise.allSettled([Promise.reject(new Error('no')), 1]);
    const any = await Promise.any([Promise.reject(1), sleep(1).then(() => 'any')]);
    const later = await new Promise((done) => setTimeout(done, 2, 'given'));
    let cleaned = 0;
    await Promise.reject(1).finally(() => cleaned++).catch(() => cleaned++);
    return { seen, raced, all, states: settled.map((one) => one.status), any, later, cleaned };
  },
  never: () => new Promise(() => {}),
  files() {
    const text = files.readText('in.txt');
    files.writeText('deep/er/out.txt', text.toUpperCase());
    files.writeText('gone.txt', 'x');
    files.remove('gone.txt');
    const list = files.list('.').map((e) => e.name + ':' + e.type);
    return { bytes: files.readBytes('in.txt').length, list, there: files.exists('gone.txt') };
  },
  read: ({ path }) => (path === undefined ? fail('give path') : files.readText(path)),
  throws: (input) => input.a.b,
  answer: () => answer({ a: 1 }, { summary: 's', effect: 'mutate', resource: 'r', truncated: true }),
  settings: () => [config(), env('A'), env('B') ?? null],
  async fetch({ url }) {
    const headers = { 'content-type': 'text/plain' };
    const got = await fetch(url + '/a?b=c#d', { method: 'POST', headers, body: 'hej' });
    return { status: got.status, ok: got.ok, seen: got.headers.get('X-Seen'), ...((await got.json()) as object) };
  },
  globals() {
    console.log('told', { a: 1 });
    const bytes = new TextEncoder().encode('é');
    return { text: new TextDecoder().decode(bytes), n: bytes.length, r: Math.random(), id: crypto.randomUUID() };
  },
  clock: () => [built, Date.now()],
  imports: (): unknown => [data.k, Color.Red, tiny(1)],
};

export const run = (input: { action: string }) => actions[input.action]!(input);
`;

let guest: Guest;
let tool: Compiled;
beforeAll(async () => {
  guest = openGuest();
  using project = new Project();
  project.write('src/data.json', '{"k":[1,2]}');
  project.write('src/other.ts', 'export enum Color { Red = "red" } export type Gone = string;');
  project.write('node_modules/tiny/package.json', '{"name":"tiny","version":"1.0.0","type":"module","main":"i.js"}');
  project.write('node_modules/tiny/i.js', 'export default (x) => x + 1;');
  tool = await project.compile(source);
  expect(tool.files.map((file) => file.slice(project.root.length + 1))).toEqual(
    expect.arrayContaining(['node_modules/tiny/i.js', 'src/data.json', 'src/main.ts', 'src/other.ts']),
  );
}, 120_000);
afterAll(() => guest[Symbol.asyncDispose]());

async function act(action: string, input: object = {}, options = {}) {
  return (await guest.call(tool, { action, ...input }, options)).result;
}

/** What `act` returned as JSON. */
async function told(action: string, input: object = {}, options = {}) {
  return JSON.parse((await act(action, input, options)).data ?? 'null');
}

async function fault(text: string, role: 'tool' | 'driver' | 'hook' = 'tool'): Promise<MurError> {
  using project = new Project();
  const error = await project.compile(text, role).catch((thrown: unknown) => thrown);
  if (!isMurError(error)) throw new Error(`expected a refusal, got ${String(error)}`);
  expect(error.message).not.toMatch(/\n|node_modules|at .*:\d+:\d+\)/);
  return error;
}

async function refusal(text: string, role?: 'tool' | 'driver' | 'hook'): Promise<string> {
  const { code, message } = await fault(text, role);
  return `${code} ${message}`;
}

/** What `build`, whether it fails or not, leaves in a temporary folder that it alone uses. */
async function leftBy(build: () => Promise<unknown>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mur-test-tmp-'));
  vi.stubEnv('TMPDIR', folder);
  try {
    await build().catch(() => undefined);
    return readdirSync(folder);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
}

describe('a tool', () => {
  test('is a function from the input to a value, to text, or to nothing', async () => {
    expect(await act('value', { n: 21 })).toMatchObject({ status: 'passed', data: '{"twice":42}' });
    expect(await act('text')).toMatchObject({ status: 'passed', data: 'plain' });
    expect(await act('nothing')).toMatchObject({ status: 'passed', summary: 'done' });
  }, 60_000);

  test('may be async: promises, timers and generators all settle before it answers', async () => {
    expect(await told('promises')).toEqual({
      seen: [1, 2],
      raced: 'early',
      all: [1, 2, 3],
      states: ['rejected', 'fulfilled'],
      any: 'any',
      later: 'given',
      cleaned: 2,
    });
  });

  test('that awaits what never comes says so instead of hanging', async () => {
    expect(await act('never')).toMatchObject({
      status: 'error',
      summary: expect.stringContaining('nothing will ever settle'),
    });
  });

  test('reads and writes the work folder', async () => {
    writeFileSync(join(guest.folder, 'in.txt'), 'grüße');
    expect(await told('files')).toEqual({ bytes: 7, list: ['deep:folder', 'in.txt:file'], there: false });
    expect(readFileSync(join(guest.folder, 'deep/er/out.txt'), 'utf8')).toBe('GRÜSSE');
  });

  test('refuses a call with fail, and a missing file with what is there instead', async () => {
    expect(await act('read')).toMatchObject({ status: 'failed', summary: 'give path' });
    expect(await act('read', { path: 'nope.txt' })).toMatchObject({
      status: 'failed',
      summary: expect.stringMatching(/^nope\.txt does not exist; the work folder holds/),
    });
    expect((await act('read', { path: '../x' })).summary).toMatch(/leads outside the work folder/);
    expect((await guest.call(tool, '[1]')).result.summary).toBe('the input must be a JSON object, got a list');
  });

  test('that throws answers error with the name of what was thrown', async () => {
    const summary = expect.stringMatching(/^TypeError: cannot read property/);
    expect(await act('throws')).toMatchObject({ status: 'error', summary });
  });

  test('says more than its data with answer', async () => {
    expect(await act('answer')).toMatchObject({
      data: '{"a":1}',
      summary: 's',
      truncated: true,
      metadata: [
        ['state_effect', 'mutate'],
        ['resource_id', 'r'],
      ],
    });
  });

  test('reads its config and the variables it was given', async () => {
    const env = { MURMUR_ARTIFACT_CONFIG: '{"depth":2}', A: '1' };
    expect(await told('settings', {}, { env })).toEqual([{ depth: 2 }, '1', null]);
  });

  test('fetches from a host it was allowed, and reads why it may not from another', async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        response.writeHead(201, { 'x-seen': request.method ?? '' });
        response.end(JSON.stringify({ url: request.url, body, type: request.headers['content-type'] }));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await told('fetch', { url }, { allow: [url] })).toEqual({
        status: 201,
        ok: true,
        seen: 'POST',
        url: '/a?b=c',
        body: 'hej',
        type: 'text/plain',
      });
      const summary = expect.stringContaining('HTTP-request-denied');
      expect(await act('fetch', { url })).toMatchObject({ status: 'failed', summary });
    } finally {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });

  test('finds console, text coding and randomness in place, and randomness differs between calls', async () => {
    const [a, b] = [await told('globals'), await told('globals')];
    expect(a).toMatchObject({
      text: 'é',
      n: 2,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
    });
    expect(a.r).not.toBe(b.r);
    expect(a.id).not.toBe(b.id);
  });

  test('sees the real clock, also when it looked at build time', async () => {
    const [built, now] = await told('clock');
    expect(built).toBe(Date.UTC(2000, 0, 1));
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  });

  test('may import JSON, other files and packages beside it', async () => {
    expect(await told('imports')).toEqual([[1, 2], 'red', 2]);
  });
});

test.each([
  ['export const run = () => 1;', []],
  ['export const run = async () => 1;', []],
  ["import { files } from 'mur:tool'; export const run = () => files.list();", ['filesystem/preopens']],
  ['export const run = () => setTimeout(() => 1, 1);', ['clocks/monotonic-clock']],
  ['export const run = () => Math.random();', ['random/random']],
  ['export const run = () => console.log(1);', ['cli/stderr']],
  ["import { env } from 'mur:tool'; export const run = () => env('A');", ['cli/environment']],
  ["export const run = () => fetch('https://a');", ['http/outgoing-handler', 'http/types']],
  ["import { files } from 'mur:tool'; void files; export const run = () => 1;", []],
])('a component asks its host for what its source uses: %s', async (text, expected) => {
  using project = new Project();
  const file = project.write('main.ts', text);
  const { imports } = await bundleSource({ file, role: 'tool', isRaw: false, root: project.root });
  expect(imports).toEqual(expected.map((name) => `wasj:${name}@0.2.9`));
});

test('a driver is a function from the request to text or to a response, and streams', async () => {
  using project = new Project();
  const compiled = await project.compile(
    `import { stream, config } from 'mur:driver';
     export async function respond(request) {
       if (request.model === 'none') throw new Error('no');
       stream.text('pa');
       return request.model + config().suffix;
     }`,
    'driver',
  );
  const env = { MURMUR_ARTIFACT_CONFIG: '{"suffix":"?"}', MURMUR_INFERENCE_DRIVER_CONFIG: '{"suffix":"!"}' };
  const { result, events } = await guest.call(compiled, { model: 'm' }, { env, role: 'driver' });
  expect(JSON.parse(result.data ?? 'null')).toEqual({
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'm!' }],
  });
  expect(events).toHaveLength(1);
  const failed = await guest.call(compiled, { model: 'none' }, { role: 'driver' });
  expect(failed.result).toMatchObject({ status: 'error', summary: 'Error: no' });
});

test('a hook exports the lifecycle of the newest level', async () => {
  using project = new Project();
  const compiled = await project.compile(
    'export function onToolCall(e) { if (e.toolName === "x") return { deny: "no" }; }',
    'hook',
  );
  const host = (await import('../../src/wasm/index.js')).createWasmHost({
    cacheDir: join(project.root, 'cache'),
    permits: 1,
  });
  try {
    const { exports } = await host.load('hook', compiled.component);
    expect(exports).toContainEqual({ package: 'murmur:hook', name: 'lifecycle', version: '0.9.0' });
  } finally {
    await host.close();
  }
});

describe('determinism', () => {
  const source = `import { files } from 'mur:tool';
    const table = new Map([['a', Math.random()], ['b', Date.now()]]);
    export const run = async () => [files.list(), ...table.values()];`;
  const digest = ({ component }: Compiled) => createHash('sha256').update(component).digest('hex');

  test('the same sources give the same bytes, wherever they lie and whenever they are built', async () => {
    using here = new Project();
    using there = new Project('some/where/else');
    const first = digest(await here.compile(source));
    await new Promise((done) => setTimeout(done, 5));
    expect(digest(await there.compile(source))).toBe(first);
    expect(digest(await here.compile(source.replace("'a'", "'c'")))).not.toBe(first);
  }, 120_000);

  test('nothing is left in the temporary folder', async () => {
    using project = new Project();
    expect(await leftBy(() => project.compile(source))).toEqual([]);
    expect(await leftBy(() => project.compile('throw new Error("x"); export const run = 1;'))).toEqual([]);
    expect(project.names()).toEqual(['src']);
  });
});

describe('a source whose top level does not end', () => {
  const limits = { deadlineMs: 3_000, memoryBytes: 2 * 1024 ** 3 };
  test.each([
    ['for (;;) {}', limits, 'did not end within 3 s'],
    [
      'const all = []; for (;;) all.push(new Array(100000).fill(1.5));',
      { deadlineMs: 60_000, memoryBytes: 512 * 1024 ** 2 },
      'took more than 512 MiB of memory',
    ],
  ])('%j is stopped, and leaves nothing', async (text, limits, expected) => {
    using project = new Project();
    const file = project.write('src/main.ts', `${text}\nexport const run = () => 1;\n`);
    let said: unknown;
    const left = await leftBy(async () => {
      said = await compileSource({ file, role: 'tool', root: project.root, limits }).catch((error) => error);
    });
    expect(isMurError(said) && `${said.code} ${said.message}`).toBe(
      `E-BLD-901 the source was stopped while it was built: its code outside of functions ${expected}`,
    );
    expect(left).toEqual([]);
  });
});

describe('what a bundle may hold', () => {
  test.each([
    ['a path', "import x from '../../outside.json';"],
    ['a path from the root', "import x from '<outer>/outside.json';"],
    ['a link', "import x from './link.json';"],
    ['a path through a package', "import x from 'tiny/../../../outside.json';"],
    ['a dynamic import', "const x = import('../../outside.json');"],
  ])('is no file outside of its folder, named by %s', async (_, line) => {
    using project = new Project('inner');
    const outer = join(project.root, '..');
    writeFileSync(join(outer, 'outside.json'), '{"key":"sk-outside"}');
    project.write('node_modules/tiny/package.json', '{"name":"tiny","main":"index.js"}');
    project.write('node_modules/tiny/index.js', 'export default 1;');
    project.write('src/.keep', '');
    symlinkSync('../../outside.json', join(project.root, 'src/link.json'));
    const said = await project
      .compile(`${line.replace('<outer>', outer)}\nexport const run = () => x;\n`)
      .catch((error) => error);
    expect(isMurError(said) && `${said.code} ${said.message}`).toMatch(/^E-BLD-901 /);
    if (!line.includes('tiny'))
      expect(said.message).toMatch(/^src\/main\.ts:1:\d+: cannot import '.*outside of the artifact's folder$/);
  });

  test('is a package of a folder above, with the files beside it and what it imports', async () => {
    using project = new Project('inner');
    const outer = join(project.root, '..', 'node_modules');
    for (const [path, text] of [
      ['@a/b/package.json', '{"name":"@a/b","main":"lib/index.js"}'],
      ['@a/b/lib/index.js', "import two from '../two.js'; import c from 'c'; export default two + c;"],
      ['@a/b/two.js', 'export default 2;'],
      ['c/package.json', '{"name":"c","main":"index.js"}'],
      ['c/index.js', 'export default 3;'],
    ] as const) {
      mkdirSync(join(outer, path, '..'), { recursive: true });
      writeFileSync(join(outer, path), text);
    }
    const compiled = await project.compile("import x from '@a/b';\nexport const run = () => x;\n");
    expect(compiled.files.filter((file) => file.includes('node_modules'))).toHaveLength(3);
  });
});

describe('a source that is refused names its place', () => {
  test.each([
    ['export function run( {\n  const x = ;\n}', /^E-BLD-901 src\/main\.ts:2:9: Expected/],
    [
      "import x from './nope.js';\nexport const run = () => x;",
      /^E-BLD-901 src\/main\.ts:1:15: Could not resolve '\.\/nope\.js'/,
    ],
    [
      "\nimport fs from 'node:fs';\nexport const run = () => fs;",
      /^E-BLD-901 src\/main\.ts:2:17: cannot import 'node:fs': a component has no Node modules/,
    ],
    [
      "import x from 'lodash';\nexport const run = () => x;",
      /^E-BLD-901 src\/main\.ts:1:16: cannot import 'lodash': no package or file of that name was found/,
    ],
    [
      "import { nope } from 'mur:tool';\nexport const run = () => nope();",
      /^E-BLD-901 src\/main\.ts:1:10: .*nope.* is not exported/,
    ],
    [
      "import x from 'mur:other';\nexport const run = () => x;",
      /^E-BLD-901 src\/main\.ts:1:16: cannot import 'mur:other': mur has mur:tool/,
    ],
    [
      'if (Date.now() > 0) throw new Error("at build");\nexport const run = () => 1;',
      /^E-BLD-901 the source failed while it was built: Error: at build$/,
    ],
    [
      'export const run = () => 1;\nthrow new Error("always");',
      /^E-BLD-901 the source failed while it was built: it throws outside of a function, whatever happens$/,
    ],
    ['export const go = () => 1;', /^E-BLD-902 src\/main\.ts: a tool exports a function run; this one exports go$/],
    ['export {};', /^E-BLD-902 src\/main\.ts: a tool exports a function run; this one exports nothing$/],
    [
      "import { env } from 'mur:tool';\nconst a = env('A');\nexport const run = () => a;",
      /^E-BLD-901 .*: it called get-environment of wasi:cli\/environment@0\.2\.9 outside of a function$/,
    ],
    [
      'const a = await Promise.resolve(1);\nexport const run = () => a;',
      /^E-BLD-901 .*: await outside of a function waits for what only a call brings$/,
    ],
    ['export const run = 5;', /^E-BLD-901 .*run must be a function, got number/],
  ])('%j', async (text, expected) => {
    expect(await refusal(text)).toMatch(expected);
  });

  test.each([
    ['export function run( {\n  const x = ;\n}', /a mistake in the syntax/],
    ["import x from './nope.js';\nexport const run = () => x;", /a path counts from the file that names it/],
    ["import { nope } from 'mur:tool';\nexport const run = () => nope();", /a type comes in with import type/],
    ["import x from 'lodash';\nexport const run = () => x;", /mur\.d\.ts, which mur new writes/],
    ['throw new Error("always");\nexport const run = () => 1;', /code outside of functions runs at build time/],
  ])('with a hint that fits: %j', async (text, hint) => {
    expect((await fault(text)).hint).toMatch(hint);
  });

  test('per role', async () => {
    expect(await refusal('export const run = () => 1;', 'driver')).toMatch(
      /E-BLD-902 .* a driver exports a function respond; this one exports run/,
    );
    expect(await refusal('export const run = () => 1;', 'hook')).toMatch(
      /E-BLD-902 .* a hook exports one of onStage, .*; this one exports run/,
    );
  });
});
