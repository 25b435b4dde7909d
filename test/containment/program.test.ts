import { expect, test } from 'vitest';
import {
  assemble,
  begin,
  memory,
  type Op,
  ProgramTooLargeError,
  programAddress,
  readReport,
  startOp,
  text,
  texts,
} from '../../src/containment/program.js';

const op = (rest: Partial<Op> = {}): Op => ({ step: 'a step', number: 7, arguments: [], ...rest });
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

test('a program is a header, one block of 64 bytes per op, and the memory they point at', () => {
  const bytes = assemble([op({ arguments: [-100, 5n, text('hi')] }), op({ number: 60 })]);
  const view = viewOf(bytes);
  expect(view.getUint32(0, true)).toBe(0x314c554d);
  expect([view.getUint32(64, true), view.getUint32(76, true)]).toEqual([7, 0]);
  expect([view.getUint32(128, true), view.getUint32(140, true)]).toEqual([60, 1]);
  expect([view.getBigInt64(80, true), view.getBigInt64(88, true)]).toEqual([-100n, 5n]);
  const address = Number(view.getBigInt64(96, true));
  expect(Buffer.from(bytes.subarray(address - programAddress, address - programAddress + 3)).toString()).toBe('hi\0');
});

test('memory that is named twice is there once, so that one op reads what another stored', () => {
  const cell = memory(4);
  const bytes = assemble([
    op({ store: { into: cell, at: 0 } }),
    op({ arguments: [cell], firstIsStored: true }),
    op({ onFailure: 'ignore' }),
    op({ onFailure: 'skip-next' }),
  ]);
  const view = viewOf(bytes);
  expect(BigInt(view.getUint32(64 + 8, true))).toBe(view.getBigInt64(128 + 16, true));
  expect([1, 2, 3, 4].map((index) => view.getUint32(64 * index + 4, true))).toEqual([0, 1, 2, 4]);
});

test('programs that begin alike are the bytes they would be made at once, with room between for what may follow', () => {
  const cell = memory(4);
  const head = [op({ store: { into: cell, at: 0 } }), op({ arguments: [text('shared')] })];
  const beginning = begin(head, 3, 10);
  for (const own of ['one', 'another that is longer']) {
    const view = viewOf(assemble([op({ arguments: [cell, text(own)] }), op({ number: 60 })], beginning));
    expect([0, 1, 2, 3].map((index) => view.getUint32(64 * (index + 1) + 12, true))).toEqual([10, 11, 12, 13]);
    expect(view.getBigInt64(64 * 3 + 16, true)).toBe(BigInt(view.getUint32(64 + 8, true)));
    const at = (address: bigint) => Number(address) - programAddress;
    const said = (place: number, length: number) =>
      Buffer.from(view.buffer, at(view.getBigInt64(place, true)), length).toString();
    expect(said(64 * 2 + 16, 6)).toBe('shared');
    expect(said(64 * 3 + 24, own.length)).toBe(own);
  }
  expect(() => assemble([op(), op(), op(), op()], beginning)).toThrow(RangeError);
});

test('arrays of strings end with a null address and point at strings that end with a NUL', () => {
  const values = ['bash', '-c', 'echo é', ''];
  const bytes = assemble([op({ arguments: [texts(values)] })]);
  const view = viewOf(bytes);
  const at = Number(view.getBigInt64(80, true)) - programAddress;
  const read = values.map((_, index) => {
    const start = Number(view.getBigUint64(at + 8 * index, true)) - programAddress;
    return Buffer.from(bytes.subarray(start, bytes.indexOf(0, start))).toString();
  });
  expect(read).toEqual(values);
  expect(view.getBigUint64(at + 8 * values.length, true)).toBe(0n);
});

test('a string with a NUL inside is refused, not cut short', () => {
  expect(() => text('a\0b')).toThrow(RangeError);
});

test('a program no player could map is refused', () => {
  expect(() => assemble([op({ arguments: [memory(4 * 1024 * 1024)] })])).toThrow(ProgramTooLargeError);
  expect(() => assemble([op({ arguments: [0, 0, 0, 0, 0, 0, 0] })])).toThrow(RangeError);
});

test('a report tells a chain that broke, a start, and the step that failed from each other', () => {
  const ops = [startOp(1), op({ step: 'chdir' })];
  const mark = (ops[0]!.arguments[1] as { bytes: Uint8Array }).bytes;
  const failure = new Uint8Array(new Uint32Array([80, 0, 2, 1]).buffer);
  expect(readReport(new Uint8Array(), ops)).toEqual({ kind: 'not started' });
  expect(readReport(mark, ops)).toEqual({ kind: 'started' });
  expect(readReport(Buffer.concat([mark, failure]), ops)).toEqual({
    kind: 'failed',
    step: 'chdir',
    errno: 2,
    buildsRoot: false,
  });
  expect(readReport(failure, ops)).toEqual({ kind: 'failed', step: 'chdir', errno: 2, buildsRoot: false });
});
