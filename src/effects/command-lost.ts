/**
 * Background commands of a session that was killed: a resume marks them in the trace it resumes and tells the capsule (spec/shell.md
 * 8.5). Nothing here holds up a launch.
 */
import { join } from 'node:path';
import { reasonOf } from '../errors/index.js';
import type { HeldDirectory } from '../home/index.js';
import { pathSegmentProblem } from '../manifest/grammar.js';
import { type LostCommand, lostMessage, scanLost } from '../shell/index.js';
import type { Clock } from '../supervise/clock.js';
import { mintId } from '../supervise/ids.js';
import type { TaskRequest } from '../task/index.js';
import { type ReadLine, readTrace, TRACE_FILE } from '../trace/index.js';
import { orderedKeys } from '../trace/line.js';

export interface LostRequest {
  /** Folder of the trace that is resumed, which may be a copy. */
  readonly traceDir: HeldDirectory;
  /** The session whose trace it is. */
  readonly sessionId: string;
  /** The session that resumes it, and the context it resumes in. */
  readonly bySession: string;
  readonly contextId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly warn: (message: string) => void;
}

/**
 * The task that tells the capsule of what was lost; `undefined` when nothing was, or it cannot be known. Each command of it is marked
 * in the trace first, so no later resume reports it again; one that could not be marked is left for a later resume.
 */
export function reconcileLost(request: LostRequest): TaskRequest | undefined {
  const { traceDir, sessionId, contextId, clock, warn } = request;
  if (!sessionId.startsWith('ses_') || pathSegmentProblem(sessionId) !== undefined) return undefined;
  try {
    const work = scanLost(linesOf(join(traceDir.path, TRACE_FILE)));
    if (work.commands.length === 0) return undefined;
    const taskId = mintId('tsk', clock.now());
    const marked = mark(request, taskId, work.sessionStart, work.commands);
    if (marked.length === 0) return undefined;
    return {
      taskId,
      contextId,
      text: lostMessage(sessionId, marked),
      origin: 'completion',
      trust: work.trust,
      source: 'detached_lost',
      receivedAtMs: clock.now(),
    };
  } catch (error) {
    warn(`the background commands of ${sessionId} could not be looked up: ${reasonOf(error)}`);
    return undefined;
  }
}

function* linesOf(path: string): Generator<ReadLine> {
  for (const item of readTrace(path)) if (item.kind === 'event') yield item.event;
}

function mark(
  { traceDir, sessionId, bySession, clock, warn }: LostRequest,
  taskId: string,
  sessionStart: string | null,
  commands: readonly LostCommand[],
): LostCommand[] {
  const file = traceDir.openAppend(TRACE_FILE, 0o600);
  try {
    return commands.filter(({ workId, binary, command, detachedAtMs }) => {
      const timestamp = clock.now();
      const line = {
        event_type: 'shell_lost',
        event_id: mintId('evt', timestamp),
        parent_id: sessionStart,
        session_id: sessionId,
        timestamp,
        ...orderedKeys('shell_lost', {
          work_id: workId,
          binary,
          command,
          detached_at_ms: detachedAtMs,
          reconciled_by_session: bySession,
          reconciled_task_id: taskId,
        }),
      };
      try {
        file.writeLine(JSON.stringify(line));
        return true;
      } catch (error) {
        warn(`${workId} could not be marked as lost: ${reasonOf(error)}`);
        return false;
      }
    });
  } finally {
    file.close();
  }
}
