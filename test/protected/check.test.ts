import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCommand, checkInput, ProtectedPaths, readAnnotations } from '../../src/protected/index.js';

let work: string;
let paths: ProtectedPaths;
beforeAll(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'mur-check-')));
  mkdirSync(join(work, 'tests'));
  symlinkSync('tests', join(work, 'alias'));
  paths = new ProtectedPaths(['tests'], work);
});
afterAll(() => rmSync(work, { recursive: true }));

const bash = (body: string) => checkCommand(paths, { name: 'bash', args: ['-c', body], takesScript: true });
const program = (name: string, ...args: string[]) => checkCommand(paths, { name, args, takesScript: false });

describe('a script that writes a protected path is refused by what says so (read-only-redirect)', () => {
  test.each([
    ['echo x > tests/a', "redirection '>'", 'tests/a'],
    ['echo x >> ./tests/a', "redirection '>>'", 'tests/a'],
    ['make 2> tests/log', "redirection '>'", 'tests/log'],
    ['echo ok; rm -rf tests', 'argument of rm', 'tests'],
    ['rm -rf .', 'argument of rm', '.'],
    ['mv tests old', 'argument of mv', 'tests'],
    ['ls | /usr/bin/tee -a tests/x', 'argument of /usr/bin/tee', 'tests/x'],
    ['for f in 1; do touch alias/$f; done', 'argument of touch', 'tests/$f'],
  ])('%s', (body, signal, path) => {
    expect(bash(body)).toMatchObject({ rule: 'tests', signal, path });
  });

  test.each([
    'cat tests/a',
    'echo "> tests/a"',
    'cp tests/a b',
    'rm tests2',
    'grep x < tests/a > out',
    'VAR=1 rm tests',
  ])('%s goes through', (body) => {
    expect(bash(body)).toBeUndefined();
  });

  test('a script behind a group of flags is one, and a file of commands is not looked into', () => {
    expect(checkCommand(paths, { name: 'sh', args: ['-ec', 'rm tests/a'], takesScript: true })).toBeDefined();
    expect(checkCommand(paths, { name: 'sh', args: ['build.sh'], takesScript: true })).toBeUndefined();
  });
});

describe('a program that writes a protected argument is refused (read-only-argv)', () => {
  test.each([
    ['tee', '-a', 'out', 'tests/a'],
    ['rm', '-f', 'tests/a'],
    ['rmdir', 'tests'],
    ['unlink', 'tests/a'],
    ['shred', 'tests/a'],
    ['truncate', '-s', '0', 'tests/a'],
    ['mkdir', '-p', 'tests/new'],
    ['touch', 'tests/a'],
    ['chmod', '600', 'tests/a'],
    ['chown', 'root', 'tests/a'],
    ['patch', 'tests/a', 'fix.diff'],
    ['mv', 'a', 'tests/a'],
    ['cp', '-r', 'a', 'tests'],
    ['cp', '-t', 'tests', 'a'],
    ['cp', '--target-directory=tests', 'a'],
    ['install', 'a', 'tests/a'],
    ['ln', '-s', 'a', 'tests/a'],
    ['sed', '-i', 's/a/b/', 'tests/a'],
    ['sed', '--in-place=.bak', 's/a/b/', 'tests/a'],
    ['dd', 'if=/dev/zero', 'of=tests/a'],
  ])('%s %s %s', (name, ...args) => {
    expect(program(name, ...args)?.signal).toBe(`argument of ${name}`);
  });

  test.each([
    ['cat', 'tests/a'],
    ['cp', 'tests/a', 'b'],
    ['ln', 'tests/a', 'b'],
    ['sed', 's/a/b/', 'tests/a'],
    ['dd', 'if=tests/a', 'of=b'],
    ['echo', 'x', '>', 'tests/a'],
    ['rm', '-rf-tests'],
  ])('%s %s %s goes through', (name, ...args) => {
    expect(program(name, ...args)).toBeUndefined();
  });
});

describe('a tool that is told to write a protected path is refused (read-only-tool)', () => {
  const input = (value: unknown, schema?: unknown, folder?: string) =>
    checkInput(paths, 'tool', value, {
      ...(schema === undefined ? {} : { annotations: readAnnotations(schema) }),
      ...(folder === undefined ? {} : { folder }),
    });

  test.each([
    'dest',
    'dest_path',
    'destination',
    'destinationPath',
    'target-path',
    'OUTPUT_PATH',
    'outPath',
    'new_path',
    'to',
  ])('by the key %s', (key) => {
    expect(input({ deep: [{ [key]: 'tests/a' }] })).toMatchObject({
      signal: `destination key '${key}'`,
      path: 'tests/a',
    });
  });

  test.each([
    ['path', 'content'],
    ['file_path', 'new_str'],
    ['filename', 'patch'],
  ])('by %s beside %s', (key, content) => {
    expect(input({ [key]: 'tests/a', [content]: '' })?.signal).toBe(
      `path key '${key}' beside content key '${content}'`,
    );
    expect(input({ [key]: 'tests/a' })).toBeUndefined();
    expect(input({ [key]: 'tests/a', inner: { [content]: '' } })).toBeUndefined();
  });

  test('under a link to it too (read-only-symlink)', () => {
    expect(input({ to: 'alias/a' })?.path).toBe('tests/a');
  });

  test('a tool that sees one folder is judged from there', () => {
    expect(input({ to: 'tests/a' }, undefined, 'sub')).toBeUndefined();
    expect(input({ to: 'a' }, undefined, 'tests')?.path).toBe('tests/a');
  });

  describe('by what its schema declares (read-only-annotated)', () => {
    const property = (schema: object) => ({ type: 'object', properties: { into: schema } });

    test('a destination, in any depth', () => {
      const destination = { type: 'string', format: 'murmur-destination' };
      expect(input({ into: 'tests/a' }, property(destination))?.signal).toBe("annotated input 'into'");
      const list = property({ type: 'array', items: { type: 'object', properties: { place: destination } } });
      expect(input({ into: [{ place: 'b' }, { place: 'tests' }] }, list)?.signal).toBe(
        "annotated input 'into[].place'",
      );
      expect(input({ into: 'tests/a' }, property({ type: 'string' }))).toBeUndefined();
    });

    test('an opaque part is not read by names, and what is declared in it is', () => {
      const opaque = property({ type: 'object', format: 'murmur-opaque' });
      expect(input({ into: { to: 'tests/a' } }, opaque)).toBeUndefined();
      expect(input({ to: 'tests/a' }, opaque)).toBeDefined();
      const onString = { type: 'object', properties: { to: { type: 'string', format: 'murmur-opaque' } } };
      expect(input({ to: 'tests/a' }, onString)).toBeDefined();
    });

    test('a list of destinations with what the tool appends', () => {
      const schema = { ...property({ type: 'string' }), 'murmur-destinations': ['{into}/tests', '{into}'] };
      expect(input({ into: '.' }, schema)).toMatchObject({
        path: 'tests',
        signal: "declared destination '{into}/tests'",
      });
      expect(input({ into: 'tests' }, schema)?.signal).toBe("declared destination '{into}/tests'");
      expect(input({ into: 'other' }, schema)).toBeUndefined();
    });

    test('branches of a schema count at their location', () => {
      const schema = { anyOf: [property({ type: 'string', format: 'murmur-destination' })] };
      expect(input({ into: 'tests' }, schema)).toBeDefined();
    });
  });
});

describe('annotations', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      log_file: { type: 'string' },
      name: { type: 'string' },
      to: { type: 'string' },
      workdir: { type: 'string', format: 'murmur-destination' },
      edits: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } } },
      raw: { type: 'object', format: 'murmur-opaque', properties: { path: { type: 'string' } } },
    },
  };

  test('paths that nothing is said of are named, outside of opaque parts', () => {
    expect(readAnnotations(schema).unannotated).toEqual(['path', 'log_file', 'edits[].path']);
  });

  test.each([
    [[], []],
    [['{path}', '{edits[].path}/out'], []],
    [['{<input>}'], []],
    [['{gone}'], ['path', 'log_file', 'edits[].path']],
    [['path'], ['path', 'log_file', 'edits[].path']],
    [
      ['{path}', '{path}/../x'],
      ['path', 'log_file', 'edits[].path'],
    ],
    [['{path}/'], ['path', 'log_file', 'edits[].path']],
    [['{path}/a\\b'], ['path', 'log_file', 'edits[].path']],
    [[1], ['path', 'log_file', 'edits[].path']],
  ])('a usable list says it all, and one bad entry discards it: %j', (list, unannotated) => {
    expect(readAnnotations({ ...schema, 'murmur-destinations': list }).unannotated).toEqual(unannotated);
  });

  test('a schema that is none has none, and one that nests without end is read to a depth', () => {
    for (const each of [undefined, 'x', 1, [], { properties: [] }]) {
      expect(readAnnotations(each)).toMatchObject({ unannotated: [] });
    }
    const endless: Record<string, unknown> = { type: 'object' };
    endless.properties = { path: endless };
    expect(readAnnotations(endless).unannotated).toEqual([]);
  });
});
