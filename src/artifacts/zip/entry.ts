/**
 * One entry of the directory, checked before anything of it is used: kind, method, sizes, and that the header in front of its
 * data says what the directory says. Not its place among the others (entries.ts), not its content (unpack.ts).
 */
import type { Entry, LocalFileHeader } from 'yauzl';
import type { ArchiveLimits } from './limits.js';
import { decodeName, entryNameProblem } from './name.js';
import { shown, ZipProblem } from './problem.js';

/** What is left of an entry once it was checked. */
export interface ZipEntry {
  readonly name: string;
  readonly isFolder: boolean;
  /** Written with a leading `/`, which is never a payload (spec/artifacts.md section 5.1). */
  readonly isRooted: boolean;
  readonly isDeflated: boolean;
  readonly crc32: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Offsets of its local header and of its data. */
  readonly start: number;
  readonly dataStart: number;
  /** Whether a descriptor follows the data. */
  readonly isDescribed: boolean;
}

const encryptionFlags = 0x2041;
const patchFlag = 0x20;
const descriptorFlag = 0x08;
/** Hints of the packer about its effort; the two headers may differ in them. */
const effortFlags = 0x06;
const zip64Field = 0x0001;
const unicodePathField = 0x7075;

/** Beyond this size, an entry that unpacks to so many times its packed size is a bomb. */
const bombBytes = 16 * 1024 * 1024;
const bombRatio = 250;

/** `entry` with `local`, the header in front of its data. Throws `ZipProblem`. */
export function checkEntry(entry: Entry, local: LocalFileHeader, limits: ArchiveLimits): ZipEntry {
  const written = nameOf(entry);
  const isRooted = written.startsWith('/');
  const name = isRooted ? written.slice(1) : written;
  const refuse = (reason: string): ZipProblem => new ZipProblem(`zip entry '${shown(written)}' ${reason}`);
  const problem = entryNameProblem(name);
  if (problem !== undefined) throw refuse(`has an unsafe path: ${problem}`);
  const kind = kindProblem(entry, name.endsWith('/'));
  if (kind !== undefined) throw refuse(kind);
  const header = headerProblem(entry, local);
  if (header !== undefined) throw refuse(`is described in two ways: its local header has another ${header}`);
  const size = sizeProblem(entry, limits);
  if (size !== undefined) throw refuse(size);
  return {
    name,
    isRooted,
    isFolder: name.endsWith('/'),
    isDeflated: entry.compressionMethod === 8,
    crc32: entry.crc32,
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    start: entry.relativeOffsetOfLocalHeader,
    dataStart: local.fileDataStart,
    isDescribed: (entry.generalPurposeBitFlag & descriptorFlag) !== 0,
  };
}

/** Always the header's own bytes: an extra field that names the entry otherwise is for other readers, and refused. */
function nameOf(entry: Entry): string {
  const name = decodeName(entry.fileNameRaw);
  if (name === undefined) {
    throw new ZipProblem(
      `zip entry '${shown(entry.fileNameRaw.toString('latin1'))}' has a name that is not valid UTF-8`,
    );
  }
  for (const { id, data } of entry.extraFields) {
    if (id === unicodePathField && !data.subarray(5).equals(entry.fileNameRaw)) {
      throw new ZipProblem(`zip entry '${shown(name)}' is described in two ways: an extra field gives it another name`);
    }
  }
  return name;
}

function kindProblem(entry: Entry, isFolder: boolean): string | undefined {
  if ((entry.generalPurposeBitFlag & encryptionFlags) !== 0) return 'is encrypted';
  if ((entry.generalPurposeBitFlag & patchFlag) !== 0) return 'is a patch of another file';
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    return `is packed with method ${entry.compressionMethod}; only stored and deflated entries can be read`;
  }
  // The upper half is a Unix mode where the packer knew one. It is read whatever system the packer claims to be.
  const type = (entry.externalFileAttributes >>> 16) & 0xf000;
  if (type === 0xa000) return 'is a link';
  if (type !== 0 && type !== 0x8000 && type !== 0x4000) return 'is a device, pipe or socket';
  if (type !== 0 && (type === 0x4000) !== isFolder) return 'is a folder by its mode or by its name, but not by both';
  if (isFolder && entry.uncompressedSize !== 0) return 'is a folder with content';
  return undefined;
}

/** What the local header says otherwise, in one word or two. */
function headerProblem(entry: Entry, local: LocalFileHeader): string | undefined {
  if (!local.fileName.equals(entry.fileNameRaw)) return 'name';
  if (((local.generalPurposeBitFlag ^ entry.generalPurposeBitFlag) & ~effortFlags) !== 0) return 'flag';
  if (local.compressionMethod !== entry.compressionMethod) return 'method';
  const isDescribed = (entry.generalPurposeBitFlag & descriptorFlag) !== 0;
  const agrees = (value: number, expected: number): boolean => value === expected || (isDescribed && value === 0);
  if (!agrees(local.crc32, entry.crc32)) return 'checksum';
  const { bytes, packedBytes } = localSizes(local);
  return agrees(bytes, entry.uncompressedSize) && agrees(packedBytes, entry.compressedSize) ? undefined : 'size';
}

/** Its sizes, from the 64-bit field where the short ones are placeholders. */
function localSizes(local: LocalFileHeader): { readonly bytes: number; readonly packedBytes: number } {
  const long = extraField(local.extraField, zip64Field);
  let at = 0;
  const widen = (value: number): number => {
    if (value !== 0xffffffff || long === undefined || at + 8 > long.length) return value;
    at += 8;
    return Number(long.readBigUInt64LE(at - 8));
  };
  const bytes = widen(local.uncompressedSize);
  return { bytes, packedBytes: widen(local.compressedSize) };
}

function extraField(fields: Buffer, wanted: number): Buffer | undefined {
  let at = 0;
  while (at + 4 <= fields.length) {
    const end = at + 4 + fields.readUInt16LE(at + 2);
    if (fields.readUInt16LE(at) === wanted) return fields.subarray(at + 4, end);
    at = end;
  }
  return undefined;
}

function sizeProblem(entry: Entry, limits: ArchiveLimits): string | undefined {
  const { uncompressedSize: bytes, compressedSize: packedBytes } = entry;
  if (bytes > limits.entryBytes) return `exceeds the ${limits.entryBytes}-byte decompression ceiling`;
  if (bytes > bombBytes && bytes > packedBytes * bombRatio) {
    return `unpacks to more than ${bombRatio} times its size, as a decompression bomb does`;
  }
  return undefined;
}
