/** What a session pays once before its first command, beside `node -e 0`, for command.ts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { probeHost } from '../../src/containment/probe/index.js';
import { boxOf, executablesOf, type Ground, networkOf } from './command-ways.js';
import type { Row } from './row.js';

const rounds = 9;

export async function setupRows(ground: Ground): Promise<Row[]> {
  const steps: readonly (readonly [name: string, step: () => Promise<(() => Promise<void>) | void>])[] = [
    ['node -e 0', bareNode],
    ['probe of the host, cold', async () => void (await probeHost({ fresh: true }))],
    ['probe of the host, known', async () => void (await probeHost())],
    ['programs and their libraries, known', async () => void (await executablesOf())],
    ['network namespace, name server, relay', async () => (await networkOf(ground.host))?.close],
    ['open of a box', async () => (await boxOf(ground, ground.host.hostTier === 'sealed' ? 'sealed' : 'scoped')).close],
  ];
  const times = steps.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, [, step]] of steps.entries()) {
      const startedAt = performance.now();
      const close = await step();
      times[index]!.push(performance.now() - startedAt);
      await close?.();
    }
  }
  const middle = (samples: readonly number[]) => samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
  const base = middle(times[0]!);
  const row = (name: string, value: number): Row => ({
    name: `per session: ${name}`,
    value,
    unit: 'ms',
    ratio: value / base,
  });
  return [
    ...steps.map(([name], index) => row(name, middle(times[index]!))),
    { ...row('programs and their libraries, the first time', ground.firstLookMs), note: 'one sample' },
  ];
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close');
}
