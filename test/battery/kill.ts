/**
 * Ends commands whose daemons forked twice and left their session, in every way a command ends, and looks for what is left of them on
 * the whole machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { columns } from './case.js';
import { asleep, daemons, leaving, left, newMark } from './daemons.js';
import { type Entry, entryOf, type Where } from './record.js';
import { environment, openKind, pathOf, type Setting } from './session.js';
import type { Evidence } from './verdict.js';

const contained = columns(['CONTAINED', 'CONTAINED', 'CONTAINED']);
const row = (id: string, attempt: string) =>
  ({ id, from: 'issue, kill drill', attempt, kind: 'boundary', expect: contained, by: {} }) as const;

export const killRows = {
  leftover: row('leftover-job', 'a command exits and leaves a background job, a session of its own and a daemon'),
  deadline: row('kill-by-deadline', 'SIGTERM, a grace the command ignores, and the kill'),
  cancel: row('kill-by-cancel', 'the kill at once'),
  crash: row('kill-by-crash', 'SIGKILL to the runtime itself'),
} as const;

export interface Drill {
  readonly rounds: number;
  /** A process that opens the same box, starts the daemons, says so, and waits to be killed. */
  victim(seconds: string): ChildProcess;
}

export async function killDrill(setting: Setting, where: Where, { rounds, victim }: Drill): Promise<readonly Entry[]> {
  const box = await openKind(setting, 'plain');
  const seen = { leftover: [] as string[], deadline: [] as string[], cancel: [] as string[], crash: [] as string[] };
  const count = { leftover: 0, deadline: 0, cancel: 0, crash: 0 };
  let neverStarted = '';
  const never = (way: string, round: number, why: string) => {
    if (why !== '') neverStarted = `${way}, round ${round}: ${why}`;
  };
  const start = (line: string) =>
    box.start({
      path: pathOf(setting.executables, 'bash'),
      argv0: 'bash',
      args: ['-c', line],
      env: environment(box, setting.ground),
    });
  try {
    for (let round = 0; round < rounds; round += 1) {
      const way = (['deadline', 'cancel', 'crash', 'leftover'] as const)[round % 4]!;
      const seconds = newMark();
      count[way] += 1;
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      if (way === 'crash') {
        const child = victim(seconds);
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.once('exit', over);
        child.stdout!.resume();
        never(way, round, await asleep(seconds, () => isOver));
        child.kill('SIGKILL');
        await ended;
        // The kernel gets as long as it takes to tell bubblewrap.
        seen.crash.push(...(await left(seconds, 10_000)));
        continue;
      }
      const sign = join(setting.ground.folders.work, `leave-${seconds}`);
      const running = await start(way === 'leftover' ? leaving(seconds, sign) : `${daemons(seconds)}; wait`);
      for (const stream of [running.stdout, running.stderr]) stream.resume();
      void running.ended.then(over);
      never(way, round, await asleep(seconds, () => isOver));
      if (way === 'leftover') writeFileSync(sign, '');
      if (way === 'deadline') await running.terminate(50);
      if (way === 'cancel') await running.kill();
      await running.ended;
      seen[way].push(...(await left(seconds, 0)));
      rmSync(sign, { force: true });
    }
  } finally {
    await box.close();
  }
  const evidence = (way: keyof typeof seen): Evidence => {
    if (neverStarted !== '') return { kind: 'none', detail: `the daemons never ran: ${neverStarted}` };
    if (count[way] === 0) return { kind: 'none', detail: 'no round' };
    if (seen[way].length > 0)
      return { kind: 'through', detail: `${seen[way].length} processes were left after ${count[way]} rounds` };
    return { kind: 'held', detail: `${count[way]} rounds, no process left` };
  };
  return (Object.keys(killRows) as (keyof typeof killRows)[]).map((way) =>
    entryOf(killRows[way], where, evidence(way)),
  );
}

export function startVictim(main: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
}
