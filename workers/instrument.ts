/**
 * Rewrites a core module so that a growth of a memory or table past the call's limit traps at the growth, and the host can
 * read how much was wanted. Every `memory.grow` and `table.grow` becomes a call to an appended helper; appended, so no index
 * shifts. A start function becomes the export `mur:start`, because the limits are set after instantiation and it may grow too.
 *
 * Does not limit: what a module defines from the start (the caller checks `ModuleMeta` before it instantiates), the number of
 * instances (component.ts counts), JavaScript memory (lift.ts).
 * Refuses: modules that already export a `mur:` name, 64-bit or shared memories and tables, garbage-collected types, unknown opcodes.
 */
import type { ModuleMeta } from './message.js';
import { type GrowInstruction, skipInstruction, skipType, UnsupportedError } from './opcodes.js';
import { BinaryError, Reader, Writer } from './wasm-binary.js';

/** Part of the cache key. Raise it with any change in what this file emits or refuses. */
export const instrumenterRevision = 1;

export const exportNames = {
  memoryLimit: 'mur:memory-limit-pages',
  tableLimit: 'mur:table-limit',
  deniedPages: 'mur:denied-pages',
  deniedElements: 'mur:denied-elements',
  start: 'mur:start',
} as const;

export interface Instrumented {
  readonly bytes: Uint8Array;
  readonly meta: ModuleMeta;
}

const reservedPrefix = 'mur:';
const sectionOrder = [1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];
const [typeId, importId, functionId, tableId, memoryId, globalId, exportId, startId, codeId] = [
  1, 2, 3, 4, 5, 6, 7, 8, 10,
];
const i32 = 0x7f;
const i64 = 0x7e;

interface Section {
  readonly id: number;
  readonly payload: Uint8Array;
}

interface Shape {
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

interface GrowSite extends GrowInstruction {
  readonly start: number;
  readonly end: number;
}

/** The module with limits in it; byte for byte the input when nothing in it grows and it starts nothing. */
export function instrument(bytes: Uint8Array): Instrumented {
  const sections = readSections(bytes);
  const shape = readShape(sections);
  const meta: ModuleMeta = { memoryPages: shape.memoryPages, tableElements: shape.tableElements };
  const bodies = readBodies(sections);
  if (bodies.every((body) => body.sites.length === 0) && shape.start === undefined) return { bytes, meta };
  return { bytes: rewrite(sections, shape, bodies), meta };
}

function readSections(bytes: Uint8Array): Section[] {
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

function readShape(sections: readonly Section[]): Shape {
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

interface Body {
  readonly bytes: Uint8Array;
  readonly sites: readonly GrowSite[];
}

function readBodies(sections: readonly Section[]): Body[] {
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

function rewrite(sections: readonly Section[], shape: Shape, bodies: readonly Body[]): Uint8Array {
  const firstHelper = shape.importedFunctions + shape.functions;
  const helperOf = (grow: GrowInstruction): number => {
    const count = grow.what === 'memory' ? shape.memories : shape.tables.length;
    if (grow.index >= count) throw new BinaryError(`${grow.what} ${grow.index} does not exist`);
    return firstHelper + (grow.what === 'memory' ? grow.index : shape.memories + grow.index);
  };
  const globals = {
    memoryLimit: shape.globals,
    tableLimit: shape.globals + 1,
    deniedPages: shape.globals + 2,
    deniedElements: shape.globals + 3,
  };
  const helpers = [
    ...Array.from({ length: shape.memories }, (_, index) => memoryHelper(index, globals)),
    ...shape.tables.map((_, index) => tableHelper(index, globals)),
  ];

  const types = new Writer().raw([0x60, 1, i32, 1, i32]);
  for (const reference of shape.tables) types.raw([0x60, 2]).raw(reference).raw([i32, 1, i32]);
  const functions = new Writer();
  for (let index = 0; index < shape.memories; index += 1) functions.u32(shape.types);
  shape.tables.forEach((_, index) => {
    functions.u32(shape.types + 1 + index);
  });
  const addedGlobals = new Writer();
  // Limits start at zero: a module whose limits nobody set cannot grow at all.
  for (let index = 0; index < 4; index += 1) addedGlobals.raw([i64, 1, 0x42, 0, 0x0b]);
  const exports = new Writer();
  exports.name(exportNames.memoryLimit).byte(3).u32(globals.memoryLimit);
  exports.name(exportNames.tableLimit).byte(3).u32(globals.tableLimit);
  exports.name(exportNames.deniedPages).byte(3).u32(globals.deniedPages);
  exports.name(exportNames.deniedElements).byte(3).u32(globals.deniedElements);
  if (shape.start !== undefined) exports.name(exportNames.start).byte(0).u32(shape.start);
  const code = new Writer();
  for (const body of bodies) code.sized(rewriteBody(body, helperOf));
  for (const helper of helpers) code.sized(helper);

  let output = extend(sections, typeId, 1 + shape.tables.length, types.finish());
  output = extend(output, functionId, helpers.length, functions.finish());
  output = extend(output, globalId, 4, addedGlobals.finish());
  output = extend(output, exportId, 4 + (shape.start === undefined ? 0 : 1), exports.finish());
  output = output.filter(({ id }) => id !== startId);
  const codeSection: Section = {
    id: codeId,
    payload: new Writer()
      .u32(bodies.length + helpers.length)
      .raw(code.finish())
      .finish(),
  };
  output = place(
    output.filter(({ id }) => id !== codeId),
    codeSection,
  );

  const module = new Writer().raw([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);
  for (const { id, payload } of output) module.byte(id).sized(payload);
  return module.finish();
}

/** `sections` with `count` more entries at the end of the vector in section `id`, which is created if it is missing. */
function extend(sections: readonly Section[], id: number, count: number, entries: Uint8Array): Section[] {
  const old = sections.find((section) => section.id === id);
  const reader = new Reader(old?.payload ?? new Uint8Array([0]));
  const before = reader.u32();
  const payload = new Writer()
    .u32(before + count)
    .raw(reader.bytes.subarray(reader.pos))
    .raw(entries)
    .finish();
  if (old !== undefined) return sections.map((section) => (section === old ? { id, payload } : section));
  return place(sections, { id, payload });
}

/** `sections` with `added` at its place in the order the format demands. */
function place(sections: readonly Section[], added: Section): Section[] {
  const rank = sectionOrder.indexOf(added.id);
  const index = sections.findIndex(({ id }) => id !== 0 && sectionOrder.indexOf(id) > rank);
  return index < 0 ? [...sections, added] : sections.toSpliced(index, 0, added);
}

function rewriteBody(body: Body, helperOf: (grow: GrowInstruction) => number): Uint8Array {
  if (body.sites.length === 0) return body.bytes;
  const writer = new Writer();
  let copied = 0;
  for (const site of body.sites) {
    writer.raw(body.bytes.subarray(copied, site.start)).byte(0x10).u32(helperOf(site));
    copied = site.end;
  }
  return writer.raw(body.bytes.subarray(copied)).finish();
}

interface GlobalIndexes {
  readonly memoryLimit: number;
  readonly tableLimit: number;
  readonly deniedPages: number;
  readonly deniedElements: number;
}

/** `(delta: i32) -> i32`: memory.size + delta in 64 bits, compared with the limit. */
function memoryHelper(memory: number, globals: GlobalIndexes): Uint8Array {
  const writer = new Writer().raw([1, 1, i64]);
  writer.raw([0x20, 0, 0xad, 0x3f]).u32(memory).raw([0xad, 0x7c]);
  denyAbove(writer, 1, globals.memoryLimit, globals.deniedPages);
  return writer.raw([0x20, 0, 0x40]).u32(memory).byte(0x0b).finish();
}

/** `(value: ref, delta: i32) -> i32`, likewise for a table. */
function tableHelper(table: number, globals: GlobalIndexes): Uint8Array {
  const writer = new Writer().raw([1, 1, i64]);
  writer.raw([0x20, 1, 0xad, 0xfc, 16]).u32(table).raw([0xad, 0x7c]);
  denyAbove(writer, 2, globals.tableLimit, globals.deniedElements);
  return writer.raw([0x20, 0, 0x20, 1, 0xfc, 15]).u32(table).byte(0x0b).finish();
}

/** With the wanted size on the stack: keep it in `local`; when it exceeds the limit, record it and trap. */
function denyAbove(writer: Writer, local: number, limitGlobal: number, deniedGlobal: number): void {
  writer.raw([0x22, local, 0x23]).u32(limitGlobal).raw([0x55, 0x04, 0x40]);
  writer.raw([0x20, local, 0x24]).u32(deniedGlobal).raw([0x00, 0x0b]);
}
