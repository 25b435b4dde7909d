import { endedBound, Retention, type RetentionBound, refusedBound } from './retention.js';
import {
  type FinalTaskState,
  type FollowUp,
  isFinal,
  type Lane,
  laneOf,
  type TaskAcceptance,
  type TaskMessage,
  type TaskRequest,
  type TaskSnapshot,
  type TaskState,
} from './types.js';

/** Why a task was refused at the door. Each maps to one text (spec/door.md section 12). */
export type RejectReason = 'busy' | 'closing';

const rejectText: Readonly<Record<RejectReason, string>> = {
  busy: 'task rejected: capsule is busy',
  closing: 'task rejected: the session is closing',
};

/**
 * What happened to a task. `answered` is a reply delivered, `unasked` a question taken back; `ended` comes exactly once for each task
 * that is not withdrawn, refused ones included.
 */
export type TaskChange = 'submitted' | 'started' | 'asked' | 'answered' | 'unasked' | 'ended';

/** Hears of each change at the moment it happens. Must not throw and must not change the registry. */
export type TaskListener = (task: TaskSnapshot, change: TaskChange) => void;

/** Either the task after the change, or why nothing changed. */
export type RegistryReply =
  | { readonly ok: true; readonly task: TaskSnapshot }
  | { readonly ok: false; readonly reason: string };

export interface TaskRegistryOptions {
  readonly acceptance: TaskAcceptance;
  /** Tasks that may wait under `queue`. The running one is not counted. */
  readonly queueDepth: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** How many ended tasks stay readable, those refused at the door not counted. Default `endedBound`. */
  readonly ended?: RetentionBound;
  /** How many refused ones do: counted apart, so that refusing pushes no answer out. Default `refusedBound`. */
  readonly refused?: RetentionBound;
}

interface Entry {
  readonly request: TaskRequest;
  readonly said: TaskMessage[];
  state: TaskState;
  updatedAtMs: number;
  message?: string;
  response?: string;
  prompt?: string;
  /** Takes the reply of a person, once. */
  deliver?: (text: string) => void;
  /** The task as it is now; made when somebody asks, and dropped when it changes. */
  shown?: TaskSnapshot | undefined;
  /** Said meanwhile and not given to the model yet. */
  followUps: FollowUp[];
  /** The model has given its answer: nothing more reaches it. */
  isAnswered: boolean;
}

/** Messages one task keeps until its model sees them: what a caller can make a session hold is bounded. */
const maxFollowUps = 64;

const lanes: readonly Lane[] = ['user', 'peer', 'bg'];

/**
 * Holds every task of one session and guards its rules (spec/door.md 8.1, 8.2, 8.4):
 * a task reaches exactly one final state, one task runs at a time, and a place is checked and taken in one step.
 *
 * It runs nothing and waits for nothing. Whoever runs tasks loops over `next()`, `start()`, ..., `finish()`.
 *
 * A canceled task keeps the running place until `finish()`: what was running must have stopped before the next task may
 * start, or two would race on one session (cases/reports row 38).
 */
export class TaskRegistry {
  readonly #options: TaskRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting: Record<Lane, string[]> = { user: [], peer: [], bg: [] };
  readonly #ended: Retention;
  readonly #refused: Retention;
  #slot: { readonly state: 'empty' } | { readonly state: 'running' | 'done'; readonly taskId: string } = {
    state: 'empty',
  };
  readonly #listeners = new Set<TaskListener>();
  /** Those of one task. */
  readonly #followers = new Map<string, Set<TaskListener>>();
  #closing = false;
  #generation = 0;

  constructor(options: TaskRegistryOptions) {
    this.#options = options;
    this.#ended = new Retention(options.ended ?? endedBound);
    this.#refused = new Retention(options.refused ?? refusedBound);
  }

  /** Tells `listener` of every change from now on, in order, before the call that made the change returns. Returns what ends that. */
  watch(listener: TaskListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As `watch`, for one task: however many wait for others, a change costs only those who wait for it. */
  follow(taskId: string, listener: TaskListener): () => void {
    const followers = this.#followers.get(taskId) ?? new Set();
    this.#followers.set(taskId, followers.add(listener));
    return () => {
      followers.delete(listener);
      if (followers.size === 0 && this.#followers.get(taskId) === followers) this.#followers.delete(taskId);
    };
  }

  /** Tasks accepted and not started. */
  get pending(): number {
    return lanes.reduce((sum, lane) => sum + this.#waiting[lane].length, 0);
  }

  /** The task that holds the running place, a canceled one that has not stopped yet included. */
  get activeTaskId(): string | undefined {
    return this.#slot.state === 'running' ? this.#slot.taskId : undefined;
  }

  /** The active task, when it waits for a person's reply. */
  get waitingTaskId(): string | undefined {
    const active = this.activeTaskId;
    return active !== undefined && this.#entries.get(active)?.state === 'input-required' ? active : undefined;
  }

  /** Grows by one with each task that ran and ended (spec/exports.md reads it). */
  get generation(): number {
    return this.#generation;
  }

  /** True when a task from the door would get a place now. */
  canAccept(): boolean {
    if (this.#closing) return false;
    switch (this.#options.acceptance) {
      case 'none':
        return false;
      case 'single':
        return this.#slot.state === 'empty' && this.pending === 0;
      case 'queue':
        return this.#placesTaken < this.#options.queueDepth;
    }
  }

  /** Reports of the session's own commands need no place: a limit for callers must neither lose one nor be used up by it. */
  get #placesTaken(): number {
    const own = this.#waiting.bg.filter((taskId) => this.#entries.get(taskId)!.request.source === 'detached_shell');
    return this.pending - own.length;
  }

  /**
   * The task, `submitted` when there was a place and `rejected` when there was none; both can be read.
   * Fails only for an id that is taken.
   */
  enqueue(request: TaskRequest): RegistryReply {
    if (this.#entries.has(request.taskId)) return refuse(`task id ${request.taskId} is already taken`);
    if (this.canAccept()) return this.#admit(request);
    return this.#refuse(request, this.#closing ? 'closing' : 'busy');
  }

  /** The launch's own task (`task.md`), `submitted`. Acceptance is about the door and is not asked. */
  enqueueLaunchTask(request: TaskRequest): RegistryReply {
    if (this.#entries.has(request.taskId)) return refuse(`task id ${request.taskId} is already taken`);
    if (this.#closing) return refuse('the session is closing');
    return this.#admit(request);
  }

  /**
   * The report of a background command, `submitted`; `rejected`, and readable, once the session is closing. Neither acceptance nor
   * depth is asked: those are about the door.
   */
  enqueueCompletion(request: TaskRequest): RegistryReply {
    if (this.#entries.has(request.taskId)) return refuse(`task id ${request.taskId} is already taken`);
    return this.#closing ? this.#refuse(request, 'closing') : this.#admit(request);
  }

  /** Forgets a task that was accepted and could not be handed over, as if it had never come. */
  withdraw(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'submitted') return refuse('task is not waiting to start');
    const before = done(entry);
    this.#unqueue(entry);
    this.#entries.delete(taskId);
    return before;
  }

  /** The task to start next: highest lane first, then arrival. `undefined` while a task holds the running place. */
  next(): TaskRequest | undefined {
    if (this.#slot.state === 'running') return undefined;
    for (const lane of lanes) {
      const taskId = this.#waiting[lane][0];
      if (taskId !== undefined) return this.#entries.get(taskId)!.request;
    }
    return undefined;
  }

  /** Moves a waiting task into the running place. */
  start(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'submitted') return refuse('task is not waiting to start');
    if (this.#slot.state === 'running') return refuse(`task ${this.#slot.taskId} is still running`);
    this.#unqueue(entry);
    this.#slot = { state: 'running', taskId };
    return this.#change(entry, 'working', 'started');
  }

  /**
   * Frees the running place and records how the task ended. A task canceled meanwhile stays canceled: the reply says what
   * was recorded, which is what the caller must report.
   */
  finish(
    taskId: string,
    state: Exclude<FinalTaskState, 'rejected'>,
    said: { readonly message?: string; readonly response?: string } = {},
  ): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry === undefined || this.activeTaskId !== taskId) return refuse('task is not the active running task');
    this.#slot = { state: 'done', taskId };
    this.#generation += 1;
    if (!isFinal(entry.state)) return this.#end(entry, state, said);
    this.#keep(entry, this.#ended);
    return done(entry);
  }

  /** Marks the active task as waiting for a person. `deliver` gets the reply, at most once. */
  setInputRequired(taskId: string, prompt: string, deliver: (text: string) => void): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry === undefined || this.activeTaskId !== taskId) return refuse('task is not the active running task');
    if (entry.state !== 'working') return refuse('task is not in working state');
    entry.prompt = prompt;
    entry.deliver = deliver;
    entry.said.push({ role: 'agent', messageId: `msg_${taskId}_${entry.said.length}`, text: prompt });
    return this.#change(entry, 'input-required', 'asked');
  }

  /** Hands a person's reply to the task that waits for it and moves it back to `working`. */
  deliverInput(taskId: string, text: string, messageId?: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'input-required') return refuse('task is not in input-required state');
    const deliver = entry.deliver;
    if (deliver === undefined) return refuse('no input waiter found for task');
    dropWaiter(entry);
    entry.said.push({ role: 'user', messageId: messageId ?? `msg_${taskId}_${entry.said.length}`, text });
    const reply = this.#change(entry, 'working', 'answered');
    deliver(text);
    return reply;
  }

  /**
   * Keeps one more message for a task that waits to start or is at work. Refused once its answer is given, when too many are kept, and
   * from somebody that nobody vouches for to a task that somebody does.
   */
  followUp(taskId: string, message: FollowUp): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry === undefined || (entry.state !== 'submitted' && entry.state !== 'working')) {
      return refuse('task is neither waiting to start nor at work');
    }
    if (entry.isAnswered) return refuse('task has given its answer');
    if (entry.followUps.length >= maxFollowUps) return refuse('task has too many messages that its model has not seen');
    if (entry.request.trust === 'trusted' && message.trust === 'untrusted') return refuse("task is not the sender's");
    entry.followUps.push(message);
    const { text, messageId = `msg_${taskId}_${entry.said.length}` } = message;
    entry.said.push({ role: 'user', messageId, text });
    return done(entry);
  }

  /** The messages kept for that task, oldest first; they are not kept any longer. */
  takeFollowUps(taskId: string): readonly FollowUp[] {
    return this.#entries.get(taskId)?.followUps.splice(0) ?? [];
  }

  /**
   * True when the answer of the task stands: from now on no message reaches it. False when more was said that the model has not seen and
   * it `canGoOn`, so it is to be asked again.
   */
  answer(taskId: string, canGoOn: boolean): boolean {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return true;
    if (canGoOn && entry.followUps.length > 0) return false;
    entry.isAnswered = true;
    return true;
  }

  /** Takes a question back that nobody answered in time: `working` again, nothing delivered. */
  abandonInput(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'input-required') return refuse('task is not in input-required state');
    dropWaiter(entry);
    return this.#change(entry, 'working', 'unasked');
  }

  /** Refuses a task that was accepted and will not be started. */
  reject(taskId: string, message: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'submitted') return refuse('task is not waiting to start');
    this.#unqueue(entry);
    return this.#end(entry, 'rejected', { message });
  }

  /** The canceled task, or an ended one unchanged. Fails for an unknown id only. */
  cancel(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return refuse('task not found');
    if (isFinal(entry.state)) return done(entry);
    const started = entry.state !== 'submitted';
    if (!started) this.#unqueue(entry);
    return this.#end(entry, 'canceled', {
      message: started ? 'task canceled' : 'task canceled before it started',
    });
  }

  /** Takes no further task and rejects every waiting one; returns those. The active task is left alone. Idempotent. */
  close(): readonly TaskSnapshot[] {
    this.#closing = true;
    const ids = lanes.flatMap((lane) => [...this.#waiting[lane]]);
    return ids.map((taskId) => {
      const entry = this.#entries.get(taskId)!;
      this.#unqueue(entry);
      this.#end(entry, 'rejected', { message: rejectText.closing });
      return snapshot(entry);
    });
  }

  /** A copy of that task. Without an id: the active task, else the one that ran last, else the newest waiting one. */
  get(taskId?: string): TaskSnapshot | undefined {
    const slotId = this.#slot.state === 'empty' ? undefined : this.#slot.taskId;
    const id = taskId ?? slotId;
    const entry =
      id === undefined
        ? [...this.#entries.values()].findLast((held) => held.state !== 'rejected')
        : this.#entries.get(id);
    return entry === undefined ? undefined : snapshot(entry);
  }

  /** Copies of every task held, in order of arrival. */
  list(): readonly TaskSnapshot[] {
    return [...this.#entries.values()].map(snapshot);
  }

  /** What was said about that task, oldest first; empty for an unknown one. */
  history(taskId: string): readonly TaskMessage[] {
    return [...(this.#entries.get(taskId)?.said ?? [])];
  }

  #admit(request: TaskRequest): RegistryReply {
    const entry = this.#add(request, 'submitted');
    this.#waiting[laneOf(request.origin)].push(request.taskId);
    return this.#tell(entry, 'submitted');
  }

  #refuse(request: TaskRequest, reason: RejectReason): RegistryReply {
    const entry = this.#add(request, 'rejected');
    entry.message = rejectText[reason];
    this.#keep(entry, this.#refused);
    return this.#tell(entry, 'ended');
  }

  #add(request: TaskRequest, state: TaskState): Entry {
    const { taskId, text, messageId = `msg_${taskId}_0` } = request;
    const said: TaskMessage[] = [{ role: 'user', messageId, text }];
    const updatedAtMs = this.#options.now();
    const entry: Entry = { request: { ...request }, said, state, updatedAtMs, followUps: [], isAnswered: false };
    this.#entries.set(request.taskId, entry);
    return entry;
  }

  #unqueue(entry: Entry): void {
    const lane = this.#waiting[laneOf(entry.request.origin)];
    lane.splice(lane.indexOf(entry.request.taskId), 1);
  }

  #change(entry: Entry, state: TaskState, change: TaskChange): RegistryReply {
    entry.state = state;
    entry.updatedAtMs = this.#options.now();
    entry.shown = undefined;
    return this.#tell(entry, change);
  }

  #tell(entry: Entry, change: TaskChange): RegistryReply {
    const reply = done(entry);
    if (!reply.ok) return reply;
    const followers = this.#followers.get(reply.task.taskId) ?? [];
    for (const listener of [...this.#listeners, ...followers]) listener(reply.task, change);
    return reply;
  }

  #end(
    entry: Entry,
    state: FinalTaskState,
    said: { readonly message?: string; readonly response?: string },
  ): RegistryReply {
    dropWaiter(entry);
    entry.followUps = [];
    if (said.message !== undefined) entry.message = said.message;
    if (said.response !== undefined && state === 'completed') entry.response = said.response;
    // One that still holds the running place is kept until it has left it.
    if (this.activeTaskId !== entry.request.taskId) this.#keep(entry, this.#ended);
    return this.#change(entry, state, 'ended');
  }

  /** Counts an ended task as one of those that stay readable, and forgets what that pushes out. */
  #keep(entry: Entry, among: Retention): void {
    for (const taskId of among.add(entry.request.taskId, charactersOf(entry))) this.#entries.delete(taskId);
  }
}

/** How much text of others an entry holds on to. */
function charactersOf({ request, said, message = '', response = '' }: Entry): number {
  const spoken = said.reduce((sum, { text, messageId }) => sum + text.length + messageId.length, 0);
  return spoken + request.contextId.length + message.length + response.length;
}

function dropWaiter(entry: Entry): void {
  delete entry.prompt;
  delete entry.deliver;
}

function snapshot(entry: Entry): TaskSnapshot {
  entry.shown ??= show(entry);
  return entry.shown;
}

function show(entry: Entry): TaskSnapshot {
  const { request, state, updatedAtMs, message, response, prompt } = entry;
  return Object.freeze({
    taskId: request.taskId,
    contextId: request.contextId,
    state,
    origin: request.origin,
    trust: request.trust,
    updatedAtMs,
    ...(message === undefined ? {} : { message }),
    ...(response === undefined ? {} : { response }),
    ...(prompt === undefined ? {} : { prompt }),
  });
}

function done(entry: Entry): RegistryReply {
  return { ok: true, task: snapshot(entry) };
}

function refuse(reason: string): RegistryReply {
  return { ok: false, reason };
}
