import { type ErrorCode, errorTable } from './table.js';

export interface ErrorShape {
  readonly code: ErrorCode;
  /** What failed, the value, and what was expected. Never holds a secret. */
  readonly message: string;
  /** The next action for the person who reads it. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error type that leaves a folder of this project.
 *
 * Recognised by its `code` and mark, never by `instanceof`, because errors cross worker threads and files.
 */
export class MurError extends Error implements ErrorShape {
  readonly murError = true;
  readonly code: ErrorCode;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MurError';
    this.code = code;
    const hint = options.hint ?? errorTable[code].hint;
    if (hint !== undefined) this.hint = hint;
    if (options.details !== undefined) this.details = options.details;
  }

  /** Process exit status for this error (spec/diagnostics.md section 10). */
  get exit(): number {
    return errorTable[this.code].exit ?? 1;
  }

  toJSON(): ErrorShape {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

export function isMurError(value: unknown): value is MurError {
  return typeof value === 'object' && value !== null && (value as { murError?: unknown }).murError === true;
}

/** Any thrown value as a `MurError`. The only funnel from `unknown`; `E-RUN-007` marks what nobody expected. */
export function toMurError(value: unknown, fallback: ErrorCode = 'E-RUN-007'): MurError {
  if (isMurError(value)) return value;
  return new MurError(fallback, reasonOf(value), { cause: value });
}

/** The plain text of any thrown value. Never empty. */
export function reasonOf(value: unknown): string {
  if (value instanceof Error) {
    const system = value as NodeJS.ErrnoException;
    return system.message || system.code || value.name;
  }
  if (typeof value === 'string' && value !== '') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
