import { type Lane, laneOf, type TaskRequest } from './types.js';

const lanes: readonly Lane[] = ['user', 'peer', 'bg'];

/** The tasks that wait to start (spec/door.md 8.4): lane by lane, in a lane the first to come first. */
export class Lanes {
  readonly #waiting: Record<Lane, TaskRequest[]> = { user: [], peer: [], bg: [] };

  get count(): number {
    return lanes.reduce((sum, lane) => sum + this.#waiting[lane].length, 0);
  }

  /** The reports of the session's own commands among them, which come in the last lane. */
  get reports(): number {
    return this.#waiting.bg.filter(({ source }) => source === 'detached_shell').length;
  }

  get first(): TaskRequest | undefined {
    return lanes.map((lane) => this.#waiting[lane][0]).find((request) => request !== undefined);
  }

  /** Their ids, in the order they would start. */
  get taskIds(): readonly string[] {
    return lanes.flatMap((lane) => this.#waiting[lane].map(({ taskId }) => taskId));
  }

  add(request: TaskRequest): void {
    this.#waiting[laneOf(request.origin)].push(request);
  }

  remove(request: TaskRequest): void {
    const lane = this.#waiting[laneOf(request.origin)];
    lane.splice(lane.indexOf(request), 1);
  }
}
