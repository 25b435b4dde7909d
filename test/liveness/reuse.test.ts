import { expect, test } from 'vitest';
import { systemPidfd } from '../../src/liveness/pidfd.js';
import { expected, namespace, runDrill } from './reuse/run.js';

// The long version is test/soak/pid-reuse.test.ts. signal.test.ts has the one for machines without namespaces.
test.runIf(namespace !== undefined && systemPidfd() !== undefined)(
  'no signal reaches a process that got the number of another, also between reading and sending',
  async () => {
    expect(await runDrill(20)).toEqual(expected(20));
  },
);
