import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ByteSource, mentionsSymbol, parseElf } from '../../src/containment/elf.js';
import { parseShebang } from '../../src/containment/shebang.js';
import { craftElf } from './craft-elf.js';

/** Counts what is read, to see that a small file is not read a million times. */
function source(bytes: Uint8Array): ByteSource & { readonly total: () => number } {
  let total = 0;
  return {
    size: bytes.length,
    read: (offset, length) => {
      const part = bytes.slice(Math.min(offset, bytes.length), Math.min(offset + length, bytes.length));
      total += part.length + 1;
      return part;
    },
    total: () => total,
  };
}

test.each([false, true])('reads loader, libraries and search paths (big endian: %s)', (big) => {
  const bytes = craftElf({
    big,
    interpreter: '/lib/ld.so',
    needed: ['liba.so', 'libb.so.2'],
    rpath: '/one:$ORIGIN/two',
    runpath: '/three',
    symbols: ['Py_BytesMain'],
  });
  const facts = parseElf(source(bytes))!;
  expect(facts).toMatchObject({
    machine: 62,
    interpreter: '/lib/ld.so',
    needed: ['liba.so', 'libb.so.2'],
    rpath: ['/one', '$ORIGIN/two'],
    runpath: ['/three'],
  });
  expect(mentionsSymbol(source(bytes), facts, 'Py_BytesMain')).toBe(true);
  expect(mentionsSymbol(source(bytes), facts, 'BytesMain')).toBe(false);
});

test.each([
  ['an empty file', new Uint8Array(0)],
  ['a script', Buffer.from('#!/bin/sh\n'.repeat(20))],
  ['a 32-bit program', craftElf({}).with(4, 1)],
  ['an unknown byte order', craftElf({}).with(5, 3)],
  ['a header cut short', craftElf({}).subarray(0, 63)],
  ['program headers beyond the end', craftElf({}).subarray(0, 100)],
  ['program headers of another size', craftElf({}).with(54, 32)],
  ['more program headers than any program has', craftElf({}).with(57, 0xff)],
])('%s is none that can be read', (_, bytes) => {
  expect(parseElf(source(bytes))).toBeUndefined();
});

test('texts outside their table are left out', () => {
  const bytes = craftElf({ needed: ['liba.so'] });
  const at = bytes.length - 4 * 16 + 8;
  expect(parseElf(source(bytes.with(at + 2, 0xff)))).toMatchObject({ needed: [] });
});

test('no bytes make it throw, or read much more than there is', () => {
  const whole = craftElf({ interpreter: '/lib/ld.so', needed: ['liba.so', 'libb.so'], rpath: '/one', runpath: '/two' });
  const damaged = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 12 })
    .map((changes) => changes.reduce((bytes, [at, byte]) => bytes.with(at, byte), whole));
  const cut = fc.nat(whole.length).map((length) => whole.subarray(0, length));
  fc.assert(
    fc.property(fc.oneof(damaged, cut, fc.uint8Array({ maxLength: 300 })), (bytes) => {
      const read = source(bytes);
      const facts = parseElf(read);
      if (facts !== undefined) mentionsSymbol(read, facts, 'x');
      expect(read.total()).toBeLessThan(2_000_000);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['#!/usr/bin/python3\n', '/usr/bin/python3', 'python3'],
  ['#! /bin/sh -e\r\nexit', '/bin/sh', 'sh'],
  ['#!/usr/bin/env python3', '/usr/bin/env', 'python3'],
  ['#!/usr/bin/env -S A=1 node --flag\n', '/usr/bin/env', 'node'],
  ['#!/usr/bin/env\n', '/usr/bin/env', 'env'],
])('the first line %j starts %s for %s', (line, program, name) => {
  expect(parseShebang(Buffer.from(line))).toMatchObject({ program, name });
});

test.each(['', '#', '#!', '#!\n/bin/sh', ' #!/bin/sh', '\x7fELF'])('%j is no first line of a script', (line) => {
  expect(parseShebang(Buffer.from(line))).toBeUndefined();
});
