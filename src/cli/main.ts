#!/usr/bin/env node
/**
 * The `mur` command: parses, picks a command, maps its end to the exit status. Everything a command needs beyond its flags
 * is imported when that command runs, because a session must be reachable soon after the process starts.
 * Read next: program.ts (the commands); per command one file of flags (run.ts, ps.ts) and one of what it does (run-session.ts).
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
  async ps(flags) {
    if (flags.watch === true) return (await import('./ps-watch.js')).watchSessions(flags, context);
    return (await import('./ps-list.js')).listSessions(flags, context);
  },
  async stop(flags) {
    return (await import('./stop-sessions.js')).stopSessions(flags, context);
  },
  async inspect(flags) {
    return (await import('./inspect-sessions.js')).inspectSessions(flags, context);
  },
  async token(flags) {
    return (await import('./token-print.js')).printToken(flags, context);
  },
  async replay(flags, inspect) {
    return (await import('./replay-session.js')).replaySession(flags, context, inspect);
  },
  async chart(flags) {
    return (await import('./chart-draw.js')).drawCharts(flags, context);
  },
});
await leave(status);
