/** What this process holds: for tests that must leave nothing behind. Linux only. Not a test. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Census {
  /** What each open descriptor leads to; the numbers of sockets and pipes left out, since they differ from one to the next. */
  readonly descriptors: readonly string[];
  readonly threads: number;
  /** What keeps the event loop alive, by kind. */
  readonly resources: readonly string[];
  readonly listeners: Readonly<Record<string, number>>;
  /** Pids of child processes that have not been waited for. */
  readonly children: readonly string[];
}

const watched = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'exit',
  'beforeExit',
  'uncaughtException',
  'unhandledRejection',
  'worker',
];

export function census(): Census {
  return {
    descriptors: descriptors(),
    threads: readdirSync('/proc/self/task').length,
    resources: process.getActiveResourcesInfo().sort(),
    listeners: Object.fromEntries(watched.map((name) => [name, process.listenerCount(name)])),
    children: readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean),
  };
}

function descriptors(): string[] {
  return readdirSync('/proc/self/fd')
    .flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`).replace(/\d+(?=\]$)/, '')];
      } catch {
        return []; // the descriptor of this very listing
      }
    })
    .filter((target) => !target.startsWith(`/proc/${process.pid}/`))
    .sort();
}
