/**
 * The end of a zip file, read strictly: one directory, on one disk, that ends where the end records start. What the library
 * would pass over (data between the parts, two records that disagree) is refused, because two readers could then see two
 * archives. APPNOTE.TXT 4.3.14 to 4.3.16. Not the entries (entries.ts).
 */
import { ZipProblem } from './problem.js';

export interface Frame {
  readonly entries: number;
  /** Offset of the central directory, and of the first byte after it. */
  readonly start: number;
  readonly end: number;
}

const endSignature = 0x06054b50;
const endBytes = 22;
const longEndSignature = 0x06064b50;
const longEndBytes = 56;
const locatorSignature = 0x07064b50;
const locatorBytes = 20;
const maxCommentBytes = 0xffff;

/** Where the directory of `zip` lies. Throws `ZipProblem`. */
export function readFrame(zip: Buffer, maxEntries: number): Frame {
  const at = findEnd(zip);
  const short = {
    disk: zip.readUInt16LE(at + 4),
    startDisk: zip.readUInt16LE(at + 6),
    here: zip.readUInt16LE(at + 8),
    entries: zip.readUInt16LE(at + 10),
    size: zip.readUInt32LE(at + 12),
    start: zip.readUInt32LE(at + 16),
  };
  const locator = at - locatorBytes;
  const isLong = locator >= 0 && zip.readUInt32LE(locator) === locatorSignature;
  const { fields, end } = isLong ? readLong(zip, locator, short) : { fields: short, end: at };
  if (fields.disk !== 0 || fields.startDisk !== 0 || fields.here !== fields.entries) {
    throw new ZipProblem('it is one part of an archive over several disks');
  }
  if (fields.start + fields.size !== end) {
    throw new ZipProblem('its directory is not where its end record says: bytes were added, removed or cut off');
  }
  if (fields.entries > maxEntries) {
    throw new ZipProblem(`it lists ${fields.entries} entries, more than the ${maxEntries} allowed`);
  }
  return { entries: fields.entries, start: fields.start, end };
}

type Fields = Readonly<Record<'disk' | 'startDisk' | 'here' | 'entries' | 'size' | 'start', number>>;

/** The offset of the end record, which a comment of exactly the stated length may follow. */
function findEnd(zip: Buffer): number {
  const lowest = Math.max(0, zip.length - endBytes - maxCommentBytes);
  for (let at = zip.length - endBytes; at >= lowest; at -= 1) {
    if (zip.readUInt32LE(at) !== endSignature) continue;
    if (at + endBytes + zip.readUInt16LE(at + 20) === zip.length) return at;
    throw new ZipProblem('bytes follow its end record');
  }
  throw new ZipProblem('it is no zip file, or its end is cut off');
}

/** The 64-bit end record. Each field of the short one is its placeholder or says the same. */
function readLong(zip: Buffer, locator: number, short: Fields): { fields: Fields; end: number } {
  const at = readLength(zip, locator + 8);
  const isWhole =
    at + longEndBytes <= locator &&
    zip.readUInt32LE(at) === longEndSignature &&
    at + 12 + readLength(zip, at + 4) === locator &&
    zip.readUInt32LE(locator + 4) === 0 &&
    zip.readUInt32LE(locator + 16) <= 1;
  if (!isWhole) throw new ZipProblem('its 64-bit end record is damaged');
  const fields = {
    disk: zip.readUInt32LE(at + 16),
    startDisk: zip.readUInt32LE(at + 20),
    here: readLength(zip, at + 24),
    entries: readLength(zip, at + 32),
    size: readLength(zip, at + 40),
    start: readLength(zip, at + 48),
  };
  const placeholders: Fields = {
    disk: 0xffff,
    startDisk: 0xffff,
    here: 0xffff,
    entries: 0xffff,
    size: 0xffffffff,
    start: 0xffffffff,
  };
  for (const name of Object.keys(placeholders) as (keyof Fields)[]) {
    if (short[name] !== placeholders[name] && short[name] !== fields[name]) {
      throw new ZipProblem('its two end records disagree');
    }
  }
  return { fields, end: at };
}

/** A 64-bit length or offset. One beyond the file is as wrong at 2^53 as at 2^64, so precision beyond that is not needed. */
export function readLength(zip: Buffer, at: number): number {
  return Number(zip.readBigUInt64LE(at));
}
