import { promisify } from 'node:util';
import { crc32, type InputType, inflateRaw, type ZlibOptions } from 'node:zlib';
import type { ZipEntry } from './entry.js';
import { shown, ZipProblem } from './problem.js';

/** With `info`, Node also gives the engine, whose `bytesWritten` counts the input it used. */
const inflate = promisify(inflateRaw) as unknown as (
  data: InputType,
  options: ZlibOptions & { info: true },
) => Promise<{ readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }>;

/**
 * The content of `entry`, a copy. At most its declared size is ever produced, and no memory is taken on its word. Rejects with
 * `ZipProblem` when it is not exactly what its header says, checksum included.
 */
export async function unpack(zip: Buffer, entry: ZipEntry): Promise<Uint8Array> {
  const data = zip.subarray(entry.dataStart, entry.dataStart + entry.packedBytes);
  const content = entry.isDeflated ? await inflateExactly(data, entry) : Buffer.from(data);
  if (content.length !== entry.bytes) {
    throw refusal(entry, `unpacks to ${content.length} bytes, not to the ${entry.bytes} it declares`);
  }
  if (crc32(content) !== entry.crc32) throw refusal(entry, 'is damaged: its checksum does not fit');
  return content;
}

async function inflateExactly(data: Buffer, entry: ZipEntry): Promise<Buffer> {
  try {
    const { buffer, engine } = await inflate(data, { info: true, maxOutputLength: Math.max(1, entry.bytes) });
    if (engine.bytesWritten === data.length) return buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw refusal(entry, `unpacks to more than the ${entry.bytes} bytes it declares`);
    }
    throw refusal(entry, `is damaged: ${message}`);
  }
  throw refusal(entry, 'is damaged: bytes follow its content');
}

function refusal(entry: ZipEntry, reason: string): ZipProblem {
  return new ZipProblem(`zip entry '${shown(entry.name)}' ${reason}`);
}
