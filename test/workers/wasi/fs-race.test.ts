import { describe, expect, it } from 'vitest';
import { openDescriptors, openFolder, secret } from './folder.js';
import { race } from './swapper.js';

describe('a process that swaps a directory and a link while the guest walks through it', () => {
  it('never gets the guest outside: not to read, write, create, remove, rename, link or touch (reports 2)', async () => {
    using folder = openFolder();
    const before = openDescriptors();
    const count = await race(folder, secret, 1000);
    expect(count.leaks).toBe(0);
    expect(count.inside).toBeGreaterThan(100);
    expect(count.tries).toBeGreaterThan(count.inside);
    folder.close();
    expect(openDescriptors()).toBe(before);
  });
});
