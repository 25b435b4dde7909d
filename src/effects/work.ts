import type { ConversationRecorder, DriverReply, Message, RecordExtras } from '../inference/index.js';
import type { ResourceScope } from '../supervise/scope.js';
import type { TaskRequest } from '../task/index.js';
import type { DispatchOutcome, Inventory, Repetition, ToolCall } from '../tools/index.js';
import { newTraceparent } from '../trace/index.js';
import type { GuestCommands } from './guest-commands.js';
import type { Sender } from './peers.js';
import { noTotals, type Totals } from './totals.js';
import type { SessionWorld } from './world.js';

/** One call of the current turn and what became of it. */
export interface CallWork {
  readonly call: ToolCall;
  startedAtMs: number;
  outcome?: DispatchOutcome;
  /** Programs that the guest behind it starts; only where it may ask for some. */
  commands?: GuestCommands | undefined;
  /** Text the model gets: fenced, with notes. */
  resultText?: string;
}

/** The current turn: what the driver answered and how far its calls are. */
export interface TurnWork {
  readonly reply: DriverReply;
  readonly calls: ReadonlyMap<string, CallWork>;
}

/**
 * One running task as the effects see it: its messages, its offer of tools, its current turn. Made by `begin`, dropped by `end`.
 */
export class TaskWork {
  readonly request: TaskRequest;
  readonly inventory: Inventory;
  readonly system: string;
  readonly totals: Totals = noTotals();
  readonly startedAtMs: number;
  /** Holds what this task opened; closed when it ends, so that a long session does not collect descriptors. */
  readonly scope: ResourceScope;
  readonly #recorder: ConversationRecorder | undefined;
  readonly #messages: Message[];
  turn: TurnWork | undefined;
  /** The turn the task is in or ended in, counted from 0; `undefined` before the first. */
  turnIndex: number | undefined;
  /** The last call, if it failed and how often in a row. */
  repetition: Repetition | undefined;
  /** The driver's text of the turn that ended the task. */
  answer: string | undefined;
  stopReason: 'end_turn' | 'max_tokens' = 'end_turn';
  /** As whom its tools write to other capsules. */
  readonly sender: Sender;
  /** What the task waits for: where a cancel finds it. */
  phase: 'turn' | 'inference' | 'input' = 'turn';
  /** Set when the model call itself failed, for `task_failed`. */
  failureCause: string | undefined;

  constructor(fields: {
    readonly request: TaskRequest;
    readonly inventory: Inventory;
    readonly system: string;
    readonly history: readonly Message[];
    readonly recorder: ConversationRecorder | undefined;
    readonly startedAtMs: number;
    readonly scope: ResourceScope;
  }) {
    this.request = fields.request;
    this.sender = { trust: fields.request.trust, traceparent: newTraceparent() };
    this.inventory = fields.inventory;
    this.system = fields.system;
    this.startedAtMs = fields.startedAtMs;
    this.scope = fields.scope;
    this.#messages = [...fields.history];
    this.#recorder = fields.recorder;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Adds a message to the conversation and to its record. */
  append(message: Message, extras?: RecordExtras): void {
    this.#messages.push(message);
    this.#recorder?.record(message, extras);
  }

  /** Resolves when no program of a guest runs any more, with a line of the trace for each that ran: a cancel leaves calls unrecorded. */
  async settleCommands(): Promise<void> {
    for (const { commands } of this.turn?.calls.values() ?? []) {
      await commands?.settled();
      commands?.trace();
    }
  }
}

/** The work of a task that is running. */
export function workOf(world: SessionWorld, taskId: string): TaskWork {
  const work = world.work.get(taskId);
  if (work === undefined) throw new Error(`task ${taskId} is not running`);
  return work;
}

/** A call of the current turn. */
export function callOf(work: TaskWork, callId: string): CallWork {
  const call = work.turn?.calls.get(callId);
  if (call === undefined) throw new Error(`call ${callId} is not of this turn`);
  return call;
}
