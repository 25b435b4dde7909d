/** `console`: lines on standard error, which the runtime keeps with the session's logs. */
import stderr from 'wasj:cli/stderr@0.2.9';
import { encode } from '../lib/utf8.js';

/** Most bytes of one write (wasi:io, blocking-write-and-flush). */
const mostBytes = 4096;

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack ?? ''}`.trimEnd();
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function print(...values: unknown[]): void {
  const bytes = encode(`${values.map(shown).join(' ')}\n`);
  using stream = stderr.getStderr();
  for (let at = 0; at < bytes.length; at += mostBytes) stream.blockingWriteAndFlush(bytes.subarray(at, at + mostBytes));
}

export const console = { log: print, info: print, warn: print, error: print, debug: print };
