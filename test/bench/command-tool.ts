/** A shell tool call as a session makes it, over a box: chart, capture of output, result text and trace. */
import { createActor } from 'xstate';
import type { Box } from '../../src/containment/box.js';
import { Commands } from '../../src/effects/command.js';
import { commandLogic } from '../../src/effects/command-chart.js';
import { runShell, shellLine } from '../../src/effects/command-shell.js';
import { holdDirectory } from '../../src/home/index.js';
import { systemClock } from '../../src/supervise/clock.js';
import { TraceWriter } from '../../src/trace/index.js';
import type { Ground, Way } from './command-ways.js';

/** Sweep what it opened with `close`. */
export function toolCall(name: string, ground: Ground, box: Box): Way & { close(): Promise<void> } {
  const { folders } = ground;
  const records = holdDirectory(folders.records);
  const trace = new TraceWriter({ records, sessionId: 'ses_bench', clock: systemClock });
  const logic = commandLogic((commandId) => commands.processOf(commandId));
  const commands: Commands = new Commands({
    box,
    clock: systemClock,
    policy: { shellAllow: ['true'], shellBaselineEnv: [], shellStripEnv: [] },
    hostEnv: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
    identity: [['MURMUR_SESSION_ID', 'ses_bench']],
    folders: { temp: box.tempPath, runtime: folders.runtime },
    records,
    trace,
    log: ({ message }) => {
      throw new Error(message);
    },
    spawn: (input) => createActor(logic, { input }).start(),
  });
  const caller = { taskId: 'tsk_1', turn: 0, contextId: 'ctx_1', trust: 'trusted' } as const;
  return {
    name,
    run: async () => {
      const { shell, runtimeError } = await runShell(commands, { name: 'true', data: '{"command":"now"}', ...caller });
      if (shell?.exitCode !== 0) throw new Error(runtimeError ?? `it ended with ${shell?.exitCode}`);
      trace.write('shell', shellLine(caller, shell));
    },
    close: async () => {
      await commands.sweep();
      await trace.close();
      records.close();
    },
  };
}
