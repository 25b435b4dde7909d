import { type ArtifactEvent, EventBus, resumedMessage, type StreamEvent } from '../door/stream/index.js';
import type { Clock } from '../supervise/clock.js';
import type { TaskChange, TaskRegistry, TaskSnapshot } from '../task/index.js';
import { CallProgress } from './call-progress.js';

/**
 * Tells the streams of a session what happens to its tasks (spec/door.md 15.2, 15.3).
 *
 * What a task is told to be comes from the registry alone, in which every task ends once: so it has exactly one final status, and
 * nothing of it follows, whatever a driver or a tool that is still stopping reports. A task that had no place was never begun; only
 * who sent it hears of it.
 */
export class StreamFeed {
  readonly bus = new EventBus();
  readonly #registry: TaskRegistry;
  readonly #clock: Clock;
  readonly #live = new Set<string>();
  /** Of the turns that are with a driver, by task. */
  readonly #turns = new Map<string, { readonly progress: CallProgress; hasText: boolean }>();

  constructor(registry: TaskRegistry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
    registry.watch((task, change) => this.#changed(task, change));
  }

  /** Before each inference; `turn` counts from 0. */
  turnBegan(taskId: string, turn: number): void {
    const task = this.#registry.get(taskId);
    // Of one that is over nobody would end the turn, and it would be held for ever.
    if (task === undefined || !this.#live.has(taskId)) return;
    this.#turns.set(taskId, { progress: new CallProgress(this.#clock), hasText: false });
    this.#tell({
      type: 'status',
      taskId,
      task,
      message: `inference turn ${turn + 1}`,
      turn: turn + 1,
      final: false,
    });
  }

  text(taskId: string, text: string): void {
    const turn = this.#turns.get(taskId);
    if (turn === undefined || text === '') return;
    turn.hasText = true;
    this.#tell({ type: 'text', taskId, text, final: false });
  }

  thinking(taskId: string, text: string): void {
    if (text !== '') this.#tell({ type: 'thinking', taskId, text, final: false });
  }

  /** The model began to write a call. */
  callBegan(taskId: string, callId: string, toolName: string): void {
    const isNew = this.#turns.get(taskId)?.progress.begin(callId) === true;
    if (isNew) this.#tell({ type: 'tool-call-started', taskId, callId, toolName });
  }

  callGrew(taskId: string, callId: string, bytes: number): void {
    const inputBytes = this.#turns.get(taskId)?.progress.report(callId, bytes);
    if (inputBytes !== undefined) this.#tell({ type: 'tool-call-progress', taskId, callId, inputBytes });
  }

  /** The driver has returned; `answer` when that was the last turn. */
  turnEnded(taskId: string, answer?: string): void {
    const turn = this.#turns.get(taskId);
    if (turn === undefined) return;
    this.#turns.delete(taskId);
    for (const { callId, bytes } of turn.progress.flush()) {
      this.#tell({ type: 'tool-call-progress', taskId, callId, inputBytes: bytes });
    }
    if (turn.hasText) this.#tell({ type: 'text', taskId, text: '', final: true });
    else if (answer !== undefined) this.#tell({ type: 'text', taskId, text: answer, final: true });
  }

  /** A tool call that was dispatched has its result. */
  callEnded(event: Omit<ArtifactEvent, 'type'>): void {
    this.#tell({ type: 'artifact', ...event });
  }

  /**
   * Nothing follows. A task that is not over by now never will be, because what would have ended it has died: it ends here, so that
   * nobody waits for it.
   */
  close(): void {
    this.#registry.close();
    const active = this.#registry.activeTaskId;
    if (active !== undefined) this.#registry.finish(active, 'failed');
    this.bus.end();
  }

  #changed(task: TaskSnapshot, change: TaskChange): void {
    const { taskId } = task;
    const tell = (message: string, final: boolean) => this.#tell({ type: 'status', taskId, task, message, final });
    switch (change) {
      case 'submitted':
        this.#live.add(taskId);
        return;
      case 'asked':
        tell(task.prompt ?? '', false);
        return;
      case 'answered':
        tell(resumedMessage, false);
        return;
      case 'ended':
        tell(task.message ?? '', true);
        this.#live.delete(taskId);
        this.#turns.delete(taskId);
        return;
      default:
        return;
    }
  }

  #tell(event: StreamEvent): void {
    if (this.#live.has(event.taskId)) this.bus.publish(event);
  }
}
