import { isMurError, reasonOf } from '../errors/index.js';

/** An error as the log holds it: data that a guard can test by code, and that survives JSON unchanged. */
export interface TaggedError {
  readonly $error: string;
  readonly code?: string;
  readonly message: string;
}

/** `value` as one line of JSON. Errors become tagged data, big integers text, byte arrays base64 under `$bytes`. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, given: unknown) {
    // `given` went through toJSON already, which for an error of ours drops the tag.
    const raw = this[key];
    if (raw instanceof Error) return tagged(raw);
    if (raw instanceof Uint8Array) return { $bytes: Buffer.from(raw).toString('base64') };
    return typeof given === 'bigint' ? given.toString() : given;
  });
}

function tagged(error: Error): TaggedError {
  const code: unknown = isMurError(error) ? error.code : (error as NodeJS.ErrnoException).code;
  return { $error: error.name, ...(typeof code === 'string' ? { code } : {}), message: reasonOf(error) };
}
