/**
 * Launch programs: the system calls between the start of a child and its exec, as one flat list that a stub of machine code (stub.ts)
 * or Node with koffi (workers/launcher.ts) makes one after the other. No branches, no parsing, no allocation: all pointers are
 * absolute, because the list is mapped at a fixed address. Not what the calls are for: steps.ts and landlock.ts say that.
 */

/** Memory an argument points at. The same object is the same memory wherever it is named. */
export interface Memory {
  readonly bytes: Uint8Array;
  /** Places in `bytes` that hold the address of other memory. */
  readonly pointers?: readonly { readonly at: number; readonly to: Memory }[];
}

export type Argument = number | bigint | Memory;

/** One system call. */
export interface Op {
  /** What a failure is called: `sandbox: <step> failed before exec`. */
  readonly step: string;
  readonly number: number;
  readonly arguments: readonly Argument[];
  /** The first argument points at four bytes that hold its value: the result an earlier op stored. */
  readonly firstIsStored?: boolean;
  /** Where the low 32 bits of the result go. */
  readonly store?: { readonly into: Memory; readonly at: number };
  /** What an errno means. Default `stop`: it is reported and nothing is executed. */
  readonly onFailure?: 'stop' | 'ignore' | 'skip-next';
  /** It makes the file system of the command, so that its failure says something about the host and not about the command. */
  readonly buildsRoot?: boolean;
}

/** The descriptor a player reports on. Its program is on the one before. */
export const reportFd = 4;

/**
 * Where the program is mapped, and how much of it there can be. Addresses of cells are 32 bits wide, and the heap of a Node that is not
 * position independent grows up from some 100 MiB.
 */
export const programAddress = 0x7000_0000;
export const programBytesMax = 0x40_0000;

const magic = 0x314c_554d;
const opBytes = 64;
export const opFlag = { firstIsStored: 1, ignore: 2, skipNext: 4 } as const;
const argumentsMax = 6;

/** A program larger than players map: arguments and environment did not fit. */
export class ProgramTooLargeError extends Error {}

/** The first ops of many programs, laid out once. */
export interface Beginning {
  readonly ops: readonly Op[];
  /** Header, ops and their memory, with room between for as many ops as may follow. */
  readonly bytes: Uint8Array;
  readonly places: ReadonlyMap<Memory, number>;
  readonly opsMax: number;
  readonly firstIndex: number;
}

/**
 * Lays out what programs begin with. At most `more` ops may follow. `firstIndex`: what the first op is called in reports, where
 * several programs share one.
 */
export function begin(ops: readonly Op[], more: number, firstIndex = 0): Beginning {
  const opsMax = ops.length + more;
  const { bytes, places } = write(ops, {
    ops: [],
    bytes: new Uint8Array(opBytes * (opsMax + 1)),
    places: new Map(),
    opsMax,
    firstIndex,
  });
  new DataView(bytes.buffer).setUint32(0, magic, true);
  return { ops, bytes, places, opsMax, firstIndex };
}

/**
 * The bytes of a program. Its last op must not return when it succeeds (`execve`, `exit_group`): players run on to the next op, and
 * there is none. Throws `ProgramTooLargeError`.
 */
export function assemble(ops: readonly Op[], beginning = begin([], ops.length)): Uint8Array {
  return write(ops, beginning).bytes;
}

/** A copy of `beginning` with more ops. */
function write(ops: readonly Op[], beginning: Beginning): Pick<Beginning, 'bytes' | 'places'> {
  const { places: known, opsMax, firstIndex } = beginning;
  const before = beginning.ops.length;
  if (before + ops.length > opsMax) throw new RangeError(`a program with more than ${opsMax} ops`);
  const added = new Map<Memory, number>();
  let end = beginning.bytes.length;
  const place = (memory: Memory): void => {
    if (known.has(memory) || added.has(memory)) return;
    added.set(memory, end);
    end += Math.ceil(memory.bytes.length / 8) * 8;
    for (const { to } of memory.pointers ?? []) place(to);
  };
  for (const op of ops) {
    for (const argument of op.arguments) if (typeof argument === 'object') place(argument);
    if (op.store !== undefined) place(op.store.into);
  }
  if (end > programBytesMax) {
    throw new ProgramTooLargeError(`arguments and environment take ${end} bytes, the limit is ${programBytesMax}`);
  }
  const bytes = new Uint8Array(end);
  bytes.set(beginning.bytes);
  const view = new DataView(bytes.buffer);
  const addressOf = (memory: Memory) => programAddress + (added.get(memory) ?? known.get(memory)!);
  for (const [index, op] of ops.entries()) {
    writeOp(view, opBytes * (before + index + 1), firstIndex + before + index, op, addressOf);
  }
  for (const [memory, offset] of added) {
    bytes.set(memory.bytes, offset);
    for (const { at, to } of memory.pointers ?? []) view.setBigUint64(offset + at, BigInt(addressOf(to)), true);
  }
  return { bytes, places: added };
}

function writeOp(view: DataView, at: number, index: number, op: Op, addressOf: (memory: Memory) => number): void {
  if (op.arguments.length > argumentsMax) throw new RangeError(`${op.step}: more than ${argumentsMax} arguments`);
  view.setUint32(at, op.number, true);
  view.setUint32(at + 4, flagsOf(op), true);
  view.setUint32(at + 8, op.store === undefined ? 0 : addressOf(op.store.into) + op.store.at, true);
  view.setUint32(at + 12, index, true);
  for (const [position, argument] of op.arguments.entries()) {
    const value = typeof argument === 'object' ? addressOf(argument) : argument;
    view.setBigInt64(at + 16 + 8 * position, BigInt(value), true);
  }
}

function flagsOf({ firstIsStored = false, onFailure = 'stop' }: Op): number {
  const failure = { stop: 0, ignore: opFlag.ignore, 'skip-next': opFlag.skipNext }[onFailure];
  return failure | (firstIsStored ? opFlag.firstIsStored : 0);
}

/** A string with its end mark. Throws for one that holds an end mark itself, which the kernel would cut short. */
export function text(value: string): Memory {
  if (value.includes('\0')) throw new RangeError('a string for the kernel holds a NUL byte');
  return { bytes: Buffer.from(`${value}\0`, 'utf8') };
}

/** An array of strings as `execve` takes it. */
export function texts(values: readonly string[]): Memory {
  return {
    bytes: new Uint8Array(8 * (values.length + 1)),
    pointers: values.map((value, index) => ({ at: 8 * index, to: text(value) })),
  };
}

/** Memory of its own that holds these bytes. */
export function memory(bytes: Uint8Array | number): Memory {
  return { bytes: typeof bytes === 'number' ? new Uint8Array(bytes) : bytes };
}

/** What came over the report descriptor until it was closed. */
export type Report =
  /** The player never got as far as the first op: what runs around it failed. */
  | { readonly kind: 'not started' }
  /** Nothing failed; the last op took over the process, or the process was killed. */
  | { readonly kind: 'started' }
  | { readonly kind: 'failed'; readonly step: string; readonly errno: number; readonly buildsRoot: boolean };

/** Sixteen bytes no failed op can look like: its number is no call's. */
const startMark = new Uint8Array(new Uint32Array([0xffff_ffff, magic, 0, 0]).buffer);
const reportBytes = 16;

/** The op every program starts with, so that a closed report tells a started command from a chain that broke. */
export function startOp(write: number): Op {
  return { step: 'report', number: write, arguments: [reportFd, memory(startMark), startMark.length] };
}

/** Reads a report of a program that started with `startOp`. */
export function readReport(bytes: Uint8Array, ops: readonly Op[]): Report {
  if (bytes.length < reportBytes) return { kind: 'not started' };
  if (bytes.length < 2 * reportBytes && isMark(bytes)) return { kind: 'started' };
  const view = new DataView(bytes.buffer, bytes.byteOffset + (isMark(bytes) ? reportBytes : 0));
  const op = ops[view.getUint32(12, true)];
  const step = op?.step ?? `system call ${view.getUint32(0, true)}`;
  return { kind: 'failed', step, errno: view.getUint32(8, true), buildsRoot: op?.buildsRoot ?? false };
}

function isMark(bytes: Uint8Array): boolean {
  return startMark.every((byte, index) => bytes[index] === byte);
}
