import { isEvent, type ReadLine } from '../trace/index.js';
import { oneLine } from './completion.js';

/** A background command whose session was killed: how it ended, nobody knows. */
export interface LostCommand {
  readonly workId: string;
  readonly binary: string;
  readonly command: string;
  /** Unix milliseconds. */
  readonly detachedAtMs: number;
}

export interface LostWork {
  /** Event id of the trace's `session_start`; `null` in a trace that has none. */
  readonly sessionStart: string | null;
  /** Sorted by id, which is by time. */
  readonly commands: readonly LostCommand[];
  /** The lowest of the tasks that started them; an unknown task is not trusted. */
  readonly trust: 'trusted' | 'untrusted';
}

const workIdPattern = /^wrk_[0-9a-f]+$/;

/**
 * The background commands of which an earlier trace tells no end (spec/shell.md 8.5). Lines that are damaged, or that lack what they
 * should have, tell nothing.
 */
export function scanLost(lines: Iterable<ReadLine>): LostWork {
  const open = new Map<string, LostCommand & { readonly taskId: string | null }>();
  const settled = new Set<string>();
  const trusted = new Set<string>();
  let sessionStart: string | null = null;
  for (const line of lines) {
    if (line.event_type === 'session_start') sessionStart ??= typeof line.event_id === 'string' ? line.event_id : null;
    else if (isEvent('task_start', line)) {
      if (line.trust === 'trusted') trusted.add(line.task_id);
    } else if (isEvent('shell_detached', line)) {
      const { work_id: workId, binary, command, timestamp, task_id: taskId } = line;
      if (!workIdPattern.test(workId) || typeof timestamp !== 'number') continue;
      open.set(workId, { workId, binary, command, detachedAtMs: timestamp, taskId });
    } else if (isSettling(line) && typeof line.work_id === 'string') settled.add(line.work_id);
  }
  const lost = [...open.values()].filter(({ workId }) => !settled.has(workId));
  lost.sort((a, b) => (a.workId < b.workId ? -1 : 1));
  return {
    sessionStart,
    commands: lost.map(({ taskId: _, ...command }) => command),
    trust: lost.every(({ taskId }) => taskId !== null && trusted.has(taskId)) ? 'trusted' : 'untrusted',
  };
}

/** What the resumed capsule is told of lost commands. Opens unlike a completion, so that neither passes for the other. */
export function lostMessage(sessionId: string, commands: readonly LostCommand[]): string {
  return [
    `The runtime of session ${sessionId} was killed while these background shell commands ran. Whether they did their work is unknown: ` +
      'there is no exit code and no output.',
    ...commands.flatMap(({ workId, binary, command, detachedAtMs }) => [
      `work_id: ${workId}`,
      `binary: ${binary}`,
      `command: ${oneLine(command)}`,
      `detached_at: ${new Date(detachedAtMs).toISOString()}`,
    ]),
    'Look at what they left before running them again.',
  ].join('\n');
}

const settling: ReadonlySet<string> = new Set(['shell_completed', 'shell_abandoned', 'shell_lost']);

function isSettling(line: ReadLine): boolean {
  return settling.has(line.event_type);
}
