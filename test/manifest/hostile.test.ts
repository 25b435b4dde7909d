import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isMurError, type MurError } from '../../src/errors/index.js';
import { parseManifest, readManifestText } from '../../src/manifest/index.js';
import { cpuMs } from '../cpu.js';
import { capsule, refusal, verdict, warningsOf } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'mur-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The refusal of a file, and how long it took. */
function refusalOf(path: string): { readonly error: MurError; readonly ms: number } {
  const started = cpuMs();
  try {
    parseManifest(readManifestText(path), { path });
  } catch (error) {
    if (isMurError(error)) return { error, ms: cpuMs() - started };
    throw error;
  }
  throw new Error(`${path} was accepted`);
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('a manifest file', () => {
  test('of 50 MB is refused by its size, before a byte of it is read', () => {
    const path = file('large.yaml', 'name: a\n');
    truncateSync(path, 50 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    const { error, ms } = refusalOf(path);
    expect(`${error.code} ${error.message}`).toBe(
      `E-IO-003 failed to read murmur.yaml at ${path}: larger than 262144 bytes`,
    );
    expect(ms).toBeLessThan(500);
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1024 * 1024);
  });

  test('that is a pipe, a folder or a device is refused and not waited for', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(refusalOf(pipe).error.message).toContain('not a regular file');
    expect(refusalOf(folder).error.message).toContain('is a directory');
    expect(refusalOf('/dev/zero').error.message).toContain('not a regular file');
  });

  test('that is not there is named', () => {
    const path = join(folder, 'nothing.yaml');
    expect(refusalOf(path).error).toMatchObject({ code: 'E-IO-001', message: `murmur.yaml not found at ${path}` });
    expect(refusalOf(join(file('plain', ''), 'murmur.yaml')).error.code).toBe('E-IO-001');
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x6e, 0x00]],
  ])('with %s is refused: it is no UTF-8', (_, bytes) => {
    const path = file('bytes.yaml', Buffer.concat([Buffer.from('name: '), Uint8Array.from(bytes)]));
    expect(refusalOf(path).error).toMatchObject({
      code: 'E-IO-003',
      message: `failed to read murmur.yaml at ${path}: not valid UTF-8`,
    });
  });
});

describe('text that YAML does not take is refused with its place:', () => {
  test.each([
    ['NUL', '\0', '0000'],
    ['a bell', '\x07', '0007'],
    ['an escape', '\x1b', '001B'],
    ['a form feed', '\f', '000C'],
    ['delete', '\x7f', '007F'],
    ['a C1 control', '\x9b', '009B'],
    ['a lone surrogate', '\ud800', 'D800'],
    ['a non-character', '\uffff', 'FFFF'],
  ])('%s', (_, character, code) => {
    expect(verdict(capsule(`mur_version: a${character}b\n`))).toBe(
      `E-MAN-002 murmur.yaml: YAML syntax error at line 3, column 15: the character U+${code} is not allowed in YAML`,
    );
  });

  test.each([
    ['"a\\0b"', 'a value holds a NUL character'],
    ['"a\\x00b"', 'a value holds a NUL character'],
    ['"\\ud800"', 'a value holds half of a character (a lone surrogate)'],
  ])('the escape %s', (value, why) => {
    const place = 'E-MAN-002 murmur.yaml: YAML syntax error at line';
    expect(verdict(capsule(`mur_version: ${value}\n`))).toBe(`${place} 3, column 14: ${why}`);
    expect(verdict(capsule(`${value}: x\n`))).toBe(`${place} 3, column 1: ${why}`);
  });

  test('what YAML does take: emoji, next line, no-break space', () => {
    expect(() =>
      parseManifest(capsule('mur_version: "\u{1F600}\u0085\u00A0"\n'), { path: 'murmur.yaml' }),
    ).not.toThrow();
  });
});

describe('size', () => {
  const x = (length: number) => 'x'.repeat(length);

  test.each([
    ['in a block', `${x(1025)}: 1`],
    ['quoted', `"${x(1025)}": 1`],
    ['in a flow mapping', `a: { ${x(1025)}: 1 }`],
    ['after a question mark', `? ${x(200_000)}\n: 1`],
  ])('of a key %s is bounded', (_, line) => {
    expect(verdict(capsule(line))).toMatch(/^E-MAN-002 .*(at most 1024 chars|longer than 1024 characters)/);
  });

  test('of a value never fills a message', () => {
    const value = x(200_000);
    const lines = [
      `capabilities: { containment: ${value} }`,
      `artifacts: [{ name: ${value}, version: 1 }]`,
      `artifacts: [{ name: a, version: 1, gateway: { endpoint: ${value}, keyless: true } }]`,
      `lifecycle: { after_task: ${value} }`,
      `context: { max_tokens: ${'9'.repeat(5000)} }`,
      `mur_version: &${value} *b`,
    ];
    for (const line of lines) {
      const { code, message } = refusal(capsule(line));
      expect(code).toMatch(/^E-MAN-00[23]$/);
      expect(message.length).toBeLessThan(1500);
    }
  });

  test('of a list of unknown keys never fills the screen', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `k${index}: 1`).join('\n');
    const warnings = warningsOf(capsule(lines));
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toMatchObject({ code: 'W-SEC-019', message: '4900 more unknown keys are ignored' });
  });
});

describe('a quarter of a megabyte of one thing is answered in time:', () => {
  const fill = (text: string) => text.repeat(Math.floor((250 * 1024) / text.length));
  const aliasTen = (level: number) => `[${Array(10).fill(level === 0 ? 'x' : `*k${level - 1}`)}]`;

  test.each([
    ['commas', `a: [${fill(',')}`],
    ['closed brackets', `a: ${fill('[]')}`],
    ['open brackets', fill('[')],
    ['open braces', fill('{a: ')],
    ['20,000 dashes on a line', '- '.repeat(20_000)],
    ['20,000 levels of question marks', '? '.repeat(20_000)],
    ['levels by indentation', Array.from({ length: 700 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['quotes', fill('"')],
    ['anchors', `a: ${fill('&b ')}`],
    ['tags', fill('!!a ')],
    ['directives', fill('%TAG !a! b\n')],
    ['documents', fill('---\n')],
    ['duplicate keys', fill('a: 1\n')],
    ['block scalars', fill('a: >\n')],
    ['digits', `a: ${fill('9')}`],
    ['aliases of one anchor', `a: &a x\nb:\n${fill('- *a\n').slice(0, -20)}`],
    ['an alias bomb', Array.from({ length: 12 }, (_, level) => `k${level}: &k${level} ${aliasTen(level)}`).join('\n')],
    ['aliases of a large list', `a: &a [${'x, '.repeat(9000)}]\nb: [${'*a, '.repeat(9000)}]`],
  ])('%s', (_, text) => {
    const started = cpuMs();
    expect(refusal(text).code).toMatch(/^E-MAN-00[12]$/);
    expect(cpuMs() - started).toBeLessThan(8000);
  });
});

describe('an alias stands for the last anchor of that name before it', () => {
  const value = (lines: string) =>
    parseManifest(capsule(`artifacts: [{ name: a, version: 1, config: { ${lines} } }]`), { path: 'murmur.yaml' })
      .manifest.artifacts[0]?.config?.json;

  test('also when the name is used again later', () => {
    expect(value('a: &x 1, b: *x, c: &x 2, d: *x')).toBe('{"a":1,"b":1,"c":2,"d":2}');
  });

  test('also within what another alias repeats', () => {
    expect(value('a: &x 1, b: &y [*x], c: &x 2, d: *y, e: *x')).toBe('{"a":1,"b":[1],"c":2,"d":[1],"e":2}');
  });

  test('also as a key, and of a key', () => {
    expect(value('&k name: 1, other: *k, v: &w x, *w : 2')).toBe('{"name":1,"other":"name","v":"x","x":2}');
  });
});
