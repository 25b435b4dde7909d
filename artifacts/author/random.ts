/** Randomness from the host. What QuickJS would give was fixed when the component was built, and is the same in every call. */
import random from 'wasj:random/random@0.2.9';
import { phase } from './loop.js';

/** The engine's own, for code that runs while the component is built: the same numbers in every build. */
const { random: engineRandom } = Math;

const pool: { bytes: Uint8Array; at: number } = { bytes: new Uint8Array(0), at: 0 };

function take(count: number): Uint8Array {
  if (pool.at + count > pool.bytes.length) {
    pool.bytes = Uint8Array.from(random.getRandomBytes(Math.max(256, count)));
    pool.at = 0;
  }
  pool.at += count;
  return pool.bytes.subarray(pool.at - count, pool.at);
}

/** A number from 0 to below 1, of 53 random bits. */
export function mathRandom(): number {
  if (!phase.isCalled) return engineRandom.call(Math);
  const [a, b] = new Uint32Array(take(8).slice().buffer);
  return (((a as number) >>> 6) * 2 ** 27 + ((b as number) >>> 5)) / 2 ** 53;
}

export const crypto = {
  getRandomValues<T extends ArrayBufferView>(view: T): T {
    new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(take(view.byteLength));
    return view;
  },
  randomUUID(): string {
    const bytes = take(16).slice();
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  },
};
