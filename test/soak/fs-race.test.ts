import { expect, it } from 'vitest';
import { openFolder, secret } from '../workers/wasi/folder.js';
import { race } from '../workers/wasi/swapper.js';

it('five seconds of swapping a directory and a link leak nothing', async () => {
  using folder = openFolder();
  const count = await race(folder, secret, 5000);
  console.log(`tries ${count.tries}, inside ${count.inside}, leaks ${count.leaks}`);
  expect(count.leaks).toBe(0);
  expect(count.inside).toBeGreaterThan(100);
});
