/** `TextEncoder` and `TextDecoder` for UTF-8, which QuickJS lacks. */
import { type Bytes, encode, Utf8Decoder } from '../lib/utf8.js';

export class TextEncoder {
  readonly encoding = 'utf-8';

  encode(text = ''): Uint8Array {
    return encode(String(text));
  }
}

export class TextDecoder {
  readonly encoding = 'utf-8';
  readonly fatal: boolean;
  #decoder = new Utf8Decoder();

  constructor(label = 'utf-8', options: { fatal?: boolean } = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`only utf-8 can be decoded, got ${label}`);
    this.fatal = options.fatal === true;
  }

  decode(bytes: Bytes | ArrayBuffer = [], options: { stream?: boolean } = {}): string {
    let text = this.#decoder.push(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes);
    if (options.stream === true) return text;
    text += this.#decoder.end();
    const { malformed } = this.#decoder;
    this.#decoder = new Utf8Decoder();
    if (this.fatal && malformed > 0) throw new TypeError('the bytes are not UTF-8');
    return text;
  }
}
