/**
 * The impure actors of a session, and the one place where they meet the charts. An effect does one thing and answers with plain
 * data; it never decides what happens next. Not the charts (machines/), not the wiring of a process (src/supervise/launch.ts).
 * Read next: world.ts (what effects share), then one file per chart: stage.ts, session.ts, task.ts, turn.ts, tool-call.ts.
 */
import { sessionMachine } from '../../machines/session/machine.js';
import { taskMachine } from '../../machines/task/machine.js';
import { toolCallMachine } from '../../machines/tool-call/machine.js';
import { turnMachine } from '../../machines/turn/machine.js';
import { commandLogic } from './command-chart.js';
import { closeSession, openSession, refusePending, retireSession, runScript } from './session.js';
import { mintSession, stageStep } from './stage.js';
import { beginTask, endTask } from './task.js';
import { admitCall, fenceCall, recordCall, runCall } from './tool-call.js';
import { commitTurn, infer, prepareTurn } from './turn.js';
import type { SessionWorld } from './world.js';

export { countdown, DeadlineNotice } from './deadline.js';
export { SessionLog } from './log.js';
export { processEvents } from './process.js';
export { noTotals } from './totals.js';
export type { SessionWorld } from './world.js';

/** The session chart with every effect in place. Live objects reach the effects by closure, never by input. */
export function sessionLogic(world: SessionWorld): typeof sessionMachine {
  const toolCall = toolCallMachine.provide({
    actors: { admit: admitCall(world), run: runCall(world), fence: fenceCall(world), record: recordCall(world) },
  });
  const turn = turnMachine.provide({
    actors: { prepare: prepareTurn(world), infer: infer(world), commit: commitTurn(world), toolCall },
  });
  const task = taskMachine.provide({ actors: { begin: beginTask(world), end: endTask(world), turn } });
  return sessionMachine.provide({
    actors: {
      validate: stageStep(world, 'validate'),
      probe: stageStep(world, 'probe'),
      contain: stageStep(world, 'contain'),
      resolve: stageStep(world, 'resolve'),
      check: stageStep(world, 'check'),
      compile: stageStep(world, 'compile'),
      mint: mintSession(world),
      write: stageStep(world, 'write'),
      open: openSession(world),
      script: runScript(world),
      refuse: refusePending(world),
      close: closeSession(world),
      retire: retireSession(world),
      task,
      command: commandLogic((commandId) => {
        if (world.commands === undefined) throw new Error('the commands of this session were not opened');
        return world.commands.processOf(commandId);
      }),
    },
  });
}
