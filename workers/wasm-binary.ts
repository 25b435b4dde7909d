/** Reading and writing the WebAssembly binary format: LEB128 numbers, names, vectors. Not its meaning (instrument.ts). */

export class BinaryError extends Error {
  override readonly name = 'BinaryError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A cursor over `bytes`. Every read past the end throws `BinaryError`. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly end: number;
  pos: number;

  constructor(bytes: Uint8Array, pos = 0, end = bytes.length) {
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
  }

  get done(): boolean {
    return this.pos >= this.end;
  }

  byte(): number {
    if (this.pos >= this.end) throw new BinaryError(`unexpected end of input at byte ${this.pos}`);
    return this.bytes[this.pos++]!;
  }

  peek(): number {
    if (this.pos >= this.end) throw new BinaryError(`unexpected end of input at byte ${this.pos}`);
    return this.bytes[this.pos]!;
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    throw new BinaryError(`number out of range at byte ${this.pos}`);
  }

  /** Steps over a LEB128 number of any kind. */
  skipLeb(): void {
    for (let length = 1; this.byte() >= 0x80; length += 1) {
      if (length >= 10) throw new BinaryError(`number too long at byte ${this.pos}`);
    }
  }

  skip(length: number): void {
    if (length > this.end - this.pos) throw new BinaryError(`unexpected end of input at byte ${this.end}`);
    this.pos += length;
  }

  name(): string {
    const length = this.u32();
    const start = this.pos;
    this.skip(length);
    try {
      return utf8.decode(this.bytes.subarray(start, this.pos));
    } catch {
      throw new BinaryError(`name at byte ${start} is not UTF-8`);
    }
  }

  /** A cursor over the next `length` bytes, which this one steps over. */
  slice(length: number): Reader {
    const start = this.pos;
    this.skip(length);
    return new Reader(this.bytes, start, this.pos);
  }
}

/** A growing byte buffer. */
export class Writer {
  #bytes = new Uint8Array(256);
  #length = 0;

  byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  u32(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.byte(rest);
  }

  raw(bytes: Uint8Array | readonly number[]): this {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  name(text: string): this {
    const bytes = Buffer.from(text, 'utf8');
    return this.u32(bytes.length).raw(bytes);
  }

  /** A length prefix and then the bytes. */
  sized(bytes: Uint8Array): this {
    return this.u32(bytes.length).raw(bytes);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(wanted, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
