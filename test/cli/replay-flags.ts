import { type Actions, runProgram } from '../../src/cli/program.js';
import type { ReplayFlags } from '../../src/cli/replay.js';
import { memoryOutput } from './memory-stream.js';

/** What `mur replay` makes of its arguments. */
export async function parseFlagsOf(argv: readonly string[]) {
  let flags: ReplayFlags | undefined;
  const actions = {
    async replay(given: ReplayFlags) {
      flags = given;
      return 0;
    },
  } as unknown as Actions;
  const context = { stdout: memoryOutput().output, stderr: memoryOutput().output, env: {} };
  return { status: await runProgram(['replay', ...argv], context, actions), flags };
}
