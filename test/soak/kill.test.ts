/**
 * A hundred rounds of ending a `mur run` whose command set off daemons: by its deadline, a cancel at the door, `mur stop`, signals to the
 * runtime, and the end of the command. `MUR_SOAK_SECONDS` scales the number of rounds.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { Sandbox } from '../e2e/cli.js';
import { killRound, ways } from '../e2e/kill-round.js';

const seconds = Number(process.env.MUR_SOAK_SECONDS ?? 120);
const rounds = Math.max(2 * ways.length, Math.round((100 * seconds) / 120));
const lanes = 2;
const host = process.platform === 'linux' ? await probeHost() : undefined;

const place = resolve('test-output', `soak-kill-${process.pid}`);
let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox(place);
  mkdirSync(join(sandbox.project, 'work'));
});
afterAll(() => {
  sandbox.remove();
  rmSync(place, { recursive: true, force: true });
});

test.runIf(host?.hostTier === 'sealed')(
  'with nothing around the command, the same daemons outlive its runtime',
  async () => {
    const { left, never } = await killRound(sandbox, 'SIGKILL', 'unconfined');
    for (const pid of left) process.kill(Number(pid), 'SIGKILL');
    expect([never, left.length > 0]).toEqual(['', true]);
  },
);

test.runIf(host?.hostTier === 'sealed')(`nothing is left of any of ${rounds} rounds`, async () => {
  const counts = new Map<string, number>();
  let next = 0;
  const lane = async () => {
    for (let round = next++; round < rounds; round = next++) {
      const way = ways[round % ways.length]!;
      const containment = Math.floor(round / ways.length) % 2 === 0 ? 'scoped' : 'sealed';
      const name = `${way} ${containment}`;
      expect([round, name, await killRound(sandbox, way, containment)]).toEqual([round, name, { left: [], never: '' }]);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  process.stdout.write(`kill drill: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
});
