import type { FsErrorCode } from '../fs/errors.js';
import type { HttpErrorCode } from '../http/messages.js';

/** `wasi:io/error#error`: the reason a stream operation failed, with the typed code of the area it came from. */
export class IoError {
  readonly #text: string;
  readonly filesystemCode: FsErrorCode | undefined;
  readonly httpCode: HttpErrorCode | undefined;

  constructor(text: string, codes: { filesystem?: FsErrorCode; http?: HttpErrorCode } = {}) {
    this.#text = text;
    this.filesystemCode = codes.filesystem;
    this.httpCode = codes.http;
  }

  toDebugString(): string {
    return this.#text;
  }
}
