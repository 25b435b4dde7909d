import { rowOf } from '../effects/record-facts.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import { pruneRecord, sweepRecords, verifyAll } from '../liveness/index.js';
import { systemClock } from '../supervise/clock.js';
import type { CliContext, ExitStatus } from './context.js';
import type { PsFlags } from './ps.js';
import { arrange, formationLines, type PrunedRecord, prunedLines, rowJson, tableLines } from './ps-table.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';

/** Prints the sessions of this machine once. Throws `E-RUN-028` when the records cannot be read. */
export async function listSessions(flags: PsFlags, { stdout, stderr, env }: CliContext): Promise<ExitStatus> {
  const home = locateMurmurHome(env);
  const { running, gone } = sweepRecords(home);
  const pruned: PrunedRecord[] = gone.filter((each) => each.pruned).map(({ record, reason }) => named(record, reason));
  const verdicts = await verifyAll(running.map(({ record }) => record));
  const rows = running.flatMap(({ record }, index) => {
    const liveness = verdicts[index]!;
    // It ended while it was asked.
    if (liveness.verdict === 'Gone' && pruneRecord(home, record)) pruned.push(named(record, liveness.reason));
    return rowOf(record, liveness) ?? [];
  });
  const nowMs = systemClock.now();
  const style = styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color }));
  const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');

  if (flags.json === true) {
    stdout.write(`${JSON.stringify(arrange(rows).map((row) => rowJson(row, nowMs)))}\n`);
  } else if (rows.length === 0) {
    stdout.write('no running capsules\n');
  } else {
    const withFormations = pruned.some(({ formationId }) => formationId !== undefined);
    stdout.write(lines(tableLines(rows, { nowMs, style, withFormations })));
  }
  if (flags.json !== true) {
    const formations = formationLines(rows, pruned);
    if (formations.length > 0) stdout.write(`\n${lines(formations)}`);
  }
  stderr.write(lines(prunedLines(pruned, flags.verbose === true)));
  if (flags.verbose === true) {
    const silent = arrange(rows).filter(({ reason }) => reason !== null);
    stderr.write(lines(silent.map(({ sessionId, reason }) => `unreachable: ${sessionId} — ${oneLine(reason ?? '')}`)));
  }
  return 0;
}

function named(record: { readonly session_id: string; readonly formation_id?: string }, reason: string): PrunedRecord {
  const { session_id: sessionId, formation_id: formationId } = record;
  return { sessionId, reason, ...(formationId === undefined ? {} : { formationId }) };
}
