import { describe, expect, it } from 'vitest';
import { countedCopy, countedTextDecoder, Lift, liftLimitBytes } from '../../workers/lift.js';

describe('lift', () => {
  it('refuses what exceeds the budget and remembers it', () => {
    const lift = new Lift();
    lift.take(liftLimitBytes);
    expect(lift.exceeded).toBe(false);
    expect(() => lift.take(1)).toThrow('larger than');
    expect(lift.exceeded).toBe(true);
    lift.settle();
    expect(lift.exceeded).toBe(true);
    lift.start();
    expect(lift.exceeded).toBe(false);
  });

  it('decodes strictly and keeps a byte order mark', () => {
    const decoder = new (countedTextDecoder(new Lift()))();
    expect(decoder.decode(Buffer.from('\ufeffé'))).toBe('\ufeffé');
    expect(() => decoder.decode(Uint8Array.of(0xff))).toThrow();
    expect(decoder.decode(Buffer.from('still fine'))).toBe('still fine');
  });

  it('counts bytes across strings and lists of one value', () => {
    const lift = new Lift();
    const decoder = new (countedTextDecoder(lift))();
    const copy = countedCopy(lift);
    const half = new ArrayBuffer(liftLimitBytes / 2);
    decoder.decode(new Uint8Array(half));
    copy(half, 0, half.byteLength);
    expect(() => copy(half, 0, 1)).toThrow('larger than');
  });

  it('traps on a list outside the memory instead of cutting it', () => {
    const copy = countedCopy(new Lift());
    const memory = new ArrayBuffer(16);
    expect(copy(memory, 4, 8).byteLength).toBe(4);
    expect(() => copy(memory, 8, 17)).toThrow(RangeError);
    expect(() => copy(memory, 8, 4)).toThrow(RangeError);
  });
});
