import { mintId } from '../../supervise/ids.js';
import type { TaskAcceptance } from '../../task/index.js';
import { invalidParams, isObject, type RpcOutcome, rpcErrors } from '../json-rpc.js';
import type { TaskPort } from '../port.js';
import { completionRefusal } from './completion.js';
import type { Dialect, DialectContext } from './dialect.js';
import { parseMessage } from './message.js';
import { taskObject } from './task-object.js';

type Params = Readonly<Record<string, unknown>>;
type Method = (params: Params, context: DialectContext) => RpcOutcome;

const methods: Readonly<Record<string, Method>> = {
  'message/send': send,
  'tasks/get': get,
  'tasks/cancel': cancel,
  'session/stop': stop,
};

/** The Murmur dialect (spec/door.md, column `mur`): a send answers at once, a `tasks/get` without id means the active task. */
export const murmur: Dialect = {
  methods: servedMethods,
  call(request, context) {
    const refused = completionRefusal(request.method, context);
    if (refused !== undefined) return { error: refused };
    const served = servedMethods(context.tasks, context.acceptance).includes(request.method);
    if (!served) return { error: rpcErrors.method };
    const method = methods[request.method]!;
    if (method === send && context.headers.forgetSession) {
      return { error: invalidParams('this capsule keeps no harness session to forget') };
    }
    const params = request.params ?? {};
    return isObject(params) ? method(params, context) : { error: invalidParams('params must be an object') };
  },
};

function servedMethods(tasks: TaskPort, acceptance: TaskAcceptance): readonly string[] {
  return Object.keys(methods).filter((name) => {
    if (name === 'message/send') return acceptance !== 'none';
    return name !== 'session/stop' || tasks.stop !== undefined;
  });
}

function send(params: Params, { tasks, clock, headers }: DialectContext): RpcOutcome {
  const parsed = parseMessage(params);
  if (!parsed.ok) return { error: invalidParams(parsed.why) };
  const receivedAtMs = clock.now();
  try {
    const waiting = tasks.waiting();
    const resumed = waiting === undefined ? undefined : tasks.reply(waiting, parsed.message.text);
    if (resumed !== undefined) return { result: taskObject(resumed) };
    const task = tasks.send({
      taskId: mintId('tsk', receivedAtMs),
      contextId: parsed.message.contextId ?? mintId('ctx', receivedAtMs),
      text: parsed.message.text,
      messageId: parsed.message.messageId,
      origin: headers.origin,
      trust: headers.trust,
      source: 'a2a',
      receivedAtMs,
      ...(headers.traceparent === undefined ? {} : { traceparent: headers.traceparent }),
    });
    return { result: taskObject(task) };
  } catch {
    return { error: rpcErrors.queue };
  }
}

function get(params: Params, { tasks }: DialectContext): RpcOutcome {
  const { id, historyLength } = params;
  if (id !== undefined && id !== null && typeof id !== 'string') return { error: invalidParams('id must be a string') };
  if (typeof historyLength === 'number' && historyLength < 0) {
    return { error: invalidParams('historyLength must not be negative') };
  }
  const task = tasks.get(id ?? undefined);
  return task === undefined ? { error: rpcErrors.taskNotFound } : { result: taskObject(task) };
}

function cancel(params: Params, { tasks }: DialectContext): RpcOutcome {
  if (typeof params.id !== 'string' || params.id === '') return { error: invalidParams('id names the task to cancel') };
  const outcome = tasks.cancel(params.id);
  return outcome === undefined
    ? { error: rpcErrors.taskNotFound }
    : { result: taskObject(outcome.task, outcome.residue) };
}

function stop(_params: Params, { tasks }: DialectContext): RpcOutcome {
  const { canceled, residue } = tasks.stop!();
  return { result: { canceled, residue } };
}
