/**
 * What the generated JavaScript uses to copy values out of a guest's memory: a strict, counted decoder and a counted,
 * bounds-checked copy. Not the limits of the guest's own memory (instrument.ts). The worker's heap limit cannot do this job:
 * long strings and array buffers live outside the JavaScript heap, and a list of a million strings may point at the same megabyte.
 */

/** Most bytes of strings and byte lists that one import call's arguments, or the final result, may bring out of a guest. */
export const liftLimitBytes = 64 * 1024 * 1024;

export class LiftLimitError extends Error {
  override readonly name = 'LiftLimitError';
}

export class Lift {
  #left = liftLimitBytes;
  #exceeded = false;

  /** True once a value was refused, also when the guest caught the exception. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Before a call, with full knowledge that nothing of an older call counts. */
  start(): void {
    this.#left = liftLimitBytes;
    this.#exceeded = false;
  }

  /** The arguments of one import are out; the next values have a budget of their own. */
  settle(): void {
    this.#left = liftLimitBytes;
  }

  take(byteLength: number): void {
    this.#left -= byteLength;
    if (this.#left >= 0) return;
    this.#exceeded = true;
    throw new LiftLimitError(`a value larger than ${liftLimitBytes} bytes left the guest`);
  }
}

/**
 * A `TextDecoder` for the generated code: invalid input throws (the component model wants a trap, the platform's default
 * is U+FFFD), a byte order mark stays part of the string, and every decoded byte counts.
 */
export function countedTextDecoder(
  lift: Lift,
): new (
  encoding?: string,
) => { decode(view: Uint8Array | DataView): string } {
  return class CountedTextDecoder {
    readonly #decoder: InstanceType<typeof TextDecoder>;

    constructor(encoding = 'utf-8') {
      this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    }

    decode(view: Uint8Array | DataView): string {
      lift.take(view.byteLength);
      return this.#decoder.decode(view);
    }
  };
}

/** `buffer.slice` as the component model defines it: a range outside the memory traps instead of being cut. */
export function countedCopy(lift: Lift): (buffer: ArrayBuffer, start: number, end: number) => ArrayBuffer {
  return (buffer, start, end) => {
    if (start < 0 || end < start || end > buffer.byteLength) {
      throw new RangeError(`list of ${end - start} bytes at ${start} is outside the guest's memory`);
    }
    lift.take(end - start);
    return buffer.slice(start, end);
  };
}
