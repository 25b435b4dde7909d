import type { Writable } from 'node:stream';
import { type ErrorShape, MurError } from '../errors/index.js';
import { oneLine } from './safe-text.js';
import type { Style } from './style.js';

/** A standard stream as mur writes to it. */
export interface TextStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/**
 * One standard stream that may lose its reader at any time. When the reader is gone the rest is dropped, each lost text is
 * given to `onLost`, and the program goes on (spec/cli.md section 1). Any other failure is kept as `failure`.
 */
export class Output {
  readonly stream: TextStream;
  onLost: ((text: string) => void) | undefined;
  #isGone = false;
  #failure: Error | undefined;

  constructor(stream: TextStream) {
    this.stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#isGone = true;
      if (error.code !== 'EPIPE') this.#failure ??= error;
    });
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  /** Why writing failed, unless it was only that the reader left. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  write(text: string): void {
    if (text === '') return;
    if (this.#isGone) {
      this.onLost?.(text);
      return;
    }
    this.stream.write(text, (error) => {
      if (error) this.onLost?.(text);
    });
  }

  /** Settles when everything written so far has reached the system or is lost. */
  async flush(): Promise<void> {
    if (this.#isGone) return;
    await new Promise<void>((resolve) => this.stream.write('', () => resolve()));
  }
}

/** `error[CODE]: message` and, when there is a next action, `  hint: ...`. */
export function errorText(error: ErrorShape, style: Style): string {
  const head = `${style.red(style.bold(`error[${error.code}]:`))} ${lines(error.message)}\n`;
  return error.hint === undefined ? head : `${head}  ${style.cyan('hint:')} ${lines(error.hint)}\n`;
}

const diagnosticsPage = 'https://docs.murmur.nexus/reference/diagnostics/';
const origins = { runtime: '[capsule-runtime] ', manifest: '[murmur-artifact] ', cli: '' } as const;

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly origin: 'runtime' | 'manifest' | 'cli';
}

/**
 * `warning[CODE]: message (link)` with the prefix of whoever found it, as one line without its line feed. A note of ours
 * without a code has neither brackets nor link.
 */
export function warningLine({ code, message, origin }: Warning, style: Style): string {
  if (code === '') return `${style.yellow('warning:')} ${oneLine(message)}`;
  const head = style.yellow(`warning[${code}]:`);
  return `${origins[origin]}${head} ${oneLine(message)} (${diagnosticsPage}#${code.toLowerCase()})`;
}

/** The error of a command whose results could not be written (spec/cli.md section 1). */
export function outputFailure(cause: Error): MurError {
  return new MurError('E-IO-003', `failed to write to standard output: ${cause.message}`, { cause });
}

/** A message may have lines (a list of missing artifacts); each further one is indented under the first. */
function lines(text: string): string {
  return text.split('\n').map(oneLine).join('\n  ');
}
