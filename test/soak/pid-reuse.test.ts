import { expect, test } from 'vitest';
import { systemPidfd } from '../../src/liveness/pidfd.js';
import { expected, namespace, runDrill } from '../liveness/reuse/run.js';

/** Five a second of `MUR_SOAK_SECONDS`, when it is set. */
const rounds = Math.min(1_000, 5 * Number(process.env.MUR_SOAK_SECONDS ?? 200));

test.runIf(namespace !== undefined && systemPidfd() !== undefined)(
  `${rounds} numbers given away under way: not one signal reaches a stranger`,
  async () => {
    expect(await runDrill(rounds)).toEqual(expected(rounds));
  },
);
