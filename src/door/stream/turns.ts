import type { TaskState } from '../../task/index.js';
import type { LoggedEvent } from './types.js';

/** What a client knows of a turn that is under way. */
export interface TurnSoFar {
  /** All text of the turn. */
  readonly text: string;
  /** The state its task was last said to be in. */
  readonly state: TaskState;
}

interface Turn {
  readonly beganAt: number;
  text: string;
  readonly states: { readonly id: number; readonly state: TaskState }[];
}

/** What the turns that are under way have told from their beginning: one may be longer than the log of a session. */
export class Turns {
  readonly #byTask = new Map<string, Turn>();

  note({ id, event }: LoggedEvent): void {
    const { taskId } = event;
    const turn = this.#byTask.get(taskId);
    if (event.type === 'text') {
      if (turn !== undefined && !event.final) turn.text += event.text;
    } else if (event.type === 'status') {
      const said = { id, state: event.task.state };
      if (event.final) this.#byTask.delete(taskId);
      else if (event.turn !== undefined) this.#byTask.set(taskId, { beganAt: id, text: '', states: [said] });
      else turn?.states.push(said);
    }
  }

  /** As it was behind event `id`; `later` is everything that came after that. */
  at(taskId: string, id: number, later: readonly LoggedEvent[]): TurnSoFar | undefined {
    const turn = this.#byTask.get(taskId);
    if (turn === undefined || turn.beganAt > id) return undefined;
    const added = later.reduce((sum, { event }) => {
      return event.type === 'text' && !event.final && event.taskId === taskId ? sum + event.text.length : sum;
    }, 0);
    const { state } = turn.states.findLast((said) => said.id <= id)!;
    return { text: turn.text.slice(0, turn.text.length - added), state };
  }
}
