/**
 * UTF-8 without TextEncoder and TextDecoder, which QuickJS lacks. Strings that leave an artifact are well formed: a lone
 * surrogate becomes U+FFFD, and a cut never splits a code point. Source: RFC 3629, WHATWG Encoding (maximal subpart).
 */

const REPLACEMENT = 0xfffd;
/** Most arguments of one `String.fromCharCode` call; more could exhaust the stack. */
const longestCall = 4096;
/** Not a code point. */
const again = -1;

export type Bytes = Uint8Array | number[];

/** The UTF-8 bytes of `text`; lone surrogates become U+FFFD. One pass: the interpreter makes every step count. */
export function encode(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
      continue;
    }
    const code = scalarAt(text, i);
    if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
      else {
        i++;
        bytes[at++] = 0xf0 | (code >> 18);
        bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return bytes.slice(0, at);
}

/** How many bytes `encode(text)` has. */
export function byteLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const code = scalarAt(text, i);
    if (code > 0xffff) i++;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

function scalarAt(text: string, index: number): number {
  const code = text.codePointAt(index) ?? REPLACEMENT;
  return code >= 0xd800 && code <= 0xdfff ? REPLACEMENT : code;
}

/** `text` with every lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

/** The longest prefix of `text` with at most `limit` UTF-16 units that does not end inside a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}

/** Decodes a byte stream piece by piece; a sequence split between pieces is held back until it is whole. */
export class Utf8Decoder {
  #code = 0;
  #needed = 0;
  #lower = 0x80;
  #upper = 0xbf;
  /** How many malformed sequences were replaced so far; 0 means the input was UTF-8. */
  malformed = 0;

  push(bytes: Bytes): string {
    const out: string[] = [];
    let units: number[] = [];
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (this.#needed === 0 && byte < 0x80) {
        const from = i;
        while (i + 1 < bytes.length && i - from < longestCall && (bytes[i + 1] as number) < 0x80) i++;
        out.push(String.fromCharCode(...units), String.fromCharCode.apply(null, bytes.slice(from, i + 1) as number[]));
        units = [];
        continue;
      }
      const code = this.#next(byte);
      if (code === again) i--;
      if (code === undefined) continue;
      if (code <= 0xffff) units.push(code === again ? this.#replaced() : code);
      else units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
      if (units.length >= longestCall) {
        out.push(String.fromCharCode(...units));
        units = [];
      }
    }
    out.push(String.fromCharCode(...units));
    return out.join('');
  }

  /** What the end of the input adds: U+FFFD when it stopped inside a sequence, else nothing. */
  end(): string {
    if (this.#needed === 0) return '';
    this.#needed = 0;
    return String.fromCharCode(this.#replaced());
  }

  /** The code point that `byte` completes; `undefined` inside a sequence; `again` when `byte` must be read anew after a broken one. */
  #next(byte: number): number | undefined {
    if (this.#needed === 0) return this.#lead(byte) ? undefined : this.#replaced();
    if (byte < this.#lower || byte > this.#upper) {
      this.#needed = 0;
      return again;
    }
    this.#lower = 0x80;
    this.#upper = 0xbf;
    this.#code = (this.#code << 6) | (byte & 0x3f);
    return --this.#needed === 0 ? this.#code : undefined;
  }

  /** Whether `byte` can start a sequence; sets what may follow (overlong, surrogate and > U+10FFFF forms are shut out). */
  #lead(byte: number): boolean {
    this.#lower = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#upper = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
    if (byte >= 0xc2 && byte <= 0xdf) [this.#needed, this.#code] = [1, byte & 0x1f];
    else if (byte >= 0xe0 && byte <= 0xef) [this.#needed, this.#code] = [2, byte & 0x0f];
    else if (byte >= 0xf0 && byte <= 0xf4) [this.#needed, this.#code] = [3, byte & 0x07];
    else return false;
    return true;
  }

  #replaced(): number {
    this.malformed++;
    return REPLACEMENT;
  }
}

/** The text of `bytes`; malformed sequences become U+FFFD. */
export function decode(bytes: Bytes): string {
  const decoder = new Utf8Decoder();
  return decoder.push(bytes) + decoder.end();
}
