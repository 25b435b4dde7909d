import { runProgram } from '../../src/cli/program.js';
import type { ReplayFlags } from '../../src/cli/replay.js';
import { memoryOutput } from './memory-stream.js';

/** What `mur replay` makes of its arguments. */
export async function parseFlagsOf(argv: readonly string[]) {
  let flags: ReplayFlags | undefined;
  const context = { stdout: memoryOutput().output, stderr: memoryOutput().output, env: {} };
  const status = await runProgram(['replay', ...argv], context, async (_command, given) => {
    flags = given as ReplayFlags;
    return 0;
  });
  return { status, flags };
}
