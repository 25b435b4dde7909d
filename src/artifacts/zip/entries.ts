/**
 * Every entry of a zip file, checked, in directory order. Each byte of the file belongs to exactly one entry, to the directory or
 * to the end records, so there is nothing two readers could see in two ways and nothing that counts twice.
 */
import { type Entry, fromBufferPromise } from 'yauzl';
import { reasonOf } from '../../errors/index.js';
import { checkEntry, type ZipEntry } from './entry.js';
import { type Frame, readFrame } from './frame.js';
import type { ArchiveLimits } from './limits.js';
import { NameRegister } from './name.js';
import { shown, ZipProblem } from './problem.js';

const directoryHeaderBytes = 46;
const descriptorSignature = 0x08074b50;

/** The entries of `zip`. Rejects with `ZipProblem`. */
export async function readEntries(zip: Buffer, limits: ArchiveLimits): Promise<readonly ZipEntry[]> {
  const frame = readFrame(zip, limits.entries);
  const file = await fromLibrary(() => fromBufferPromise(zip, { decodeStrings: false }));
  const entries: ZipEntry[] = [];
  const names = new NameRegister();
  let cursor = frame.start;
  let totalBytes = 0;
  try {
    for (const directory = file.eachEntry(); ; ) {
      const { value: entry, done } = await fromLibrary(() => directory.next());
      if (done) break;
      cursor = nextHeader(zip, cursor, entry, frame);
      const checked = checkEntry(entry, await fromLibrary(() => file.readLocalFileHeaderPromise(entry)), limits);
      const other = names.add(checked.name, checked.isFolder);
      if (other !== undefined) {
        throw new ZipProblem(`zip entries '${shown(other)}' and '${shown(checked.name)}' would be one file`);
      }
      totalBytes += checked.bytes;
      if (totalBytes > limits.totalBytes) {
        throw new ZipProblem(`its entries together exceed the ${limits.totalBytes}-byte decompression ceiling`);
      }
      entries.push(checked);
    }
  } finally {
    file.close();
  }
  if (cursor !== frame.end) throw new ZipProblem('its directory holds more than the entries it counts');
  checkLayout(zip, entries, frame);
  return entries;
}

/** What the library rejects with is about the file, so it becomes a refusal. */
async function fromLibrary<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ZipProblem(`it is no whole zip file (${reasonOf(error)})`);
  }
}

/** The offset of the directory header after the one at `cursor`, which is the header of `entry`. */
function nextHeader(zip: Buffer, cursor: number, entry: Entry, frame: Frame): number {
  const next = cursor + directoryHeaderBytes + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
  if (next > frame.end) throw new ZipProblem('its directory runs into its end record');
  const disk = zip.readUInt16LE(cursor + 34);
  if (disk !== 0 && disk !== 0xffff) throw new ZipProblem('it is one part of an archive over several disks');
  return next;
}

/** Refuses entries that share bytes, and bytes that no entry has. */
function checkLayout(zip: Buffer, entries: readonly ZipEntry[], frame: Frame): void {
  const inOrder = [...entries].sort((a, b) => a.start - b.start);
  let end = 0;
  for (const [index, entry] of inOrder.entries()) {
    if (entry.start < end) throw new ZipProblem(`zip entry '${shown(entry.name)}' shares bytes with another one`);
    if (entry.start > end) throw new ZipProblem(`bytes that no entry has lie before zip entry '${shown(entry.name)}'`);
    const next = inOrder[index + 1]?.start ?? frame.start;
    end = entry.dataStart + entry.packedBytes;
    if (entry.isDescribed) end += descriptorBytes(zip, entry, end, next - end);
  }
  if (end < frame.start) throw new ZipProblem('bytes that no entry has lie before its directory');
  if (end > frame.start) throw new ZipProblem('an entry runs into its directory');
}

/** The length of the descriptor at `at`, given the `room` until the next part. Its form is known by its length alone. */
function descriptorBytes(zip: Buffer, entry: ZipEntry, at: number, room: number): number {
  const hasSignature = room === 16 || room === 24;
  const isLong = room === 20 || room === 24;
  if (!hasSignature && !isLong && room !== 12) {
    throw new ZipProblem(`zip entry '${shown(entry.name)}' has no whole data descriptor`);
  }
  const fields = at + (hasSignature ? 4 : 0);
  const read = (index: number): number =>
    isLong ? Number(zip.readBigUInt64LE(fields + 4 + index * 8)) : zip.readUInt32LE(fields + 4 + index * 4);
  const agrees =
    (!hasSignature || zip.readUInt32LE(at) === descriptorSignature) &&
    zip.readUInt32LE(fields) === entry.crc32 &&
    read(0) === entry.packedBytes &&
    read(1) === entry.bytes;
  if (agrees) return room;
  throw new ZipProblem(
    `zip entry '${shown(entry.name)}' is described in two ways: its data descriptor says something else`,
  );
}
