/**
 * Steps over WebAssembly instructions and reports the ones that grow something. Knows the standard up to SIMD, threads,
 * tail calls, typed function references and exceptions (both encodings). Anything else is refused, never guessed: a wrong
 * length would rewrite the wrong bytes.
 */
import { BinaryError, type Reader } from './wasm-binary.js';

/** An instruction or type this project does not instrument. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
}

/** A `memory.grow` or `table.grow` with the index it works on. */
export interface GrowInstruction {
  readonly what: 'memory' | 'table';
  readonly index: number;
}

const hex = (value: number): string => `0x${value.toString(16).padStart(2, '0')}`;

/** Steps over one instruction; the grow instruction if it is one. */
export function skipInstruction(reader: Reader): GrowInstruction | undefined {
  const opcode = reader.byte();
  if (opcode >= 0x45 && opcode <= 0xc4) return undefined;
  if (opcode >= 0x28 && opcode <= 0x3e) return skipMemoryArgument(reader);
  switch (opcode) {
    case 0x00: // unreachable
    case 0x01: // nop
    case 0x05: // else
    case 0x0a: // throw_ref
    case 0x0b: // end
    case 0x0f: // return
    case 0x19: // catch_all
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
    case 0xd4: // ref.as_non_null
      return undefined;
    case 0x02: // block
    case 0x03: // loop
    case 0x04: // if
    case 0x06: // try
      return skipType(reader);
    case 0x07: // catch
    case 0x08: // throw
    case 0x09: // rethrow
    case 0x0c: // br
    case 0x0d: // br_if
    case 0x10: // call
    case 0x12: // return_call
    case 0x14: // call_ref
    case 0x15: // return_call_ref
    case 0x18: // delegate
    case 0x20: // local.get
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x24: // global.set
    case 0x25: // table.get
    case 0x26: // table.set
    case 0x3f: // memory.size
    case 0x41: // i32.const
    case 0x42: // i64.const
    case 0xd0: // ref.null
    case 0xd2: // ref.func
    case 0xd5: // br_on_null
    case 0xd6: // br_on_non_null
      reader.skipLeb();
      return undefined;
    case 0x0e: // br_table
      for (let left = reader.u32(); left >= 0; left -= 1) reader.skipLeb();
      return undefined;
    case 0x11: // call_indirect
    case 0x13: // return_call_indirect
      reader.skipLeb();
      reader.skipLeb();
      return undefined;
    case 0x1c: // select with types
      for (let left = reader.u32(); left > 0; left -= 1) skipType(reader);
      return undefined;
    case 0x1f: // try_table
      skipType(reader);
      for (let left = reader.u32(); left > 0; left -= 1) {
        if (reader.byte() < 2) reader.skipLeb();
        reader.skipLeb();
      }
      return undefined;
    case 0x40: // memory.grow
      return { what: 'memory', index: reader.u32() };
    case 0x43: // f32.const
      reader.skip(4);
      return undefined;
    case 0x44: // f64.const
      reader.skip(8);
      return undefined;
    case 0xfc:
      return skipPrefixed(reader);
    case 0xfd:
      return skipVector(reader);
    case 0xfe:
      return skipAtomic(reader);
    case 0xfb:
    case 0xd3:
      throw new UnsupportedError('garbage-collected types are not supported');
    default:
      throw new UnsupportedError(`opcode ${hex(opcode)} is not supported`);
  }
}

/** Steps over a value type or block type. Typed references carry a heap type behind their prefix. */
export function skipType(reader: Reader): undefined {
  const first = reader.peek();
  if (first === 0x63 || first === 0x64) reader.byte();
  reader.skipLeb();
}

function skipMemoryArgument(reader: Reader): undefined {
  const align = reader.u32();
  if (align >= 0x80) throw new BinaryError(`alignment out of range at byte ${reader.pos}`);
  if ((align & 0x40) !== 0) reader.skipLeb();
  reader.skipLeb();
}

function skipPrefixed(reader: Reader): GrowInstruction | undefined {
  const sub = reader.u32();
  if (sub <= 7) return undefined; // saturating truncations
  switch (sub) {
    case 9: // data.drop
    case 11: // memory.fill
    case 13: // elem.drop
    case 16: // table.size
    case 17: // table.fill
      reader.skipLeb();
      return undefined;
    case 8: // memory.init
    case 10: // memory.copy
    case 12: // table.init
    case 14: // table.copy
      reader.skipLeb();
      reader.skipLeb();
      return undefined;
    case 15:
      return { what: 'table', index: reader.u32() };
    default:
      throw new UnsupportedError(`opcode 0xfc ${hex(sub)} is not supported`);
  }
}

function skipVector(reader: Reader): undefined {
  const sub = reader.u32();
  if (sub <= 11 || sub === 92 || sub === 93) return skipMemoryArgument(reader);
  if (sub === 12 || sub === 13) return void reader.skip(16);
  if (sub >= 21 && sub <= 34) return void reader.byte();
  if (sub >= 84 && sub <= 91) {
    skipMemoryArgument(reader);
    return void reader.byte();
  }
  if (sub > 0x113) throw new UnsupportedError(`opcode 0xfd ${hex(sub)} is not supported`);
}

function skipAtomic(reader: Reader): undefined {
  const sub = reader.u32();
  if (sub === 3) return void reader.byte();
  if (sub > 0x4e) throw new UnsupportedError(`opcode 0xfe ${hex(sub)} is not supported`);
  return skipMemoryArgument(reader);
}
