/** Processes that leave their parent, their session and their group, and how they are found on the whole machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A shell that ignores SIGTERM and leaves processes everywhere it can: in the background, in a session of their own, and forked twice.
 * `seconds` is their mark: nobody else sleeps as long.
 */
export function daemons(seconds: string): string {
  return `trap '' TERM; sleep ${seconds} & (setsid sleep ${seconds} </dev/null >/dev/null 2>&1 &); ( ( setsid bash -c 'trap "" TERM HUP; sleep ${seconds} & setsid sleep ${seconds}; wait' </dev/null >/dev/null 2>&1 & ) & ); echo ready`;
}

/** How many of them sleep, once all do. */
const sleepers = 4;

/** The command line that sets them off and ends, leaving them, when `file` is there. */
export function leaving(seconds: string, file: string): string {
  return `${daemons(seconds)}; until [ -e '${file}' ]; do sleep 0.02; done`;
}

const marks = { next: 0 };
/** A mark of this process. */
export const newMark = (): string => `${200_000 + process.pid}.${marks.next++}`;

/** The processes of this machine with `word` in their command line. */
export function living(word: string, isIt = (argument: string) => argument.includes(word)): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0').some(isIt);
    } catch {
      return false;
    }
  });
}

/**
 * Resolves when all of them sleep, with '': a shell says that it is ready before its children have become what they are to be. With
 * what kept them from it when `isOver`, or after a minute.
 */
export async function asleep(seconds: string, isOver: () => boolean): Promise<string> {
  const end = performance.now() + 60_000;
  for (;;) {
    // Read before they are counted: what has ended may have started them before.
    const wasOver = isOver();
    const count = living(seconds, (argument) => argument === seconds).length;
    if (count >= sleepers) return '';
    if (wasOver) return `it ended with ${count} of ${sleepers} asleep`;
    if (performance.now() > end) return `${count} of ${sleepers} asleep after a minute`;
    await sleep(5);
  }
}

/** What is left, once nothing is or the time is over. */
export async function left(word: string, withinMs: number): Promise<readonly string[]> {
  const end = performance.now() + withinMs;
  let found = living(word);
  while (found.length > 0 && performance.now() < end) {
    await sleep(10);
    found = living(word);
  }
  return found;
}
