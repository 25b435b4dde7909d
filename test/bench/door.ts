import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.js';

const root = new URL('../../../', import.meta.url);
const main = fileURLToPath(new URL('dist/src/bin/mur.js', root));
const manifest = fileURLToPath(new URL('examples/first/murmur.yaml', root));
const rounds = 15;

/** Milliseconds from starting the process to its announcement, which follows the listening door. */
async function untilDoorOpen(home: string): Promise<number> {
  const startedMs = performance.now();
  const workdir = mkdtempSync(join(tmpdir(), 'mur-bench-work-'));
  const child = spawn(process.execPath, [main, 'run', '--manifest', manifest, '--workdir', workdir], {
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const elapsedMs = performance.now() - startedMs;
  child.kill('SIGTERM');
  await once(child, 'close');
  rmSync(workdir, { recursive: true, force: true });
  return elapsedMs;
}

function bareNode(): number {
  const startedMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedMs;
}

/** Cold and warm `mur run` to "door open" beside bare `node -e 0`, in alternating rounds; medians. */
export async function run(): Promise<Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'mur-bench-home-'));
  try {
    const coldMs = await untilDoorOpen(home);
    await untilDoorOpen(home);
    bareNode();
    const bare: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(bareNode());
      warm.push(await untilDoorOpen(home));
    }
    const bareMs = median(bare);
    return [
      { name: 'node -e 0', value: bareMs, unit: 'ms' },
      {
        name: 'mur run to door open, warm',
        value: median(warm),
        unit: 'ms',
        ratio: median(warm) / bareMs,
        note: 'under 6',
      },
      {
        name: 'mur run to door open, cold',
        value: coldMs,
        unit: 'ms',
        ratio: coldMs / bareMs,
        note: 'compiles two components',
      },
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
