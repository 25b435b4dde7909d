import { expect, test } from 'vitest';
import { systemPidfd } from '../../src/liveness/pidfd.js';
import { expected, namespace, runDrill } from '../liveness/reuse/run.js';

const rounds = 1_000;

test.runIf(namespace !== undefined && systemPidfd() !== undefined)(
  'a thousand numbers given away under way: not one signal reaches a stranger',
  async () => {
    expect(await runDrill(rounds)).toEqual(expected(rounds));
  },
);
