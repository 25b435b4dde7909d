#!/usr/bin/env node
/**
 * The `mur` command: parses, picks a command, maps its end to the exit status. Everything a command needs beyond its flags
 * is imported when that command runs, because a session must be reachable soon after the process starts.
 * Read next: program.ts (the commands), run.ts (flags of `mur run`), run-session.ts (what it does).
 */
import { leave, watchThreads } from './exit.js';
import { Output } from './output.js';
import { runProgram } from './program.js';

const context = { stdout: new Output(process.stdout), stderr: new Output(process.stderr), env: process.env };

watchThreads();
const status = await runProgram(process.argv.slice(2), context, {
  async run(flags) {
    const { runSession } = await import('./run-session.js');
    return runSession(flags, context, async () => (await import('../index.js')).runCapsule);
  },
});
await leave(status);
