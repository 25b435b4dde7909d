/**
 * Sessions with the real charts and the real recorder whose effects answer at once, by a list of numbers: the same list gives the
 * same session. What a session of the command line takes seconds for happens here some thousand times a second.
 */
import { type AnyActorRef, type AnyStateMachine, createActor, fromPromise, SimulatedClock } from 'xstate';
import { charts, sessionMachine, taskMachine, toolCallMachine, turnMachine } from '../../machines/index.js';
import { EventRecorder } from '../../src/effects/recorder.js';
import type { Secret } from '../../src/errors/index.js';
import type { HeldDirectory } from '../../src/home/types.js';
import { redactor } from '../../src/inference/redact.js';
import { mintId } from '../../src/supervise/ids.js';
import { expectFaithful } from './faithful.js';

export interface RehearsalOptions {
  /** Where decisions come from; taken round and round. An empty list: all goes well. */
  readonly numbers?: readonly number[];
  /** Messages that arrive while the session runs. */
  readonly tasks?: number;
  /** Turns of each task before the model answers. */
  readonly turns?: number;
  /** Events from outside that interfere, such as a stop, are drawn as well. */
  readonly interfere?: boolean;
  readonly machine?: typeof sessionMachine;
  readonly secrets?: readonly Secret[];
  /** Text that faults, prompts and errors carry. */
  readonly said?: string;
  readonly input?: object;
  readonly beforeStart?: (root: AnyActorRef) => unknown;
  /** Called when an effect starts. */
  readonly onEffect?: (name: string, root: AnyActorRef) => unknown;
}

export interface Rehearsed {
  readonly root: AnyActorRef;
  readonly sessionId: string;
}

const fault = (message: string) => ({ code: 'E-RUN-040', message, hint: `about ${message}` });

/** `rehearse`, and the record of it replays. */
export async function rehearseFaithfully(records: HeldDirectory, options: RehearsalOptions = {}): Promise<Rehearsed> {
  const rehearsed = await rehearse(records, options);
  const { machine } = options;
  expectFaithful(records.path, new Map(), machine === undefined ? {} : { machine });
  return rehearsed;
}

/** Runs a whole session and records it into `records`; without `records` nothing listens. */
export async function rehearse(records: HeldDirectory | undefined, options: RehearsalOptions = {}): Promise<Rehearsed> {
  const { numbers = [], tasks = 1, turns = 1, interfere = false, said = 'the pump stopped', input = {} } = options;
  const clock = new SimulatedClock();
  const sessionId = mintId('ses');
  let now = 1_700_000_000_000;
  let drawn = 0;
  let started = 0;
  let sent = 0;
  const failures: string[] = [];
  const recorder = new EventRecorder(
    { now: () => ++now, monotonic: () => now, sleep: () => Promise.resolve() },
    (message) => failures.push(message),
  );
  /** A number below `count`; 0 is when all goes well. */
  const draw = (count: number): number => {
    if (numbers.length === 0) return 0;
    drawn += 1;
    return (numbers[drawn % numbers.length]! + (drawn >> 4)) % count;
  };
  const one = (...choices: readonly unknown[]): unknown => choices[draw(choices.length)];
  const effect = (name: string, answer: (input: never) => unknown) =>
    fromPromise<unknown, never>(async ({ input: given }) => {
      started += 1;
      options.onEffect?.(name, root);
      if (interfere) disturb();
      const output = answer(given);
      if (output instanceof Error) throw output;
      return output;
    });
  const step = () => {
    const number = draw(60);
    return number === 58 ? { ok: false, fault: fault(said) } : number === 59 ? new Error(said) : { ok: true };
  };
  const accept = () => {
    sent += 1;
    const task = { taskId: `tsk_${sent}`, contextId: `ctx_${sent % 3}`, source: 'a2a' as const, lane: 'user' as const };
    root.send({ type: 'task.accepted', task });
  };
  const disturb = () => {
    const taskId = `tsk_${sent}`;
    switch (draw(60)) {
      case 17:
        return accept();
      case 18:
        return root.send({ type: 'task.cancel.requested', taskId });
      case 19:
        return root.send({ type: 'input.requested', taskId, prompt: said });
      case 20:
        return root.send({ type: 'input.received', taskId });
      case 21:
        return root.send({
          type: 'stop.requested',
          cause: one('session_stopped', 'deadline_reached') as 'session_stopped',
        });
      case 22:
        return draw(6) === 5 ? root.stop() : undefined;
      default:
        return undefined;
    }
  };
  const calls = (turn: number) => ({
    decision: 'tool_call',
    calls: Array.from({ length: 1 + draw(3) }, (_, index) => ({
      callId: `call_${turn}_${index}`,
      name: 'mur-tool-files',
    })),
  });
  const answers: Readonly<Record<string, (given: never) => unknown>> = {
    mint: () => {
      if (records !== undefined)
        recorder.open(records, sessionId, options.secrets === undefined ? undefined : redactor(options.secrets));
      return { ok: true, sessionId };
    },
    open: () => ({ ok: true, url: 'localhost:1', launchTask: null }),
    script: step,
    end: () => {
      if (sent < tasks) accept();
      return null;
    },
    begin: () => one({ ok: true }, { ok: true }, { ok: true }, { ok: false, fault: fault(said) }),
    infer: ({ turn }: { readonly turn: number }) =>
      turn < turns
        ? one(
            calls(turn),
            calls(turn),
            { decision: 'failed', status: 'failed', fault: fault(said) },
            new TypeError(said),
          )
        : one({ decision: 'end_turn' }, { decision: 'end_turn' }, { decision: 'go_on' }, calls(turn)),
    admit: () => ({ route: one('wasm', 'native', 'shell', 'skill', 'builtin', 'refused') }),
    run: () => one({ status: 'ok' }, { status: 'error' }, { status: 'ok' }, new Error('')),
  };
  const staging = ['validate', 'probe', 'contain', 'resolve', 'check', 'compile', 'write'];
  const provide = (machine: AnyStateMachine, nested: object = {}): never => {
    const actors = Object.keys(machine.implementations.actors).map((name) => {
      const answer = answers[name] ?? (staging.includes(name) ? step : () => null);
      return [name, effect(name, answer)];
    });
    return machine.provide({ actors: { ...Object.fromEntries(actors), ...nested } } as never) as never;
  };
  const turn = provide(turnMachine, { toolCall: provide(toolCallMachine) });
  const logic: typeof sessionMachine = provide(options.machine ?? sessionMachine, {
    task: provide(taskMachine, { turn }),
  });
  const root = createActor(logic, {
    id: 'session',
    clock,
    input: {
      ...(charts.session.input as typeof logic extends never ? never : object),
      hasTask: false,
      acceptance: 'queue',
      afterTask: 'sleep',
      ...input,
    } as never,
    ...(records === undefined ? {} : { inspect: (event) => recorder.inspect(event) }),
  });
  root.subscribe({ error: () => undefined });
  options.beforeStart?.(root);
  root.start();
  // The rest follow one by one, as tasks end: a queue is short.
  for (let index = 0; index < Math.min(tasks, 3); index += 1) accept();
  for (let idle = 0, rounds = 0; root.getSnapshot().status === 'active'; rounds += 1) {
    const before = started;
    await new Promise(setImmediate);
    idle = started === before || rounds > 100_000 ? idle + 1 : 0;
    // Nothing moves: everything was done. When that changes nothing either, a timer is what is waited for.
    if (idle === 1) root.send({ type: 'stop.requested', cause: 'session_stopped' });
    if (idle > 1) clock.increment(60_000);
  }
  recorder.close();
  await recorder.flush();
  if (failures.length > 0) throw new Error(failures.join('; '));
  return { root, sessionId };
}
