/**
 * How long a command takes that starts nothing: a process each, beside `node -e 0` started in the same moment, in both orders. The
 * median of each is compared, because a busy machine makes some of them late.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.js';

const mur = fileURLToPath(new URL('../../src/bin/mur.js', import.meta.url));
const rounds = 21;
const warmUps = 2;

const commands: readonly (readonly string[])[] = [
  ['--version'],
  ['help'],
  ['help', 'run'],
  ['ps'],
  ['ps', '--addresses'],
  ['list'],
  ['doctor', '--no-probe'],
  ['doctor'],
  ['config', 'list'],
  ['beta', 'list'],
  ['schema', 'config'],
  ['completion', 'bash'],
];

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mur-bench-'));
  writeFileSync(join(folder, 'murmur.yaml'), 'name: bench\nversion: "0.1.0"\n');
  try {
    const took = (args: readonly string[]) => timeOf(args, folder);
    const all = [['-e', '0'], ...commands.map((args) => [mur, ...args])];
    const times = all.map((): number[] => []);
    for (let round = -warmUps; round < rounds; round += 1) {
      const order = all.map((_, index) => index);
      if (round % 2 !== 0) order.reverse();
      for (const index of order) {
        const ms = await took(all[index]!);
        if (round >= 0) times[index]!.push(ms);
      }
    }
    const [bare, ...medians] = times.map(median);
    return [
      { name: 'node -e 0', value: bare!, unit: 'ms', ratio: 1 },
      ...commands.map((args, index) => {
        const value = medians[index]!;
        return { name: `mur ${args.join(' ')}`, value, unit: 'ms', ratio: value / bare! };
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** From the start of the process until it has ended, whatever it says. */
async function timeOf(args: readonly string[], folder: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH },
    stdio: 'ignore',
  });
  await once(child, 'close');
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
