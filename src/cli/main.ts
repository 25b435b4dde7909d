#!/usr/bin/env node
/**
 * The `mur` command: parses, picks a command, maps its end to the exit status. Everything a command needs beyond its flags
 * is imported when that command runs, because a session must be reachable soon after the process starts.
 * Read next: commands.ts (the table); per command one file of flags (run.ts, ps.ts) and one of what it does (run-session.ts).
 */
import { leave, watchThreads } from './exit.js';
import { Output } from './output.js';
import { runProgram } from './program.js';

watchThreads();
const context = { stdout: new Output(process.stdout), stderr: new Output(process.stderr), env: process.env };
// Not awaited here: a chunk that imports this one would wait for the end of the command it is needed for.
void runProgram(process.argv.slice(2), context).then(leave);
