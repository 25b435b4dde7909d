/**
 * Real session charts at work, with effects that touch nothing: a task of one turn with one tool call, again and again. For tests and
 * benchmarks of what watching costs.
 */
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { type Actor, createActor, fromPromise } from 'xstate';
import { taskMachine, toolCallMachine, turnMachine } from '../../machines/index.js';
import type { SessionInput, TaskRef } from '../../machines/session/machine.js';
import type { TaskEnding } from '../../machines/task/machine.js';
import type { Subject } from '../../src/inspect/subject.js';
import { observe } from '../../src/supervise/index.js';
import { lightSession } from '../bench/light-session.js';

const input: SessionInput = {
  capsuleName: 'busy',
  capsuleVersion: '0.1.0',
  kind: 'agent',
  hasTask: false,
  acceptance: 'queue',
  afterTask: 'sleep',
  maxTurns: 10,
  idleTimeoutMs: 600_000,
  drainLimitMs: 14_000,
};

export interface BusySession {
  readonly sys: string;
  readonly root: Actor<typeof lightSession>;
  readonly subject: Subject;
  /** Tasks that ended. */
  readonly tasks: number;
  /** Runs one task to its end. */
  work(): Promise<void>;
  /** Begins a task every `everyMs`, or when the last one has ended; 0 is without a pause. Returns its end. */
  keepBusy(everyMs: number): () => void;
  stop(): void;
}

export interface BusyOptions {
  /** Milliseconds of one effect. */
  readonly effectMs?: number;
  /** What the tool call's `run` answers beside its status; for hostile values. */
  readonly output?: () => object;
  /** False: no inspection is attached from the start. */
  readonly isRecorded?: boolean;
}

export function busySession(sys: string, options: BusyOptions = {}): BusySession {
  const { effectMs = 0, output = () => ({}), isRecorded = true } = options;
  // As input and output do, even the quickest effect answers in another turn of the loop.
  const after = <T>(value: T): Promise<T> => (effectMs > 0 ? sleep(effectMs, value) : immediate(value));
  const nothing = fromPromise(() => after(null)) as never;
  let tasks = 0;
  let ended: () => void = () => undefined;
  const turn = turnMachine.provide({
    actors: {
      prepare: nothing,
      infer: fromPromise(({ input: given }: { input: { turn: number } }) =>
        after(
          given.turn === 0
            ? { decision: 'tool_call' as const, calls: [{ callId: 'c0', name: 'mur-tool-files' }] }
            : { decision: 'end_turn' as const },
        ),
      ) as never,
      commit: nothing,
      toolCall: toolCallMachine.provide({
        actors: {
          admit: fromPromise(() => after({ route: 'wasm' as const })) as never,
          run: fromPromise(() => after({ status: 'ok' as const, ...output() })) as never,
          fence: nothing,
          record: nothing,
        },
      }),
    },
  });
  const task = taskMachine.provide({
    actors: {
      begin: fromPromise(() => after({ ok: true as const })) as never,
      end: fromPromise<null, TaskEnding>(async () => {
        await after(null);
        tasks += 1;
        setImmediate(() => ended());
        return null;
      }),
      turn,
    },
  });
  const root = createActor(lightSession.provide({ actors: { task } }), {
    id: 'session',
    input,
    // A real session has its recorder attached at all times (src/supervise/launch.ts): what that costs is not the watchers'.
    ...(isRecorded ? { inspect: () => undefined } : {}),
  });
  observe(root, { error: (error) => console.error(error) });
  root.start();
  let count = 0;
  const begin = (): void => {
    count += 1;
    const ref: TaskRef = { taskId: `tsk_${count}`, contextId: 'ctx_1', source: 'a2a', lane: 'user' };
    root.send({ type: 'task.accepted', task: ref });
  };
  return {
    sys,
    root,
    get tasks() {
      return tasks;
    },
    subject: subjectOf(sys, root),
    work: () =>
      new Promise((resolve) => {
        ended = resolve;
        begin();
      }),
    keepBusy(everyMs) {
      let isOver = false;
      let startedAt = performance.now();
      ended = () => {
        if (isOver) return;
        const waitMs = startedAt + everyMs - performance.now();
        const again = (): void => {
          startedAt = performance.now();
          if (!isOver) begin();
        };
        if (waitMs > 0) setTimeout(again, waitMs);
        else again();
      };
      ended();
      return () => {
        isOver = true;
      };
    },
    stop: () => void root.stop(),
  };
}

export function subjectOf(sys: string, root: Subject['root']): Subject {
  return {
    sys,
    root,
    redactText: (text) => text,
    describe: () => ({
      type: 'session',
      sys,
      at: Date.now(),
      capsule: { name: 'busy', version: '0.1.0' },
      kind: 'agent',
      source: 'live',
      sourceNote: null,
      url: null,
      pid: process.pid,
      startedAt: null,
      recordsDir: null,
      workdir: null,
      model: null,
      driver: null,
      maxTurns: null,
      tools: [],
      containment: null,
      grants: null,
      gateways: [],
      liveness: { verdict: 'Live', reason: null, evidence: [], at: Date.now() },
      ended: null,
    }),
  };
}
