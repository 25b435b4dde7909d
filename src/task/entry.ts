import type { FinalTaskState, FollowUp, TaskMessage, TaskRequest, TaskSnapshot, TaskState } from './types.js';

/** What is left to say of the end of a task that says nothing itself (spec/door.md 15.3). */
const endedText = 'session ended';

/** How a task ended, in words. */
export interface LastWords {
  /** What the final status says. */
  readonly message?: string;
  /** The answer; kept for a completed task only. */
  readonly response?: string;
}

/** One task as the registry holds it: what is known of it and what was said. It guards no rule; the registry does. */
export class TaskEntry {
  readonly request: TaskRequest;
  readonly #said: TaskMessage[] = [];
  /** How much text all of that is. */
  #spoken = 0;
  #state: TaskState;
  #updatedAtMs: number;
  #end: LastWords = {};
  #question: { readonly prompt: string; readonly deliver: (text: string) => void } | undefined;
  /** The task as it is now; made when somebody asks, and dropped when it changes. */
  #shown: TaskSnapshot | undefined;
  /** Said meanwhile and not given to the model yet. */
  #followUps: FollowUp[] = [];
  /** The model has given its answer: nothing more reaches it. */
  isAnswered = false;

  constructor(request: TaskRequest, nowMs: number) {
    this.request = { ...request };
    this.#state = 'submitted';
    this.#updatedAtMs = nowMs;
    this.say('user', request.text, request.messageId);
  }

  get taskId(): string {
    return this.request.taskId;
  }

  get state(): TaskState {
    return this.#state;
  }

  /** What was said about the task, oldest first. */
  get said(): readonly TaskMessage[] {
    return this.#said;
  }

  /** Messages its model has not seen. */
  get unseen(): number {
    return this.#followUps.length;
  }

  /** How much text of others the entry holds on to, in UTF-16 code units. */
  get characters(): number {
    const { message = '', response = '' } = this.#end;
    return this.#spoken + this.request.contextId.length + message.length + response.length;
  }

  move(state: TaskState, nowMs: number): void {
    this.#state = state;
    this.#updatedAtMs = nowMs;
    this.#shown = undefined;
  }

  /** The last move there is. */
  end(state: FinalTaskState, { message = endedText, response }: LastWords, nowMs: number): void {
    this.takeQuestion();
    this.takeFollowUps();
    this.#end = { message, ...(response !== undefined && state === 'completed' ? { response } : {}) };
    this.move(state, nowMs);
  }

  say(role: TaskMessage['role'], text: string, messageId = `msg_${this.taskId}_${this.#said.length}`): void {
    this.#said.push({ role, messageId, text });
    this.#spoken += text.length + messageId.length;
  }

  /** `deliver` takes the reply of a person, once. */
  ask(prompt: string, deliver: (text: string) => void): void {
    this.#question = { prompt, deliver };
    this.say('agent', prompt);
  }

  /** Who waits for the reply, if anybody does; nobody does any longer. */
  takeQuestion(): ((text: string) => void) | undefined {
    const deliver = this.#question?.deliver;
    this.#question = undefined;
    return deliver;
  }

  followUp(message: FollowUp): void {
    this.#followUps.push(message);
    this.say('user', message.text, message.messageId);
  }

  /** What its model has not seen, oldest first; it is not kept any longer. */
  takeFollowUps(): readonly FollowUp[] {
    return this.#followUps.splice(0);
  }

  snapshot(): TaskSnapshot {
    this.#shown ??= Object.freeze(this.#show());
    return this.#shown;
  }

  #show(): TaskSnapshot {
    const { taskId, contextId, origin, trust } = this.request;
    return {
      taskId,
      contextId,
      state: this.#state,
      origin,
      trust,
      updatedAtMs: this.#updatedAtMs,
      ...this.#end,
      ...(this.#question === undefined ? {} : { prompt: this.#question.prompt }),
    };
  }
}
