/**
 * Reads what the instrumenter must know of a core module: its sections, how many things of each kind it has, what it has from
 * the start, and where its code grows something. Refuses what it cannot instrument. Not the rewriting (instrument.ts).
 */
import { type GrowInstruction, skipInstruction, skipType, UnsupportedError } from './opcodes.js';
import { BinaryError, Reader } from './wasm-binary.js';

const reservedPrefix = 'mur:';
export const sectionOrder = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];
export const [typeId, importId, functionId, tableId, memoryId, globalId, exportId, startId, codeId] = [
  1, 2, 3, 4, 5, 6, 7, 8, 10,
];

/** One section as it stands in the module; `payload` is a view of the input. */
export interface Section {
  readonly id: number;
  readonly payload: Uint8Array;
}

/** How many things of each kind a module has, imports included unless the name says otherwise. */
export interface Shape {
  types: number;
  functions: number;
  importedFunctions: number;
  globals: number;
  memories: number;
  /** Reference type bytes of each table, imported ones first. */
  tables: Uint8Array[];
  memoryPages: number[];
  tableElements: number[];
  start: number | undefined;
}

/** A grow instruction and the bytes it takes in its function body. */
export interface GrowSite extends GrowInstruction {
  readonly start: number;
  readonly end: number;
}

/** The sections of a module in their order, without those that point into code by byte offset. */
export function readSections(bytes: Uint8Array): Section[] {
  const reader = new Reader(bytes);
  for (const expected of [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]) {
    if (reader.byte() !== expected) throw new BinaryError('not a version 1 core module');
  }
  const sections: Section[] = [];
  while (!reader.done) {
    const id = reader.byte();
    const body = reader.slice(reader.u32());
    if (id !== 0 && !sectionOrder.includes(id)) throw new UnsupportedError(`section ${id} is not supported`);
    if (id === 0 && isOffsetSection(body)) continue;
    sections.push({ id, payload: bytes.subarray(body.pos, body.end) });
  }
  return sections;
}

/** Custom sections that point into code by byte offset: wrong after a rewrite, and engines act on them. */
function isOffsetSection(body: Reader): boolean {
  return new Reader(body.bytes, body.pos, body.end).name().startsWith('metadata.code.');
}

/** The module's shape. Throws `UnsupportedError` for what is not instrumented, `BinaryError` for damaged bytes. */
export function readShape(sections: readonly Section[]): Shape {
  const shape: Shape = {
    types: 0,
    functions: 0,
    importedFunctions: 0,
    globals: 0,
    memories: 0,
    tables: [],
    memoryPages: [],
    tableElements: [],
    start: undefined,
  };
  for (const { id, payload } of sections) {
    const reader = new Reader(payload);
    if (id === typeId) shape.types = readTypes(reader);
    else if (id === importId) readImports(reader, shape);
    else if (id === functionId) shape.functions = reader.u32();
    else if (id === tableId) readTables(reader, shape);
    else if (id === memoryId) readMemories(reader, shape);
    else if (id === globalId) shape.globals += reader.u32();
    else if (id === exportId) refuseReservedExports(reader);
    else if (id === startId) shape.start = reader.u32();
  }
  return shape;
}

function readTypes(reader: Reader): number {
  const count = reader.u32();
  for (let index = 0; index < count; index += 1) {
    const form = reader.byte();
    if (form !== 0x60) throw new UnsupportedError('garbage-collected types are not supported');
    for (let list = 0; list < 2; list += 1) {
      for (let left = reader.u32(); left > 0; left -= 1) skipType(reader);
    }
  }
  return count;
}

function readImports(reader: Reader, shape: Shape): void {
  for (let left = reader.u32(); left > 0; left -= 1) {
    reader.name();
    reader.name();
    const kind = reader.byte();
    if (kind === 0) {
      reader.u32();
      shape.importedFunctions += 1;
    } else if (kind === 1) {
      shape.tables.push(readReferenceType(reader));
      readLimits(reader);
    } else if (kind === 2) {
      readLimits(reader);
      shape.memories += 1;
    } else if (kind === 3) {
      skipType(reader);
      reader.byte();
      shape.globals += 1;
    } else if (kind === 4) {
      reader.byte();
      reader.u32();
    } else {
      throw new UnsupportedError(`import kind ${kind} is not supported`);
    }
  }
}

function readTables(reader: Reader, shape: Shape): void {
  for (let left = reader.u32(); left > 0; left -= 1) {
    const initialised = reader.peek() === 0x40;
    if (initialised) reader.skip(2);
    shape.tables.push(readReferenceType(reader));
    shape.tableElements.push(readLimits(reader));
    // Constant expressions hold no blocks, so the first end is theirs.
    if (initialised) while (reader.peek() !== 0x0b) skipInstruction(reader);
    if (initialised) reader.byte();
  }
}

function readMemories(reader: Reader, shape: Shape): void {
  for (let left = reader.u32(); left > 0; left -= 1) {
    shape.memoryPages.push(readLimits(reader));
    shape.memories += 1;
  }
}

function readReferenceType(reader: Reader): Uint8Array {
  const start = reader.pos;
  skipType(reader);
  return reader.bytes.slice(start, reader.pos);
}

/** The minimum. Only plain 32-bit, unshared limits with 64 KiB pages pass. */
function readLimits(reader: Reader): number {
  const flags = reader.byte();
  if ((flags & 0x04) !== 0) throw new UnsupportedError('64-bit memories and tables are not supported');
  if ((flags & 0x02) !== 0) throw new UnsupportedError('shared memories are not supported');
  if (flags > 1) throw new UnsupportedError(`limits flag ${flags} is not supported`);
  const minimum = reader.u32();
  if (flags === 1) reader.u32();
  return minimum;
}

function refuseReservedExports(reader: Reader): void {
  for (let left = reader.u32(); left > 0; left -= 1) {
    const name = reader.name();
    if (name.startsWith(reservedPrefix)) throw new UnsupportedError(`the export name "${name}" is reserved`);
    reader.byte();
    reader.u32();
  }
}

/** A function body (locals and code, without its length) and where it grows something. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly sites: readonly GrowSite[];
}

/** Every function body. Walks all code, so an unknown opcode is found here. */
export function readBodies(sections: readonly Section[]): Body[] {
  const section = sections.find(({ id }) => id === codeId);
  if (section === undefined) return [];
  const reader = new Reader(section.payload);
  const bodies: Body[] = [];
  for (let left = reader.u32(); left > 0; left -= 1) {
    const body = reader.slice(reader.u32());
    const bytes = body.bytes.subarray(body.pos, body.end);
    bodies.push({ bytes, sites: findGrowSites(bytes) });
  }
  return bodies;
}

function findGrowSites(bytes: Uint8Array): GrowSite[] {
  const reader = new Reader(bytes);
  for (let groups = reader.u32(); groups > 0; groups -= 1) {
    reader.u32();
    skipType(reader);
  }
  const sites: GrowSite[] = [];
  while (!reader.done) {
    const start = reader.pos;
    const grow = skipInstruction(reader);
    if (grow !== undefined) sites.push({ ...grow, start, end: reader.pos });
  }
  return sites;
}
