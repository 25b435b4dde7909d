/**
 * What `mur stop` prints of one session (spec/cli.md section 14), as lines and as JSON. Pure; every byte counts.
 */
import type { ResidueItem, StopOutput } from '../../machines/stop/types.js';
import type { RunningRecord } from '../liveness/index.js';
import { oneLine } from './safe-text.js';

/** The block of a session that is gone. */
export function stoppedLines(record: RunningRecord, output: StopOutput, isVerbose: boolean): string[] {
  const { asked, unended, signal, via } = output;
  return [
    `stopped: ${record.session_id}`,
    `capsule: ${oneLine(`${record.capsule_name}@${record.capsule_version}`)}`,
    `signal:  ${signal ?? 'none — the process had already exited'}`,
    ...(isVerbose && via !== null ? [`via:     ${via}`] : []),
    ...(asked?.ok === true ? asked.canceled.map((id) => `canceled: ${oneLine(id)}`) : []),
    ...unended.map((id) => `unended: ${oneLine(id)}  the trace does not record how this task ended`),
    ...residueLines(output),
  ];
}

function residueLines({ asked }: StopOutput): string[] {
  if (asked?.ok !== true) {
    return [`residue: unknown — the capsule could not be asked: ${oneLine(asked?.reason ?? 'no reason was given')}`];
  }
  if (asked.residue.length === 0) return ['residue: nothing else was left running'];
  return asked.residue.map(residueLine);
}

/** `running:` for what outlives the session, `ended:` for what its end takes along. */
export function residueLine(item: ResidueItem): string {
  const text = (key: string): string => (typeof item[key] === 'string' ? oneLine(item[key]) : '');
  if (item.kind === 'detached_shell') {
    const word = item.ends_with_session === true ? 'ended:   ' : 'running: ';
    return `${word}${text('work_id')}  detached shell  ${text('command')}`;
  }
  if (item.kind === 'delegation') {
    return `ended:   ${text('delegation_id')}  delegation  ${text('capsule')}@${text('version')}`;
  }
  return `running: ${oneLine(JSON.stringify(item))}`;
}

/** The same for a program, also for a session that could not be ended. */
export function stoppedJson(record: RunningRecord, output: StopOutput): Record<string, unknown> {
  const { asked, unended, signal, via, fault } = output;
  return {
    session_id: record.session_id,
    capsule: record.capsule_name,
    version: record.capsule_version,
    status: fault === null ? 'stopped' : 'not_stopped',
    signal,
    via,
    canceled: asked?.ok === true ? asked.canceled : [],
    unended,
    residue: asked?.ok === true ? asked.residue : null,
    ...(asked?.ok === false ? { unasked: asked.reason } : {}),
    ...(fault === null ? {} : { error: fault }),
  };
}
