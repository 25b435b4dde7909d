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
import type { GrowInstruction } from './opcodes.js';
import {
  type Body,
  codeId,
  exportId,
  functionId,
  globalId,
  readBodies,
  readSections,
  readShape,
  type Section,
  type Shape,
  sectionOrder,
  startId,
  typeId,
} from './shape.js';
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

const i32 = 0x7f;
const i64 = 0x7e;

/** The module with limits in it; byte for byte the input when nothing in it grows and it starts nothing. */
export function instrument(bytes: Uint8Array): Instrumented {
  const sections = readSections(bytes);
  const shape = readShape(sections);
  const meta: ModuleMeta = { memoryPages: shape.memoryPages, tableElements: shape.tableElements };
  const bodies = readBodies(sections);
  if (bodies.every((body) => body.sites.length === 0) && shape.start === undefined) return { bytes, meta };
  return { bytes: rewrite(sections, shape, bodies), meta };
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
