import { execFileSync } from 'node:child_process';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonLine, maxLineBytes, readJsonLines } from '../../src/text/json-lines.js';
import { temporaryFolder } from '../home/temporary.js';

function read(bytes: Uint8Array | string): JsonLine[] {
  const path = join(temporaryFolder(), 'f.jsonl');
  writeFileSync(path, bytes);
  return [...readJsonLines(path)];
}

const values = (items: readonly JsonLine[]): unknown[] =>
  items.flatMap((item) => (item.kind === 'value' ? [item.value] : []));
const warnings = (items: readonly JsonLine[]): string[] =>
  items.flatMap((item) => (item.kind === 'warning' ? [`${item.line}: ${item.reason}`] : []));

const lines = [{ a: 'é😀' }, { b: ['世', 1] }, { c: null }];
const whole = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

test('an undamaged file reads without a warning; blank lines are nothing', () => {
  const items = lines.map((value, index) => ({ kind: 'value', line: index + 1, value, text: JSON.stringify(value) }));
  expect(read(whole)).toEqual(items);
  expect(read('')).toEqual([]);
  expect(read('\n \r\n{"a":1}\r\n')).toEqual([{ kind: 'value', line: 3, value: { a: 1 }, text: '{"a":1}\r' }]);
});

test('71: cut at every byte, all whole lines are read and a torn one is a warning', () => {
  let complete = 0;
  for (let cut = 1; cut < whole.length; cut += 1) {
    const items = read(whole.subarray(0, cut));
    if (whole[cut - 1] === 0x0a) complete += 1;
    const endsLine = whole[cut - 1] === 0x0a;
    const isWholeWithoutLf = whole[cut] === 0x0a;
    expect(values(items)).toEqual(lines.slice(0, isWholeWithoutLf ? complete + 1 : complete));
    expect(warnings(items).length > 0).toBe(!endsLine);
  }
});

test('71: 300 NUL bytes at any line start lose nothing and warn; inside a line they lose that line only', () => {
  for (let at = 0; at <= whole.length; at += 1) {
    const items = read(Buffer.concat([whole.subarray(0, at), Buffer.alloc(300), whole.subarray(at)]));
    expect(warnings(items).length).toBeGreaterThan(0);
    const atBorder = at === 0 || at === whole.length || whole[at - 1] === 0x0a || whole[at] === 0x0a;
    if (atBorder) expect(values(items)).toEqual(lines);
    else expect(values(items)).toHaveLength(lines.length - 1);
  }
});

test('millions of NUL bytes cost no more than reading them', () => {
  const path = join(temporaryFolder(), 'f.jsonl');
  writeFileSync(path, '{"a":1}\n');
  truncateSync(path, 32 * 1024 * 1024);
  appendFileSync(path, '{"b":2}\n');
  const before = process.memoryUsage().heapUsed;
  const items = [...readJsonLines(path)];
  expect(values(items)).toEqual([{ a: 1 }, { b: 2 }]);
  // A buffer for each of those bytes would be gigabytes.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(128 * 1024 * 1024);
});

test('a line past the limit is a warning and is not held; the lines around it are read', () => {
  const path = join(temporaryFolder(), 'f.jsonl');
  writeFileSync(path, `{"a":1}\n${' '.repeat(maxLineBytes)}{"b":2}\n{"c":3}\n`);
  const items = [...readJsonLines(path)];
  expect(values(items)).toEqual([{ a: 1 }, { c: 3 }]);
  expect(warnings(items)).toEqual([`2: longer than ${maxLineBytes} bytes`]);
});

test('a FIFO or a device is refused and not waited for', () => {
  const fifo = join(temporaryFolder(), 'f.jsonl');
  execFileSync('mkfifo', [fifo]);
  for (const path of [fifo, '/dev/zero']) expect(() => [...readJsonLines(path)]).toThrow('not a regular file');
});

test('a whole line glued to a torn one by NUL bytes is read', () => {
  expect(values(read('{"a":1,\0\0\0{"b":2}\n'))).toEqual([{ b: 2 }]);
});

test('a line that is not an object, or not UTF-8, is a warning without its content', () => {
  const items = read(Buffer.concat([Buffer.from('[1]\n"secret"\nsecret\n'), Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]));
  expect(warnings(items)).toEqual([1, 2, 3, 4].map((line) => `${line}: not a JSON object`));
});

test('lines longer than the read buffer, and split anywhere by it, are whole', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 70_000 }), { maxLength: 4 }), (lengths) => {
      const path = join(temporaryFolder(), 'f.jsonl');
      writeFileSync(path, '');
      const written = lengths.map((length) => ({ text: '世'.repeat(length) }));
      for (const value of written) appendFileSync(path, `${JSON.stringify(value)}\n`);
      expect(values([...readJsonLines(path)])).toEqual(written);
    }),
    { numRuns: 20 },
  );
});
