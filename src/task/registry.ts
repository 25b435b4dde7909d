import { type LastWords, TaskEntry } from './entry.js';
import { Lanes } from './lanes.js';
import { type TaskChange, type TaskListener, TaskListeners } from './listeners.js';
import { endedBound, Retention, type RetentionBound, refusedBound } from './retention.js';
import {
  type FinalTaskState,
  type FollowUp,
  isFinal,
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
  /** UTF-16 code units that tasks which are not over may hold together, a lone one excepted. Default `liveCharacters`. */
  readonly liveCharacters?: number;
}

/** Messages one task keeps until its model sees them: what a caller can make a session hold is bounded. */
const maxFollowUps = 64;

/** As much as of tasks that are over (`endedBound`): with places alone, each of them could be taken by the largest request there is. */
const liveCharacters = 64 * 1024 * 1024;

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
  readonly #entries = new Map<string, TaskEntry>();
  readonly #waiting = new Lanes();
  readonly #ended: Retention;
  readonly #refused: Retention;
  #slot: { readonly state: 'empty' } | { readonly state: 'running' | 'done'; readonly taskId: string } = {
    state: 'empty',
  };
  readonly #listeners = new TaskListeners();
  #closing = false;
  #generation = 0;
  /** What the tasks that are not over hold. */
  #characters = 0;

  constructor(options: TaskRegistryOptions) {
    this.#options = options;
    this.#ended = new Retention(options.ended ?? endedBound);
    this.#refused = new Retention(options.refused ?? refusedBound);
  }

  /** Tells `listener` of every change from now on, in order, before the call that made the change returns. Returns what ends that. */
  watch(listener: TaskListener): () => void {
    return this.#listeners.watch(listener);
  }

  /** As `watch`, for one task: however many wait for others, a change costs only those who wait for it. */
  follow(taskId: string, listener: TaskListener): () => void {
    return this.#listeners.follow(taskId, listener);
  }

  /** Tasks accepted and not started. */
  get pending(): number {
    return this.#waiting.count;
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
        // Reports of the session's own commands need no place: a limit for callers must neither lose one nor be used up by it.
        return this.pending - this.#waiting.reports < this.#options.queueDepth;
    }
  }

  /**
   * The task, `submitted` when there was a place and room for its text, `rejected` when there was none; both can be read.
   * Fails only for an id that is taken.
   */
  enqueue(request: TaskRequest): RegistryReply {
    if (this.#entries.has(request.taskId)) return refuse(`task id ${request.taskId} is already taken`);
    if (this.canAccept() && this.#hasRoom(request)) return this.#admit(request);
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
    this.#waiting.remove(entry.request);
    this.#characters -= entry.characters;
    this.#entries.delete(taskId);
    return before;
  }

  /** The task to start next: highest lane first, then arrival. `undefined` while a task holds the running place. */
  next(): TaskRequest | undefined {
    return this.#slot.state === 'running' ? undefined : this.#waiting.first;
  }

  /** Moves a waiting task into the running place. */
  start(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'submitted') return refuse('task is not waiting to start');
    if (this.#slot.state === 'running') return refuse(`task ${this.#slot.taskId} is still running`);
    this.#waiting.remove(entry.request);
    this.#slot = { state: 'running', taskId };
    return this.#change(entry, 'working', 'started');
  }

  /**
   * Frees the running place and records how the task ended. A task canceled meanwhile stays canceled: the reply says what
   * was recorded, which is what the caller must report.
   */
  finish(taskId: string, state: Exclude<FinalTaskState, 'rejected'>, said: LastWords = {}): RegistryReply {
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
    this.#hear(entry, () => entry.ask(prompt, deliver));
    return this.#change(entry, 'input-required', 'asked');
  }

  /** Hands a person's reply to the task that waits for it and moves it back to `working`. */
  deliverInput(taskId: string, text: string, messageId?: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'input-required') return refuse('task is not in input-required state');
    const deliver = entry.takeQuestion();
    if (deliver === undefined) return refuse('no input waiter found for task');
    this.#hear(entry, () => entry.say('user', text, messageId));
    const reply = this.#change(entry, 'working', 'answered');
    deliver(text);
    return reply;
  }

  /**
   * Keeps one more message for a task that waits to start or is at work. Refused once its answer is given, when too many or too much
   * is kept, and from somebody that nobody vouches for to a task that somebody does.
   */
  followUp(taskId: string, message: FollowUp): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry === undefined || (entry.state !== 'submitted' && entry.state !== 'working')) {
      return refuse('task is neither waiting to start nor at work');
    }
    if (entry.isAnswered) return refuse('task has given its answer');
    if (entry.unseen >= maxFollowUps) return refuse('task has too many messages that its model has not seen');
    if (entry.request.trust === 'trusted' && message.trust === 'untrusted') return refuse("task is not the sender's");
    if (!this.#hasRoom(message)) return refuse('tasks hold too much text already');
    this.#hear(entry, () => entry.followUp(message));
    return done(entry);
  }

  /** The messages kept for that task, oldest first; they are not kept any longer. */
  takeFollowUps(taskId: string): readonly FollowUp[] {
    return this.#entries.get(taskId)?.takeFollowUps() ?? [];
  }

  /**
   * True when the answer of the task stands: from now on no message reaches it. False when more was said that the model has not seen and
   * it `canGoOn`, so it is to be asked again.
   */
  answer(taskId: string, canGoOn: boolean): boolean {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return true;
    if (canGoOn && entry.unseen > 0) return false;
    entry.isAnswered = true;
    return true;
  }

  /** Takes a question back that nobody answered in time: `working` again, nothing delivered. */
  abandonInput(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'input-required') return refuse('task is not in input-required state');
    entry.takeQuestion();
    return this.#change(entry, 'working', 'unasked');
  }

  /** Refuses a task that was accepted and will not be started. */
  reject(taskId: string, message: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry?.state !== 'submitted') return refuse('task is not waiting to start');
    this.#waiting.remove(entry.request);
    return this.#end(entry, 'rejected', { message });
  }

  /** The canceled task, or an ended one unchanged. Fails for an unknown id only. */
  cancel(taskId: string): RegistryReply {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return refuse('task not found');
    if (isFinal(entry.state)) return done(entry);
    const started = entry.state !== 'submitted';
    if (!started) this.#waiting.remove(entry.request);
    return this.#end(entry, 'canceled', {
      message: started ? 'task canceled' : 'task canceled before it started',
    });
  }

  /** Takes no further task and rejects every waiting one; returns those. The active task is left alone. Idempotent. */
  close(): readonly TaskSnapshot[] {
    this.#closing = true;
    return this.#waiting.taskIds.map((taskId) => {
      const entry = this.#entries.get(taskId)!;
      this.#waiting.remove(entry.request);
      this.#end(entry, 'rejected', { message: rejectText.closing });
      return entry.snapshot();
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
    return entry?.snapshot();
  }

  /** Copies of every task held, in order of arrival. */
  list(): readonly TaskSnapshot[] {
    return [...this.#entries.values()].map((entry) => entry.snapshot());
  }

  /** What was said about that task, oldest first; empty for an unknown one. */
  history(taskId: string): readonly TaskMessage[] {
    return [...(this.#entries.get(taskId)?.said ?? [])];
  }

  #admit(request: TaskRequest): RegistryReply {
    const entry = this.#add(request);
    this.#characters += entry.characters;
    this.#waiting.add(entry.request);
    return this.#tell(entry, 'submitted');
  }

  #refuse(request: TaskRequest, reason: RejectReason): RegistryReply {
    return this.#over(this.#add(request), 'rejected', { message: rejectText[reason] }, this.#refused);
  }

  #add(request: TaskRequest): TaskEntry {
    const entry = new TaskEntry(request, this.#options.now());
    this.#entries.set(request.taskId, entry);
    return entry;
  }

  #change(entry: TaskEntry, state: TaskState, change: TaskChange): RegistryReply {
    entry.move(state, this.#options.now());
    return this.#tell(entry, change);
  }

  #hasRoom({
    text,
    messageId = '',
    contextId = '',
  }: Pick<FollowUp, 'text' | 'messageId'> & { readonly contextId?: string }): boolean {
    const { liveCharacters: bound = liveCharacters } = this.#options;
    return this.#characters === 0 || this.#characters + text.length + messageId.length + contextId.length <= bound;
  }

  /** Counts what `say` adds to a task that is not over. */
  #hear(entry: TaskEntry, say: () => void): void {
    const before = entry.characters;
    say();
    this.#characters += entry.characters - before;
  }

  #end(entry: TaskEntry, state: FinalTaskState, said: LastWords): RegistryReply {
    this.#characters -= entry.characters;
    return this.#over(entry, state, said, this.#ended);
  }

  #over(entry: TaskEntry, state: FinalTaskState, said: LastWords, among: Retention): RegistryReply {
    entry.end(state, said, this.#options.now());
    // One that still holds the running place is kept until it has left it.
    if (this.activeTaskId !== entry.taskId) this.#keep(entry, among);
    return this.#tell(entry, 'ended');
  }

  #tell(entry: TaskEntry, change: TaskChange): RegistryReply {
    this.#listeners.tell(entry.snapshot(), change);
    return done(entry);
  }

  /** Counts an ended task as one of those that stay readable, and forgets what that pushes out. */
  #keep(entry: TaskEntry, among: Retention): void {
    for (const taskId of among.add(entry.taskId, entry.characters)) this.#entries.delete(taskId);
  }
}

function done(entry: TaskEntry): RegistryReply {
  return { ok: true, task: entry.snapshot() };
}

function refuse(reason: string): RegistryReply {
  return { ok: false, reason };
}
