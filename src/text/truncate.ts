/**
 * Cutting text at a byte limit. A cut here never splits a UTF-8 sequence or a surrogate pair, because a provider that once
 * received half a character refuses the whole conversation from then on (cases/reports row 60).
 */

const encoder = new TextEncoder();

/** True when `text` holds no lone surrogate, so that its UTF-8 form is exact. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** `text` with each lone surrogate replaced by U+FFFD: the text its UTF-8 form decodes to. */
export function toWellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}

/**
 * The longest start of `text` that takes at most `maxBytes` bytes of UTF-8 and ends between two characters.
 *
 * Always well-formed, and its bytes are exactly the first bytes of the text's UTF-8 form. It may part a base letter from a
 * combining mark.
 */
export function truncateUtf8(text: string, maxBytes: number): string {
  const room = Math.max(0, Math.floor(maxBytes));
  if (text.length * 3 <= room) return toWellFormed(text);
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.min(room, text.length * 3)));
  return toWellFormed(text.slice(0, read));
}

/**
 * The longest start of UTF-8 `bytes`, at most `maxBytes` long, that ends between two characters. A view, not a copy.
 * Bytes that are no UTF-8 are cut at `maxBytes`.
 */
export function truncateUtf8Bytes(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const room = Math.max(0, Math.floor(maxBytes));
  if (bytes.length <= room) return bytes;
  let start = room;
  while (start > 0 && room - start < 3 && isContinuation(bytes[start]!)) start -= 1;
  const whole = !isContinuation(bytes[start]!);
  return bytes.subarray(0, whole ? start : room);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
