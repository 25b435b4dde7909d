import { fromPromise } from 'xstate';
import {
  type CommandEnd,
  type CommandEnded,
  type CommandInput,
  type CommandName,
  commandMachine,
  type Detached,
  type Started,
} from '../../machines/command/machine.js';
import type { Outcome } from '../../machines/effect.js';
import type { CommandProcess } from './command-process.js';

/** The chart of commands with every effect in place. Each finds what is live of its command by the command's id. */
export function commandLogic(processOf: (commandId: string) => CommandProcess): typeof commandMachine {
  const told = (tell: (process: CommandProcess, end: CommandEnd | null) => unknown) =>
    fromPromise<null, CommandEnded>(async ({ input: { commandId, end } }) => {
      await tell(processOf(commandId), end);
      return null;
    });
  return commandMachine.provide({
    actors: {
      start: fromPromise<Started, CommandInput>(({ input }) => processOf(input.commandId).start()),
      wait: fromPromise<CommandEnd, CommandName>(({ input }) => processOf(input.commandId).wait()),
      kill: fromPromise<CommandEnd | null, CommandName>(({ input }) => processOf(input.commandId).kill()),
      terminate: fromPromise<null, CommandName & { readonly killAfterMs: number }>(async ({ input }) => {
        await processOf(input.commandId).terminate(input.killAfterMs);
        return null;
      }),
      record: fromPromise<Outcome, CommandEnded>(({ input }) => processOf(input.commandId).record(input.end)),
      detach: fromPromise<Detached, CommandName>(({ input }) => processOf(input.commandId).detach()),
      save: told((process, end) => process.save(end)),
      report: told((process, end) => process.report(end)),
      abandon: told((process, end) => process.abandon(end)),
      clear: fromPromise<null, CommandName>(async ({ input }) => {
        await processOf(input.commandId).clear();
        return null;
      }),
    },
  });
}
