import { locateMurmurHome } from '../home/murmur-home.js';
import { resolveAddress, sweepRecords, tokenOf } from '../liveness/index.js';
import type { CliContext, ExitStatus } from './context.js';
import type { TokenFlags } from './token.js';

/** Prints one door token. Reads the record only: no door is asked. */
export async function printToken(flags: TokenFlags, { stdout, env }: CliContext): Promise<ExitStatus> {
  const record = resolveAddress(flags.address, sweepRecords(locateMurmurHome(env)));
  stdout.write(`${tokenOf(record, flags.credential).reveal()}\n`);
  return 0;
}
