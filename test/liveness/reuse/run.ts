import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../home/temporary.js';

const liveness = new URL('../../../dist/src/liveness/', import.meta.url);
const drill = fileURLToPath(new URL('drill.mjs', import.meta.url));

/** As root, or as a user who may make a namespace in which he is. */
const ways = [
  ['-p', '-f', '--mount-proc'],
  ['-U', '-r', '-p', '-f', '--mount-proc'],
];

/** How this machine lets us choose pids; `undefined` where it does not. */
export const namespace = ways.find((way) => {
  if (!existsSync(liveness)) return false;
  const choose = 'echo 500 >/proc/sys/kernel/ns_last_pid && test "$(sh -c \'echo $$\')" = 501';
  return spawnSync('unshare', [...way, 'sh', '-c', choose]).status === 0;
});

export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Runs the drill in a pid namespace of its own, which ends every process in it. */
export async function runDrill(rounds: number): Promise<Counts> {
  const args = [...namespace!, process.execPath, drill, liveness.href, String(rounds), temporaryFolder()];
  const { stdout } = await promisify(execFile)('unshare', args, { encoding: 'utf8' });
  return JSON.parse(stdout) as Counts;
}

/** What the counts must be when no signal ever reaches another process. `usesPidfd` is whether this system has pidfds. */
export function expected(rounds: number): Counts {
  const swapped = { rounds, alive: rounds, reused: rounds, AlreadyGone: rounds, untouched: rounds };
  return {
    'swapped between reading and pidfd': swapped,
    'swapped before pidfd': swapped,
    'swapped before kill': swapped,
    'not swapped': { rounds, alive: rounds, pidfd: rounds, hit: rounds },
    'swapped between reading and kill': { rounds, alive: rounds, reused: rounds, kill: rounds, hit: rounds },
  };
}
