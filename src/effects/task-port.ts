import type { TaskPort } from '../door/index.js';
import { isFinal, laneOf, pageOf, settled, type TaskRequest, type TaskSnapshot } from '../task/index.js';
import { detachedWorkIds, residueOf } from './residue.js';
import { type SessionWorld, traceOf } from './world.js';

/** What the door asks of this session: each answer comes from the registry, and the charts are told what changed. */
export function taskPort(world: SessionWorld): TaskPort {
  const { registry } = world;
  return {
    send: (request) => {
      const context = world.draft.request.contextId;
      const reply = registry.enqueue(context === undefined ? request : { ...request, contextId: context });
      const task = expectTask(reply);
      if (task.state !== 'submitted') return task;
      try {
        handOver(world, task, request);
      } catch (error) {
        // Nobody would ever run it, and it would keep its place.
        registry.withdraw(task.taskId);
        throw error;
      }
      return task;
    },
    waiting: () => registry.waitingTaskId,
    reply: (taskId, text, messageId) => {
      const reply = registry.deliverInput(taskId, text, messageId);
      return reply.ok ? reply.task : undefined;
    },
    followUp: (taskId, message) => {
      const reply = registry.followUp(taskId, message);
      return reply.ok ? reply.task : undefined;
    },
    get: (taskId) => registry.get(taskId),
    history: (taskId) => registry.history(taskId),
    list: (filter, page) => pageOf(registry.list(), filter, page),
    settled: (taskId, told) => settled(registry, taskId, told),
    cancel: (taskId) => {
      const task = cancelTask(world, taskId);
      return task === undefined ? undefined : { task, residue: residueOf(world) };
    },
    stop: () => {
      const live = registry.list().filter(({ state }) => !isFinal(state));
      // The active task is the first; canceled last, so that none of the queued ones takes its place.
      for (const { taskId } of live.toReversed()) cancelTask(world, taskId);
      return { canceled: live.map(({ taskId }) => taskId), residue: residueOf(world) };
    },
  };
}

function handOver(world: SessionWorld, { taskId, contextId, origin }: TaskSnapshot, request: TaskRequest): void {
  traceOf(world).write('a2a_task_received', {
    task_id: taskId,
    context_id: contextId,
    message_id: request.messageId ?? '',
    traceparent_from_caller: request.traceparent ?? null,
  });
  world.send({ type: 'task.accepted', task: { taskId, contextId, source: 'a2a', lane: laneOf(origin) } });
}

/** The task after the cancel, an ended one unchanged; `undefined` for an unknown id. */
function cancelTask(world: SessionWorld, taskId: string): TaskSnapshot | undefined {
  const { registry } = world;
  const before = registry.get(taskId);
  if (before === undefined) return undefined;
  const task = expectTask(registry.cancel(taskId));
  if (before.state === 'submitted') {
    traceOf(world).write('task_canceled', {
      task_id: taskId,
      phase: 'queued',
      detached_work_ids: detachedWorkIds(world),
      delegation_ids: [],
    });
  }
  if (before.state !== task.state) world.send({ type: 'task.cancel.requested', taskId });
  return task;
}

function expectTask(reply: { ok: true; task: TaskSnapshot } | { ok: false; reason: string }): TaskSnapshot {
  if (!reply.ok) throw new Error(reply.reason);
  return reply.task;
}
