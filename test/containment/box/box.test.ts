import { describe } from 'vitest';
import { describeBox, variants } from './suite.js';

/** As whoever runs the tests. */
describe.runIf(process.platform === 'linux')('a box', () => {
  for (const variant of variants) describeBox(variant);
});
