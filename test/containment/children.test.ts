import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { gone, sight } from '../../src/containment/children.js';

describe.runIf(process.platform === 'linux')('the end of a process', () => {
  test('is waited for, also once descriptors tell of it, and a number that has another owner is no reason to wait', async () => {
    // The first one is asked again and again; loading what tells of the others takes a moment.
    for (let round = 0; round < 4; round += 1) {
      const child = spawn('sleep', ['0.1'], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      const seen = sight(child.pid!)!;
      await gone({ ...seen, start: `${Number(seen.start) - 1}` });
      expect(sight(child.pid!)).toEqual(seen);
      await gone(seen);
      expect(sight(child.pid!)).toBeUndefined();
      await gone(seen);
      await ended;
    }
  });
});
