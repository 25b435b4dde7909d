import { cancelTask } from '../door-client/index.js';
import type { CancelFlags } from './cancel.js';
import type { CliContext, ExitStatus } from './context.js';
import { doorOf } from './door-address.js';
import { taskJson, taskLines } from './task-view.js';

/** Cancels one task and prints how it stands (spec/cli.md section 17). Throws what the door refused it with. */
export async function cancel(flags: CancelFlags, context: CliContext): Promise<ExitStatus> {
  const task = await cancelTask(await doorOf(flags, context), flags.task);
  context.stdout.write(flags.json === true ? `${taskJson(task)}\n` : `${taskLines(task).join('\n')}\n`);
  return 0;
}
