/**
 * Every command of `mur`, in the order in which `mur help` lists them. Names and summaries only: a command's module is loaded
 * when the command is named, so this list may grow without making any of them slower to start.
 * Read next: command.ts (what a module exports), program.ts (how a line is parsed).
 */
import type { CommandModule } from './command.js';

export interface CommandRow {
  readonly name: string;
  /** One line of `mur help`. */
  readonly summary: string;
  /** Not listed and not suggested; it works. */
  readonly hidden?: true;
  load(): Promise<CommandModule>;
}

export const commandRows: readonly CommandRow[] = [
  { name: 'run', summary: 'run a capsule from its manifest and print what came of it', load: () => import('./run.js') },
  { name: 'ps', summary: 'list the capsules that run on this machine', load: () => import('./ps.js') },
  { name: 'stop', summary: 'end a session and wait until its process is gone', load: () => import('./stop.js') },
  { name: 'token', summary: 'print a door token of a running session', load: () => import('./token.js') },
  {
    name: 'replay',
    summary: 'go through a recorded session again, event by event',
    load: () => import('./replay.js'),
  },
  { name: 'chart', summary: 'draw a state chart, or a session as it stands', load: () => import('./chart.js') },
  {
    name: 'inspect',
    summary: 'watch sessions in the browser: charts, messages, tools, time travel',
    load: () => import('./inspect.js'),
  },
];
