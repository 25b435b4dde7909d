import { describe } from 'vitest';
import { describeBox, variants } from './suite.js';

const isRoot = process.getuid?.() === 0;
if (isRoot) {
  // This file has a process of its own (pool: forks), which never needs to be root again.
  process.setgroups!([]);
  process.setgid!(1000);
  process.setuid!(1000);
}

describe.runIf(process.platform === 'linux' && isRoot)('a box of a user without privileges', () => {
  for (const variant of variants) describeBox(variant);
});
