import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { Sandbox } from './cli.js';
import { killRound, ways } from './kill-round.js';

const host = process.platform === 'linux' ? await probeHost() : undefined;

// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `kill-${process.pid}`);
let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox(place);
  mkdirSync(join(sandbox.project, 'work'));
});
afterAll(() => {
  sandbox.remove();
  rmSync(place, { recursive: true, force: true });
});

// A hundred rounds: test/soak/kill.test.ts.
describe.runIf(host?.hostTier === 'sealed')('daemons that forked twice and left their session are gone after', () => {
  test.each(ways.map((way, index) => [way, index % 2 === 0 ? 'sealed' : 'scoped'] as const))(
    '%s (%s)',
    async (way, containment) => {
      expect(await killRound(sandbox, way, containment)).toEqual({ left: [], never: '' });
    },
  );
});
