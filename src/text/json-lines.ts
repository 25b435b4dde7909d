/**
 * Reading files of JSON lines that a crash may have damaged: a torn last line, blocks of NUL bytes, a cut UTF-8 sequence. Every
 * whole line is read; what could not be read is reported, never silently skipped (cases/reports row 71).
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export type JsonLine =
  | {
      readonly kind: 'value';
      readonly line: number;
      readonly value: Readonly<Record<string, unknown>>;
      /** What `value` was parsed from. */
      readonly text: string;
    }
  | { readonly kind: 'warning'; readonly line: number; readonly reason: string };

const LF = 0x0a;
const chunkBytes = 64 * 1024;
/** Far above any line that is written; a longer one is passed over, so that a file of one endless line costs no memory. */
export const maxLineBytes = 64 * 1024 * 1024;

/**
 * The JSON objects of the file, in order, with a warning for each damaged place. Holds one line in memory at a time, and of a line
 * longer than `maxLineBytes` nothing. Throws what `openSync` throws when the file cannot be opened, and an `Error` for anything that
 * is no regular file: a FIFO there cannot hang the caller.
 */
export function* readJsonLines(path: string): Generator<JsonLine> {
  let line = 0;
  for (const { bytes, ended } of rawLines(path)) {
    line += 1;
    if (bytes === undefined) yield { kind: 'warning', line, reason: `longer than ${maxLineBytes} bytes` };
    else yield* valuesOf(bytes, line, ended);
  }
}

interface RawLine {
  /** `undefined` for a line that is too long. */
  readonly bytes: Buffer | undefined;
  /** False for the last bytes of a file that does not end in a line feed. */
  readonly ended: boolean;
}

function* rawLines(path: string): Generator<RawLine> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('not a regular file');
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let pending: Buffer[] = [];
    let length = 0;
    const hold = (piece: Buffer): void => {
      length += piece.length;
      if (length > maxLineBytes) pending = [];
      else pending.push(piece);
    };
    const held = (): Buffer | undefined => (length > maxLineBytes ? undefined : Buffer.concat(pending));
    for (let got = readSync(fd, chunk); got > 0; got = readSync(fd, chunk)) {
      let start = 0;
      for (let end = nextLf(chunk, start, got); end !== -1; end = nextLf(chunk, start, got)) {
        hold(chunk.subarray(start, end));
        yield { bytes: held(), ended: true };
        pending = [];
        length = 0;
        start = end + 1;
      }
      if (start < got) hold(Buffer.from(chunk.subarray(start, got)));
    }
    if (length > 0) yield { bytes: held(), ended: false };
  } finally {
    closeSync(fd);
  }
}

function nextLf(chunk: Buffer, start: number, end: number): number {
  const at = chunk.indexOf(LF, start);
  return at < end ? at : -1;
}

function* valuesOf(bytes: Buffer, line: number, ended: boolean): Generator<JsonLine> {
  if (bytes.includes(0)) {
    yield { kind: 'warning', line, reason: 'the line holds NUL bytes, as an interrupted write leaves them' };
  }
  for (const part of withoutNuls(bytes)) {
    const text = textOf(part);
    const value = text === undefined ? undefined : objectOf(text);
    if (text === undefined || value === undefined)
      yield { kind: 'warning', line, reason: ended ? 'not a JSON object' : 'the last line is torn' };
    else yield { kind: 'value', line, value, text };
  }
  if (!ended) yield { kind: 'warning', line, reason: 'the file does not end in a line feed' };
}

/** The pieces between runs of NUL. JSON never holds that byte, so a piece is a line, or part of one that was torn. */
function withoutNuls(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
    if (end > start) parts.push(bytes.subarray(start, end));
    start = end + 1;
    // One step per run, not per byte: an interrupted write may leave millions of them.
    while (bytes[start] === 0) start += 1;
  }
  parts.push(bytes.subarray(start));
  return parts.filter((part) => !isBlank(part));
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** No part of the line goes into a message: it is data from outside. */
function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
