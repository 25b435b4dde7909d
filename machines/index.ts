/**
 * Every state chart of mur, by id. Pure: no input or output, clock or randomness (test/machines/pure.test.ts holds that).
 *
 * Read in this order: murmur (the process), session, task, turn, tool-call, command; then, for other processes' sessions,
 * liveness, registry and stop. Drawings: diagrams/. Effects: src/effects/.
 */
import type { AnyStateMachine, EventObject } from 'xstate';
import { commandMachine } from './command/machine.js';
import { livenessMachine } from './liveness/machine.js';
import { murmurMachine } from './murmur/machine.js';
import { registryMachine } from './registry/machine.js';
import { sessionMachine } from './session/machine.js';
import { stopMachine } from './stop/machine.js';
import { taskMachine } from './task/machine.js';
import { toolCallMachine } from './tool-call/machine.js';
import { turnMachine } from './turn/machine.js';

export * from './command/machine.js';
export * from './liveness/machine.js';
export { murmurMachine } from './murmur/machine.js';
export * from './registry/machine.js';
export { sessionMachine } from './session/machine.js';
export * from './stop/machine.js';
export { taskMachine } from './task/machine.js';
export { toolCallMachine } from './tool-call/machine.js';
export { turnMachine } from './turn/machine.js';

export interface ChartEntry {
  readonly machine: AnyStateMachine;
  /** An input to walk the machine with. */
  readonly input: unknown;
  /** One of each external event, and each shape of effect output that leads to another state. */
  readonly events: readonly EventObject[];
  /** Keys of the context that a watcher may see (src/inspect). A key that is not named here never leaves the process. */
  readonly view: readonly string[];
  /** Key of the context that tells an actor of this chart from its siblings. Absent: it has none. */
  readonly instance?: string;
}

const fault = { code: 'E-RUN-007', message: 'sample' } as const;
const task = { taskId: 'tsk_a', contextId: 'ctx_a', source: 'a2a', lane: 'user' } as const;
const command = { commandId: 'cmd_1', binary: '/bin/sample', taskId: 'tsk_a', graceMs: 10_000 } as const;
const done = (id: string, output: unknown): EventObject =>
  ({ type: `xstate.done.actor.${id}`, output, actorId: id }) as EventObject;
const broke = (id: string): EventObject =>
  ({ type: `xstate.error.actor.${id}`, error: fault, actorId: id }) as EventObject;
const steps = ['validate', 'probe', 'contain', 'resolve', 'check', 'compile', 'write'];

const about = { sessionId: 'ses_a', at: 1, evidence: [] } as const;
const reading = (verdict: string, reason: string | null = null) => ({ ...about, verdict, reason });
const record = {
  sessionId: 'ses_a',
  capsule: 'sample',
  version: '0.1.0',
  url: 'localhost:1',
  detached: false,
  startedAt: '2026-01-01T00:00:00Z',
  workdir: '/tmp/sample',
  pid: 1,
  processStart: '1',
} as const;

type ChartName = 'murmur' | 'session' | 'task' | 'turn' | 'tool-call' | 'command' | 'liveness' | 'registry' | 'stop';

export const charts: Readonly<Record<ChartName, ChartEntry>> = {
  murmur: {
    machine: murmurMachine,
    view: ['alive', 'signal', 'forced'],
    input: { forceAfterMs: 19_000, firstSignal: 'drains' },
    events: [
      { type: 'session.started', id: 'a' } as EventObject,
      { type: 'session.exited', id: 'a' } as EventObject,
      { type: 'signal.received', signal: 'SIGTERM' } as EventObject,
      { type: 'stop.requested' },
      { type: 'bug.surfaced', error: fault } as EventObject,
      { type: 'xstate.after.forceAfter.murmur.active.stopping' },
      done('sessions', undefined),
      broke('sessions'),
      broke('signals'),
    ],
  },
  session: {
    machine: sessionMachine,
    view: [
      ...['capsuleName', 'capsuleVersion', 'kind', 'acceptance', 'afterTask', 'maxTurns', 'sessionId', 'url'],
      ...['pending', 'active', 'cancelAsked', 'ended', 'launchFailed', 'status', 'stopCause', 'fault'],
    ],
    input: {
      capsuleName: 'sample',
      capsuleVersion: '0.1.0',
      kind: 'agent',
      hasTask: true,
      acceptance: 'single',
      afterTask: 'exit',
      maxTurns: 10,
      idleTimeoutMs: 30_000,
      drainLimitMs: 20_000,
    },
    events: [
      ...steps.flatMap((id) => [done(id, { ok: true }), done(id, { ok: false, fault }), broke(id)]),
      done('mint', { ok: true, sessionId: 'ses_a' }),
      done('mint', { ok: false, fault }),
      done('open', { ok: true, url: 'localhost:1', launchTask: { ...task, source: 'task_md' } }),
      done('open', { ok: true, url: 'localhost:1', launchTask: null }),
      done('open', { ok: false, fault }),
      { type: 'task.accepted', task } as EventObject,
      { type: 'task.cancel.requested', taskId: task.taskId } as EventObject,
      { type: 'stop.requested', cause: 'session_stopped' } as EventObject,
      { type: 'input.requested', taskId: task.taskId, prompt: 'which?' } as EventObject,
      { type: 'input.received', taskId: task.taskId } as EventObject,
      { type: 'command.requested', command } as EventObject,
      done('task', { taskId: task.taskId, source: 'a2a', status: 'ok', turns: 1, fault: null }),
      done('task', { taskId: task.taskId, source: 'a2a', status: 'failed', turns: 1, fault }),
      { type: 'xstate.after.idleTimeout.session.running.serving.waiting' },
      { type: 'xstate.after.drainLimit.session.draining' },
      done('refuse', null),
      done('close', null),
      done('retire', null),
    ],
  },
  task: {
    machine: taskMachine,
    view: ['taskId', 'contextId', 'source', 'maxTurns', 'turn', 'status', 'fault'],
    instance: 'taskId',
    input: { ...task, maxTurns: 2 },
    events: [
      done('begin', { ok: true }),
      done('begin', { ok: false, fault }),
      done('turn', { status: null, fault: null }),
      done('turn', { status: 'ok', fault: null }),
      done('turn', { status: 'failed', fault }),
      broke('turn'),
      { type: 'task.cancel.requested' },
      { type: 'input.requested', prompt: 'which?' } as EventObject,
      { type: 'input.received' },
      done('end', null),
      broke('end'),
    ],
  },
  turn: {
    machine: turnMachine,
    view: ['taskId', 'turn', 'calls', 'nextCall', 'status', 'fault'],
    instance: 'turn',
    input: { taskId: 'tsk_a', turn: 0 },
    events: [
      done('prepare', null),
      broke('prepare'),
      done('infer', {
        decision: 'tool_call',
        calls: [
          { callId: 'a', name: 'one' },
          { callId: 'b', name: 'two' },
        ],
      }),
      done('infer', { decision: 'end_turn' }),
      done('infer', { decision: 'failed', status: 'failed', fault }),
      broke('infer'),
      done('tool-call', { callId: 'a', status: 'ok', fault: null }),
      done('tool-call', { callId: 'a', status: 'error', fault }),
      broke('tool-call'),
      done('commit', null),
      broke('commit'),
    ],
  },
  'tool-call': {
    machine: toolCallMachine,
    view: ['taskId', 'turn', 'index', 'callId', 'name', 'route', 'status', 'fault'],
    instance: 'index',
    input: { taskId: 'tsk_a', turn: 0, index: 0, callId: 'a', name: 'one' },
    events: [
      ...['wasm', 'native', 'shell', 'skill', 'builtin', 'refused'].map((route) => done('admit', { route })),
      broke('admit'),
      done('run', { status: 'ok' }),
      done('run', { status: 'error' }),
      broke('run'),
      done('fence', null),
      broke('fence'),
      done('record', null),
      broke('record'),
    ],
  },
  command: {
    machine: commandMachine,
    view: ['commandId', 'binary', 'taskId', 'graceMs', 'pid', 'workId', 'end', 'asked', 'ending', 'fault'],
    instance: 'commandId',
    input: command,
    events: [
      done('start', { ok: true, pid: 1 }),
      done('start', { ok: false, fault }),
      ...['wait', 'await', 'kill'].map((id) =>
        done(id, { exitCode: 0, durationMs: 1, resourceLimit: null, waitError: null }),
      ),
      done('record', { ok: true }),
      done('record', { ok: false, fault }),
      done('detach', { workId: 'wrk_a' }),
      ...['terminate', 'kill', 'save', 'report', 'abandon', 'clear'].map((id) => done(id, null)),
      ...['start', 'wait', 'await', 'record', 'detach'].map(broke),
      ...['terminate', 'kill', 'save', 'report', 'abandon', 'clear'].map(broke),
      { type: 'xstate.after.grace.command.running' },
      { type: 'cancel.requested' },
      { type: 'session.ended' },
    ],
  },
  liveness: {
    machine: livenessMachine,
    view: ['sessionId', 'verdict', 'door', 'reason', 'since'],
    instance: 'sessionId',
    input: { sessionId: 'ses_a', recheckMs: 10_000 },
    events: [
      ...['read', 'reread'].flatMap((id) => [
        done(id, reading('Alive')),
        done(id, reading('Unverified', 'unreadable')),
        done(id, reading('Gone', 'no process')),
        broke(id),
      ]),
      done('probe', { ...about, door: 'Live', reason: null }),
      done('probe', { ...about, door: 'Unreachable', reason: 'silent' }),
      done('probe', { ...about, door: 'Gone', reason: 'no process' }),
      broke('probe'),
      broke('watch'),
      { type: 'exit.noticed' },
      { type: 'xstate.after.recheck.liveness.alive.live' },
      { type: 'xstate.after.recheck.liveness.alive.unreachable' },
      { type: 'xstate.after.recheck.liveness.unverified' },
    ],
  },
  registry: {
    machine: registryMachine,
    view: ['rows', 'doomed', 'listedAt', 'fault'],
    input: { relistMs: 5_000 },
    events: [
      done('list', { ok: true, records: [record], at: 1 }),
      done('list', { ok: true, records: [{ ...record, pid: 2 }], at: 1 }),
      done('list', { ok: true, records: [], at: 1 }),
      done('list', { ok: false, fault }),
      broke('list'),
      broke('watchers'),
      broke('folder'),
      { type: 'records.changed' },
      { type: 'xstate.after.relist.registry.open.records.listed' },
      ...['Live', 'Unreachable', 'Gone'].map(
        (verdict) => ({ type: 'liveness.changed', changes: [reading(verdict, 'sample')] }) as EventObject,
      ),
      ...['pruned', 'ended', 'kept'].map((result) =>
        done('prune', [{ sessionId: 'ses_a', result, reason: 'sample', at: 1 }]),
      ),
      broke('prune'),
      { type: 'watching.failed', fault } as EventObject,
      { type: 'stop.requested' },
    ],
  },
  stop: {
    machine: stopMachine,
    view: ['sessionId', 'pid', 'graceMs', 'limitMs', 'unended', 'signal', 'via', 'fault'],
    instance: 'sessionId',
    input: { sessionId: 'ses_a', pid: 1, graceMs: 10_000, limitMs: 30_000 },
    events: [
      ...['verify', 'reverify', 'confirm'].flatMap((id) => [
        done(id, reading('Alive')),
        done(id, reading('Unverified', 'unreadable')),
        done(id, reading('Gone', 'no process')),
        broke(id),
      ]),
      done('ask', { ok: true, canceled: ['tsk_a'], residue: [] }),
      done('ask', { ok: true, canceled: [], residue: [] }),
      done('ask', { ok: false, reason: 'silent' }),
      broke('ask'),
      done('settle', { unended: [] }),
      broke('settle'),
      ...['terminate', 'kill'].flatMap((id) => [
        done(id, { outcome: 'Sent', via: 'pidfd' }),
        done(id, { outcome: 'AlreadyGone' }),
        done(id, { outcome: 'Refused', reason: 'not permitted' }),
        broke(id),
      ]),
      broke('watch'),
      { type: 'exit.noticed' },
      { type: 'xstate.after.grace.stop.stopping.draining' },
      { type: 'xstate.after.confirm.stop.stopping.dying' },
      { type: 'xstate.after.limit.stop.stopping' },
      done('prune', null),
      broke('prune'),
    ],
  },
};
