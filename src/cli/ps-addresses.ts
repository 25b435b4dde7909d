import { locateMurmurHome } from '../home/murmur-home.js';
import { sweepRecords } from '../liveness/sweep.js';
import type { CliContext, ExitStatus } from './context.js';
import { oneLine } from './safe-text.js';

/**
 * One line per running session, `@N<TAB>capsule, id`, for a shell that completes a command line. Asks no door, so it is ready in the
 * time a key press may take; says nothing when the records cannot be read.
 */
export async function listAddresses({ stdout, env }: CliContext): Promise<ExitStatus> {
  try {
    const { running } = sweepRecords(locateMurmurHome(env));
    for (const [index, { record }] of running.entries()) {
      stdout.write(`@${index + 1}\t${oneLine(record.capsule_name)}, ${record.session_id}\n`);
    }
  } catch {
    // There is nobody to tell: the shell shows no errors here.
  }
  return 0;
}
