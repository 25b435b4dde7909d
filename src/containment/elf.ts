/**
 * What an ELF file needs to start: its loader and its libraries, as it names them (elf(5)). Files come from this host, but nothing is
 * believed: every read is bounded, a number that leads outside the file ends the reading, and nothing is thrown.
 * Pure over `ByteSource`. Where a library name leads is closure.ts.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface ByteSource {
  readonly size: number;
  /** Fewer bytes at the end of the file, none beyond it. */
  read(offset: number, length: number): Uint8Array;
}

export interface ElfFacts {
  /** `e_machine`: 62 is x86-64, 183 is arm64. */
  readonly machine: number;
  /** The loader, as written. Absent for a static program or a library. */
  readonly interpreter?: string;
  readonly needed: readonly string[];
  /** Folders of DT_RPATH, as written. */
  readonly rpath: readonly string[];
  readonly runpath: readonly string[];
  /** Where the names of the dynamic symbols are. */
  readonly strings?: { readonly offset: number; readonly size: number };
}

const elf64HeaderBytes = 64;
const programHeaderBytes = 56;
const dynamicEntryBytes = 16;
const mostProgramHeaders = 512;
const mostDynamicEntries = 4096;
const mostNeeded = 512;
const mostTextBytes = 4096;
const mostSymbolTextBytes = 16 * 1024 * 1024;

const segment = { load: 1, dynamic: 2, interpreter: 3 } as const;
const tag = { end: 0, needed: 1, strings: 5, stringsSize: 10, rpath: 15, runpath: 29 } as const;

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly fileSize: number;
}

/** `undefined` for what is no 64-bit ELF file, or one cut short: such a file needs nothing that could be named. */
export function parseElf(source: ByteSource): ElfFacts | undefined {
  const head = source.read(0, elf64HeaderBytes);
  if (head.length < elf64HeaderBytes || !isElf64(head)) return undefined;
  const little = head[5] === 1;
  const header = viewOf(head);
  const segments = readSegments(source, header, little);
  if (segments === undefined) return undefined;

  const loader = segments.find(({ type }) => type === segment.interpreter);
  const interpreter = loader === undefined ? undefined : textAt(source, loader.offset, loader.fileSize);
  const facts = { machine: header.getUint16(18, little), ...(interpreter === undefined ? {} : { interpreter }) };
  const dynamic = segments.find(({ type }) => type === segment.dynamic);
  if (dynamic === undefined) return { ...facts, needed: [], rpath: [], runpath: [] };
  return { ...facts, ...readDynamic(source, dynamic, segments, little) };
}

/** True when the names of the dynamic symbols, defined or wanted, have this one. */
export function mentionsSymbol(source: ByteSource, facts: ElfFacts, name: string): boolean {
  if (facts.strings === undefined || facts.strings.size > mostSymbolTextBytes) return false;
  const text = Buffer.from(source.read(facts.strings.offset, facts.strings.size));
  return text.includes(`\0${name}\0`, 0, 'latin1');
}

/** Reads an open file while `use` runs. `undefined` when it is no regular file or cannot be read. */
export function withFile<T>(path: string, use: (source: ByteSource) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    return use({
      size: stat.size,
      read: (offset, length) => {
        const wanted = Math.max(0, Math.min(length, stat.size - offset));
        const bytes = new Uint8Array(wanted);
        let at = 0;
        while (at < wanted) {
          const count = readSync(fd, bytes, at, wanted - at, offset + at);
          if (count === 0) break;
          at += count;
        }
        return bytes.subarray(0, at);
      },
    });
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function isElf64(head: Uint8Array): boolean {
  const magic = [0x7f, 0x45, 0x4c, 0x46, 2];
  return magic.every((byte, index) => head[index] === byte) && (head[5] === 1 || head[5] === 2);
}

function readSegments(source: ByteSource, header: DataView, little: boolean): readonly Segment[] | undefined {
  const offset = numberAt(header, 32, little);
  const count = header.getUint16(56, little);
  const size = header.getUint16(54, little);
  if (count > 0 && (size !== programHeaderBytes || count > mostProgramHeaders)) return undefined;
  const bytes = source.read(offset, count * programHeaderBytes);
  if (bytes.length < count * programHeaderBytes) return undefined;
  const view = viewOf(bytes);
  return Array.from({ length: count }, (_, index) => {
    const at = index * programHeaderBytes;
    return {
      type: view.getUint32(at, little),
      offset: numberAt(view, at + 8, little),
      address: numberAt(view, at + 16, little),
      fileSize: numberAt(view, at + 32, little),
    };
  });
}

function readDynamic(
  source: ByteSource,
  dynamic: Segment,
  segments: readonly Segment[],
  little: boolean,
): Pick<ElfFacts, 'needed' | 'rpath' | 'runpath' | 'strings'> {
  const bytes = source.read(dynamic.offset, Math.min(dynamic.fileSize, mostDynamicEntries * dynamicEntryBytes));
  const view = viewOf(bytes);
  const values = new Map<number, number[]>();
  for (let at = 0; at + dynamicEntryBytes <= bytes.length; at += dynamicEntryBytes) {
    const kind = numberAt(view, at, little);
    if (kind === tag.end) break;
    const known = values.get(kind) ?? [];
    if (known.length < mostNeeded) known.push(numberAt(view, at + 8, little));
    values.set(kind, known);
  }
  const strings = stringTable(source, values, segments);
  const texts = (kind: number): string[] =>
    (values.get(kind) ?? []).flatMap((index) => {
      if (strings === undefined || index >= strings.size) return [];
      const text = textAt(source, strings.offset + index, Math.min(mostTextBytes, strings.size - index));
      return text === undefined ? [] : [text];
    });
  const folders = (kind: number) =>
    texts(kind)
      .flatMap((text) => text.split(':'))
      .filter((folder) => folder !== '');
  return {
    needed: texts(tag.needed),
    rpath: folders(tag.rpath),
    runpath: folders(tag.runpath),
    ...(strings === undefined ? {} : { strings }),
  };
}

/** The table is named by its address in memory; the load segment around it says where that is in the file. */
function stringTable(
  source: ByteSource,
  values: ReadonlyMap<number, readonly number[]>,
  segments: readonly Segment[],
): { offset: number; size: number } | undefined {
  const address = values.get(tag.strings)?.[0];
  const size = values.get(tag.stringsSize)?.[0];
  if (address === undefined || size === undefined) return undefined;
  const around = segments.find(
    (each) => each.type === segment.load && address >= each.address && address - each.address < each.fileSize,
  );
  if (around === undefined) return undefined;
  const offset = around.offset + (address - around.address);
  return offset < source.size ? { offset, size: Math.min(size, source.size - offset) } : undefined;
}

/** The text up to its zero byte; `undefined` when it is empty or has none. */
function textAt(source: ByteSource, offset: number, length: number): string | undefined {
  const bytes = source.read(offset, Math.min(length, mostTextBytes));
  const end = bytes.indexOf(0);
  return end <= 0 ? undefined : Buffer.from(bytes.subarray(0, end)).toString('utf8');
}

/** A number no file is as long as becomes infinite, which every bound refuses. */
function numberAt(view: DataView, at: number, little: boolean): number {
  const value = view.getBigUint64(at, little);
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
