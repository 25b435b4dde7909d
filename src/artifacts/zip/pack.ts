import { ZipFile } from 'yazl';
import { archiveLimits } from './limits.js';
import { entryNameProblem, NameRegister } from './name.js';
import { shown, ZipProblem } from './problem.js';

export interface PackEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

/** The bytes of a zip of `entries`: `murmur.yaml` first, the others by name. Rejects with `ZipProblem` for one we would not read. */
export async function pack(entries: readonly PackEntry[]): Promise<Uint8Array> {
  checkNames(entries);
  const file = new ZipFile();
  // Local time is what the format stores, so this is the same in every time zone. No clock change skips noon.
  const timestamp = new Date(1980, 0, 1, 12);
  const chunks: Buffer[] = [];
  const written = new Promise<void>((resolve, reject) => {
    file.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk));
    file.outputStream.on('end', resolve);
    file.once('error', reject);
  });
  for (const { name, bytes, executable } of [...entries].sort(byPlace)) {
    file.addBuffer(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), name, {
      mtime: timestamp,
      forceDosTimestamp: true,
      mode: executable === true ? 0o100755 : 0o100644,
      compressionLevel: 9,
    });
  }
  file.end();
  await written;
  return Buffer.concat(chunks);
}

function byPlace(a: PackEntry, b: PackEntry): number {
  const rank = (entry: PackEntry): number => (entry.name === 'murmur.yaml' ? 0 : 1);
  return rank(a) - rank(b) || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}

function checkNames(entries: readonly PackEntry[]): void {
  const limits = archiveLimits();
  const names = new NameRegister();
  if (entries.length > limits.entries) {
    throw new ZipProblem(`${entries.length} files are more than the ${limits.entries} an archive may hold`);
  }
  for (const { name, bytes } of entries) {
    const problem = name.endsWith('/') ? 'it names a folder' : entryNameProblem(name);
    if (problem !== undefined) throw new ZipProblem(`'${shown(name)}' has an unsafe path: ${problem}`);
    const other = names.add(name, false);
    if (other !== undefined) throw new ZipProblem(`entries '${shown(other)}' and '${shown(name)}' would be one file`);
    if (bytes.byteLength > limits.entryBytes) {
      throw new ZipProblem(`'${shown(name)}' exceeds the ${limits.entryBytes}-byte decompression ceiling`);
    }
  }
}
