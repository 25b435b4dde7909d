import { isMurError } from '../errors/index.js';

/** An error as the log holds it: data that a guard can test by code, and that survives JSON unchanged. */
export interface TaggedError {
  readonly $error: string;
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
}

/** Replaces secrets in a text. */
export type Redact = (text: string) => string;

/**
 * `value` as one line of JSON. Errors become tagged data, big integers text, byte arrays base64 under `$bytes`. `redact` is applied
 * to every text that is not under a key `type`: event types are names of the charts, and a replay needs them.
 */
export function plainJson(value: unknown, redact?: Redact): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, given: unknown) {
    // `given` went through toJSON already, which for an error of ours drops the tag.
    const raw = this[key];
    if (raw instanceof Error) return tagged(raw);
    if (raw instanceof Uint8Array) return { $bytes: Buffer.from(raw).toString('base64') };
    if (typeof given === 'bigint') return given.toString();
    return redact !== undefined && typeof given === 'string' && key !== 'type' ? redact(given) : given;
  });
}

function tagged(error: Error): TaggedError {
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    $error: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    ...(isMurError(error) && typeof hint === 'string' ? { hint } : {}),
  };
}
