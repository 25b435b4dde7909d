import type { StopOutput } from '../../machines/stop/types.js';
import { stopSession } from '../effects/stop.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { type RunningRecord, resolveAddress, sweepRecords } from '../liveness/index.js';
import type { CliContext, ExitStatus } from './context.js';
import { errorOfFault } from './fault.js';
import { errorText } from './output.js';
import type { StopFlags } from './stop.js';
import { stoppedJson, stoppedLines } from './stop-view.js';
import { type Style, styleFor, wantsColor } from './style.js';
import { WaitLine } from './wait-line.js';

/**
 * Ends the session that was named, or all of them at once, and prints one block each, newest first. Throws `E-RUN-022` when the
 * address names none and `E-RUN-028` when the records cannot be read.
 */
export async function stopSessions(flags: StopFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const home = locateMurmurHome(env);
  const sweep = sweepRecords(home);
  const records: readonly RunningRecord[] =
    flags.address === undefined ? sweep.running.map(({ record }) => record) : [resolveAddress(flags.address, sweep)];
  if (records.length === 0 && flags.json !== true) stdout.write('no running capsules\n');

  const facts = { isTerminal: stderr.isTerminal, env, noColor: !flags.color };
  const style = styleFor(wantsColor(facts));
  const waiting = new WaitLine(stderr, { ...facts, style });
  const stopping = records.map((record) => stopSession(home, record, { graceMs: flags.timeout }));
  let status: ExitStatus = 0;
  for (const [index, record] of records.entries()) {
    waiting.show(waitText(records.slice(index)));
    const output = await stopping[index]!;
    waiting.clear();
    const isFirst = index === 0;
    print(record, output, { ...flags, isFirst }, context, style);
    if (output.fault !== null) status = 1;
  }
  return status;
}

function print(
  record: RunningRecord,
  output: StopOutput,
  flags: StopFlags & { readonly isFirst: boolean },
  { stdout, stderr }: CliContext,
  style: Style,
): void {
  if (flags.json === true) stdout.write(`${JSON.stringify(stoppedJson(record, output))}\n`);
  if (output.fault !== null) {
    stderr.write(errorText(errorOfFault(output.fault), style));
  } else if (flags.json !== true) {
    const lines = stoppedLines(record, output, flags.verbose === true);
    stdout.write(`${flags.isFirst ? '' : '\n'}${lines.join('\n')}\n`);
  }
}

function waitText(records: readonly RunningRecord[]): string {
  const [first] = records;
  const name = first === undefined ? '' : `${first.capsule_name}@${first.capsule_version}`;
  return records.length === 1 ? `stopping ${name}` : `stopping ${records.length} sessions`;
}
