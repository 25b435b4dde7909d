import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandRows } from '../../src/cli/commands.js';

const main = resolve('dist/src/bin/mur.js');
/** What sessions, components and pages need. Each costs a command that needs none of it tens of milliseconds. */
const heavy = [
  'jco',
  'jco-transpile',
  'piscina',
  'xstate',
  'ws',
  'pino',
  'rolldown',
  'componentize-qjs',
  'gpt-tokenizer',
];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-loaded-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Every file that the real command loads until it ends. */
function filesLoadedBy(args: readonly string[]): string[] {
  const data = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const hooks = `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); }`;
  const register = data(`import { register } from 'node:module'; register(${JSON.stringify(data(hooks))});`);
  const list = join(folder, `${args.join('-')}.txt`);
  const ran = spawnSync(process.execPath, ['--import', register, main, ...args], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH, LOADED: list },
    encoding: 'utf8',
  });
  expect(ran.signal).toBeNull();
  const urls = readFileSync(list, 'utf8').split('\n');
  return urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
}

/** The packages that files come from, or hold: the map of a chunk names the files that were joined in it. */
function packagesIn(files: readonly string[]): Set<string> {
  const sources = files.flatMap((file): readonly string[] => {
    const map = `${file}.map`;
    if (!file.startsWith(resolve('dist')) || !existsSync(map)) return [file];
    return (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources;
  });
  const names = sources.map((source) => /node_modules\/(?:@[^/]+\/)?([^/]+)\//.exec(source)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

const heavyIn = (args: readonly string[]) => {
  const found = packagesIn(filesLoadedBy(args));
  expect(found).toContain('commander');
  return heavy.filter((name) => found.has(name));
};

describe('a command loads only what it needs', () => {
  it.each(commandRows.map(({ name }) => name))('mur help %s loads no heavy package', (name) => {
    expect(heavyIn(['help', name])).toEqual([]);
  });

  it.each(
    [
      ['help'],
      ['--version'],
      ['ps'],
      ['ps', '--json'],
      ['ps', '--addresses'],
      ['list'],
      ['doctor'],
      ['sandbox', '--', 'true'],
      ['sandbox', '--explain', '--', 'bash'],
      ['config', 'list'],
      ['config', 'set', 'inference.model', 'm'],
      ['beta', 'list'],
      ['token'],
      ['nosuch'],
    ].map((args) => ({ args, line: args.join(' ') })),
  )('mur $line runs without any', ({ args }) => {
    expect(heavyIn(args)).toEqual([]);
  });

  it('and the check would see one', () => {
    expect(heavyIn(['chart'])).toContain('xstate');
  });
});

it('the files of the bundle import each other in no circle: in one, a constant may be read before it is there', () => {
  const bin = resolve('dist/src/bin');
  const imports = new Map(
    readdirSync(bin)
      .filter((name) => name.endsWith('.js'))
      .map((name) => {
        const text = readFileSync(join(bin, name), 'utf8');
        return [name, [...text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)].map(([, to]) => to ?? '')] as const;
      }),
  );
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' -> '));
    else if (!done.has(name)) for (const to of imports.get(name) ?? []) walk(to, [...path, name]);
    done.add(name);
  };
  for (const name of imports.keys()) walk(name, []);
  expect(imports.size).toBeGreaterThan(20);
  expect(circles).toEqual([]);
});
