/**
 * Ends commands whose daemons forked twice and left their session, in every way a command ends, and looks for what is left of them on
 * the whole machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { columns } from './case.js';
import { type Entry, entryOf, type Where } from './record.js';
import { environment, openKind, pathOf, run, type Setting } from './session.js';
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

/** A shell that ignores SIGTERM and leaves processes everywhere it can. `seconds` is their mark: nobody else sleeps as long. */
export function daemons(seconds: string): string {
  return `trap '' TERM; sleep ${seconds} & (setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &); ( ( setsid bash -c 'trap "" TERM HUP; sleep ${seconds} & setsid sleep ${seconds}; wait' </dev/null >/dev/null 2>&1 & ) & ); echo ready`;
}

export function living(word: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0').includes(word);
    } catch {
      return false;
    }
  });
}

/** What `daemons` starts. A shell says that it is ready before its children have become what they are to be. */
const sleepers = 4;

/** What kept the daemons of a round from running; empty when all of them do. */
async function missing(stdout: NodeJS.ReadableStream, word: string): Promise<string> {
  if (!(await ready(stdout))) return 'the shell ended before it was ready';
  const end = performance.now() + 10_000;
  while (living(word).length < sleepers && performance.now() < end) await sleep(5);
  const count = living(word).length;
  return count < sleepers ? `${count} of ${sleepers} sleepers after 10 s` : '';
}

const marks = { next: 0 };
const mark = () => `${200_000 + process.pid}.${marks.next++}`;

/** None left at once; for a crash the kernel gets as long as it takes to tell bubblewrap. */
async function noneLeft(word: string, withinMs: number): Promise<readonly string[]> {
  const end = performance.now() + withinMs;
  let left = living(word);
  while (left.length > 0 && performance.now() < end) {
    await sleep(10);
    left = living(word);
  }
  return left;
}

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
  try {
    for (let round = 0; round < rounds; round += 1) {
      const way = (['deadline', 'cancel', 'crash', 'leftover'] as const)[round % 4]!;
      const seconds = mark();
      count[way] += 1;
      if (way === 'crash') {
        const child = victim(seconds);
        const ended = new Promise((resolve) => child.once('exit', resolve));
        never(way, round, await missing(child.stdout!, seconds));
        child.kill('SIGKILL');
        await ended;
        seen.crash.push(...(await noneLeft(seconds, 2000)));
        continue;
      }
      if (way === 'leftover') {
        await run(box, setting, 'bash', ['-c', `${daemons(seconds)}; sleep 0.05`]);
        seen.leftover.push(...(await noneLeft(seconds, 0)));
        continue;
      }
      const running = await box.start({
        path: pathOf(setting.executables, 'bash'),
        argv0: 'bash',
        args: ['-c', `${daemons(seconds)}; wait`],
        env: environment(box, setting.ground),
      });
      running.stderr.resume();
      never(way, round, await missing(running.stdout, seconds));
      await (way === 'deadline' ? running.terminate(50) : running.kill());
      seen[way].push(...(await noneLeft(seconds, 0)));
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

/** Whether the daemons were started: by what their shell, or the victim, says. */
function ready(stream: NodeJS.ReadableStream): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('ready')) resolve(true);
    });
    stream.once('end', () => resolve(false));
  });
}

export function startVictim(main: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
}
