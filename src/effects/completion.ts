import { reasonOf } from '../errors/index.js';
import { laneOf, type TaskRequest } from '../task/index.js';
import { type SessionWorld, traceOf } from './world.js';

/**
 * Makes the report of a background command a task of the session (spec/shell.md 8.3). One that comes while the session closes is
 * refused, with a line that says so. Never throws: nobody waits for it.
 */
export function takeCompletion(world: SessionWorld, request: TaskRequest): void {
  const { taskId, contextId, source, origin } = request;
  try {
    const reply = world.registry.enqueueCompletion(request);
    if (!reply.ok) throw new Error(reply.reason);
    if (reply.task.state === 'submitted') {
      world.send({ type: 'task.accepted', task: { taskId, contextId, source, lane: laneOf(origin) } });
      return;
    }
    traceOf(world).write('task_rejected', {
      task_id: taskId,
      context_id: contextId,
      source: 'detached_shell',
      cause: world.refusing ?? 'session_ended',
      reason: reply.task.message ?? '',
    });
  } catch (error) {
    world.log.write({ level: 'error', message: `the report ${taskId} was lost: ${reasonOf(error)}` });
  }
}
