/**
 * Plays a launch program with koffi, where the stub of machine code cannot run (src/containment/program.ts has the format,
 * src/containment/stub-x64.S the same player). A process of its own, started with the program on descriptor 3: `node launcher.js
 * <entry file of koffi>`. It ends by becoming another program, or with status 125 after a report on descriptor 4.
 */
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

type Native = (...values: unknown[]) => number | bigint;
interface Koffi {
  load(library: null): { func(prototype: string): Native };
  errno(): number;
}

const address = 0x7000_0000;
const magic = 0x314c_554d;
const opBytes = 64;
const flag = { firstIsStored: 1, ignore: 2, skipNext: 4 };
const failed = 125;

const mmapNumber = process.arch === 'arm64' ? 222 : 9;
const PROT_READ_WRITE = 3;
/** MAP_PRIVATE | MAP_FIXED_NOREPLACE: Node lives in this address space as well. */
const mapFlags = 0x10_0002;
const SIGPIPE = 13;

const koffi = createRequire(import.meta.url)(process.argv[2]!) as Koffi;
const libc = koffi.load(null);
const syscall = libc.func(
  'int64_t syscall(int64_t n, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)',
);
const peek = libc.func('int64_t memcpy(_Out_ uint8_t *to, int64_t from, int64_t count)');
const poke = libc.func('int64_t memcpy(int64_t to, uint8_t *from, int64_t count)');
const signal = libc.func('int64_t signal(int number, int64_t handler)');

const program = readFileSync(3);
const view = new DataView(program.buffer, program.byteOffset, program.length);
const cell = Buffer.alloc(4);

// Node ignores it, and a program that is executed would go on ignoring it.
signal(SIGPIPE, 0);
const place = syscall(mmapNumber, address, 0x40_0000, PROT_READ_WRITE, mapFlags, 3, 0);
if (view.getUint32(0, true) !== magic || Number(place) !== address) {
  writeSync(2, 'the launch program could not be mapped at its address\n');
  process.exit(failed);
}
play();

function play(): void {
  for (let at = opBytes; ; at += opBytes) {
    const flags = view.getUint32(at + 4, true);
    const result = make(at, flags);
    if (result >= 0 || flags & flag.ignore) continue;
    if (flags & flag.skipNext) at += opBytes;
    else report(at, -result);
  }
}

/** The result of the call, or its errno, negated. */
function make(at: number, flags: number): number {
  const values = Array.from({ length: 6 }, (_, index) => view.getBigInt64(at + 16 + 8 * index, true));
  if (flags & flag.firstIsStored) {
    peek(cell, values[0], 4);
    values[0] = BigInt(cell.readInt32LE());
  }
  const returned = Number(syscall(view.getUint32(at, true), ...values));
  const result = returned === -1 ? -koffi.errno() : returned;
  const store = view.getUint32(at + 8, true);
  if (store !== 0) {
    cell.writeInt32LE(result | 0);
    poke(store, cell, 4);
  }
  return result;
}

function report(at: number, errno: number): never {
  view.setUint32(at + 8, errno, true);
  writeSync(4, program.subarray(at, at + 16));
  process.exit(failed);
}
