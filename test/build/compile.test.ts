import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from '../../src/build/compile/index.js';
import { isMurError } from '../../src/errors/index.js';
import { type Called, type Guest, openGuest, Project } from './guest.js';

let guest: Guest;
beforeAll(() => {
  guest = openGuest();
});
afterAll(() => guest[Symbol.asyncDispose]());

/** Compiles `text` and calls it once. */
async function run(text: string, input: unknown = {}, options = {}): Promise<Called & { compiled: Compiled }> {
  using project = new Project();
  const compiled = await project.compile(text);
  return { ...(await guest.call(compiled, input, options)), compiled };
}

async function refusal(text: string, role: 'tool' | 'driver' | 'hook' = 'tool'): Promise<string> {
  using project = new Project();
  const error = await project.compile(text, role).catch((thrown: unknown) => thrown);
  if (!isMurError(error)) throw new Error(`expected a refusal, got ${String(error)}`);
  expect(error.message).not.toMatch(/\n|node_modules|at .*:\d+:\d+\)/);
  return `${error.code} ${error.message}`;
}

describe('a tool', () => {
  test('is a function from the input to a value', async () => {
    const { result, compiled } = await run(
      'export function run(input: { n: number }) { return { twice: input.n * 2 }; }',
      { n: 21 },
    );
    expect(result).toMatchObject({ status: 'passed', data: '{"twice":42}' });
    expect(compiled.imports).toEqual([]);
  });

  test('returns text as it is, and nothing as done', async () => {
    expect((await run('export const run = () => "plain";')).result).toMatchObject({ status: 'passed', data: 'plain' });
    expect((await run('export function run() {}')).result).toMatchObject({ status: 'passed', summary: 'done' });
  });

  test('may be async: promises, timers and generators all settle before it answers', async () => {
    const { result, compiled } = await run(`
      import { sleep } from 'mur:tool';
      async function* count() { yield 1; await sleep(5); yield 2; }
      export async function run() {
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
      }`);
    expect(JSON.parse(result.data ?? 'null')).toEqual({
      seen: [1, 2],
      raced: 'early',
      all: [1, 2, 3],
      states: ['rejected', 'fulfilled'],
      any: 'any',
      later: 'given',
      cleaned: 2,
    });
    expect(compiled.imports).toEqual(['wasi:clocks/monotonic-clock@0.2.9']);
  });

  test('that awaits what never comes says so instead of hanging', async () => {
    const { result } = await run('export const run = () => new Promise(() => {});');
    expect(result).toMatchObject({ status: 'error', summary: expect.stringContaining('nothing will ever settle') });
  });

  test('reads and writes the work folder', async () => {
    writeFileSync(join(guest.folder, 'in.txt'), 'grüße');
    const { result, compiled } = await run(`
      import { files } from 'mur:tool';
      export function run() {
        const text = files.readText('in.txt');
        files.writeText('deep/er/out.txt', text.toUpperCase());
        files.writeText('gone.txt', 'x');
        files.remove('gone.txt');
        return { bytes: files.readBytes('in.txt').length, list: files.list('.').map((e) => e.name + ':' + e.type), there: files.exists('gone.txt') };
      }`);
    expect(JSON.parse(result.data ?? 'null')).toEqual({
      bytes: 7,
      list: ['deep:folder', 'in.txt:file'],
      there: false,
    });
    expect(readFileSync(join(guest.folder, 'deep/er/out.txt'), 'utf8')).toBe('GRÜSSE');
    expect(compiled.imports).toEqual(['wasi:filesystem/preopens@0.2.9']);
  });

  test('refuses a call with fail, and a missing file with what is there instead', async () => {
    const source = `import { fail, files } from 'mur:tool';
      export const run = ({ path }) => path === undefined ? fail('give path') : files.readText(path);`;
    expect((await run(source)).result).toMatchObject({ status: 'failed', summary: 'give path' });
    expect((await run(source, { path: 'nope.txt' })).result).toMatchObject({
      status: 'failed',
      summary: expect.stringMatching(/^nope\.txt does not exist; the work folder holds/),
    });
    expect((await run(source, { path: '../x' })).result.summary).toMatch(/leads outside the work folder/);
    expect((await run(source, '[1]')).result.summary).toBe('the input must be a JSON object, got a list');
  });

  test('that throws answers error with the name of what was thrown', async () => {
    const { result } = await run('export const run = (input) => input.a.b;');
    expect(result).toMatchObject({
      status: 'error',
      summary: expect.stringMatching(/^TypeError: cannot read property/),
    });
  });

  test('says more than its data with answer', async () => {
    const { result } = await run(`import { answer } from 'mur:tool';
      export const run = () => answer({ a: 1 }, { summary: 's', effect: 'mutate', resource: 'r', truncated: true });`);
    expect(result).toMatchObject({
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
    const { result } = await run(
      `import { config, env } from 'mur:tool'; export const run = () => [config(), env('A'), env('B') ?? null];`,
      {},
      { env: { MURMUR_ARTIFACT_CONFIG: '{"depth":2}', A: '1' } },
    );
    expect(JSON.parse(result.data ?? 'null')).toEqual([{ depth: 2 }, '1', null]);
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
    const source = `export async function run({ url }) {
        const answer = await fetch(url + '/a?b=c#d', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'hej' });
        return { status: answer.status, ok: answer.ok, seen: answer.headers.get('X-Seen'), ...(await answer.json() as object) };
      }`;
    try {
      const { result, compiled } = await run(source, { url }, { allow: [url] });
      expect(JSON.parse(result.data ?? 'null')).toEqual({
        status: 201,
        ok: true,
        seen: 'POST',
        url: '/a?b=c',
        body: 'hej',
        type: 'text/plain',
      });
      expect(compiled.imports).toContain('wasi:http/outgoing-handler@0.2.9');
      const denied = await run(source, { url });
      expect(denied.result).toMatchObject({
        status: 'failed',
        summary: expect.stringContaining('HTTP-request-denied'),
      });
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  test('finds console, text coding and randomness in place, and randomness differs between calls', async () => {
    const source = `export function run() {
      console.log('told', { a: 1 });
      const bytes = new TextEncoder().encode('é');
      return { text: new TextDecoder().decode(bytes), n: bytes.length, r: Math.random(), id: crypto.randomUUID() };
    }`;
    using project = new Project();
    const compiled = await project.compile(source);
    const [a, b] = [await guest.call(compiled, {}), await guest.call(compiled, {})].map((called) =>
      JSON.parse(called.result.data ?? 'null'),
    );
    expect(a).toMatchObject({
      text: 'é',
      n: 2,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
    });
    expect(a.r).not.toBe(b.r);
    expect(a.id).not.toBe(b.id);
  });

  test('sees the real clock, also when it looked at build time', async () => {
    const { result } = await run('const built = Date.now(); export const run = () => [built, Date.now()];');
    const [built, now] = JSON.parse(result.data ?? 'null');
    expect(built).toBe(Date.UTC(2000, 0, 1));
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  });

  test('may import JSON, other files and packages beside it', async () => {
    using project = new Project();
    project.write('src/data.json', '{"k":[1,2]}');
    project.write('src/other.ts', 'export enum Color { Red = "red" } export type Gone = string;');
    project.write('node_modules/tiny/package.json', '{"name":"tiny","version":"1.0.0","type":"module","main":"i.js"}');
    project.write('node_modules/tiny/i.js', 'export default (x) => x + 1;');
    const compiled = await project.compile(`
      import data from './data.json';
      import { Color, type Gone } from './other.js';
      import tiny from 'tiny';
      export const run = (): unknown => [data.k, Color.Red, tiny(1)];`);
    expect((await guest.call(compiled, {})).result.data).toBe('[[1,2],"red",2]');
    expect(compiled.files.map((file) => file.slice(project.root.length + 1))).toEqual(
      expect.arrayContaining(['node_modules/tiny/i.js', 'src/data.json', 'src/main.ts', 'src/other.ts']),
    );
  });
});

test('a driver is a function from the request to text or to a response, and streams', async () => {
  using project = new Project();
  const compiled = await project.compile(
    `import { stream, config } from 'mur:driver';
     export async function respond(request) { stream.text('pa'); return request.model + config().suffix; }`,
    'driver',
  );
  const env = { MURMUR_ARTIFACT_CONFIG: '{"suffix":"?"}', MURMUR_INFERENCE_DRIVER_CONFIG: '{"suffix":"!"}' };
  const { result, events } = await guest.call(compiled, { model: 'm' }, { env, role: 'driver' });
  expect(JSON.parse(result.data ?? 'null')).toEqual({
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'm!' }],
  });
  expect(events).toHaveLength(1);
  const broken = await project.compile('export function respond() { throw new Error("no"); }', 'driver');
  const failed = await guest.call(broken, { model: 'm' }, { role: 'driver' });
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
    expect(digest(await here.compile(source))).toBe(first);
    expect(digest(await here.compile(source.replace("'a'", "'c'")))).not.toBe(first);
  }, 30_000);

  test('nothing is left in the temporary folder', async () => {
    using project = new Project();
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('mur-build-'));
    const before = left();
    await project.compile(source);
    await project.compile('throw new Error("x"); export const run = 1;').catch(() => undefined);
    expect(left().filter((name) => !before.includes(name))).toEqual([]);
    expect(project.names()).toEqual(['src']);
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
    ['export const go = () => 1;', /^E-BLD-902 src\/main\.ts: a tool exports a function run; this one exports go$/],
    ['export {};', /^E-BLD-902 src\/main\.ts: a tool exports a function run; this one exports nothing$/],
    [
      "import { env } from 'mur:tool';\nconst a = env('A');\nexport const run = () => a;",
      /^E-BLD-901 .*: it called get-environment of wasi:cli\/environment@0\.2\.9 outside of a function$/,
    ],
    ['const a = await 1;\nexport const run = () => a;', /^E-BLD-901 /],
    ['export const run = 5;', /^E-BLD-901 .*run must be a function, got number/],
  ])('%j', async (text, expected) => {
    expect(await refusal(text)).toMatch(expected);
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
