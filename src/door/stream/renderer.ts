import type { LoggedEvent } from './types.js';

/** How the events of a session become the frames of one stream. One renderer serves one connection. */
export interface Renderer {
  /** False for events this stream never tells of: they take no room in its queue. */
  wants(logged: LoggedEvent): boolean;
  /** The frames of one event; `''` for none. Called in order, and only for what `wants` let through. */
  event(logged: LoggedEvent): string;
  /** The frames that say so many events were lost before the next one. */
  lagged(missed: number): string;
  /** The frames that say a replay begins later than was asked for. */
  gap(firstAvailableId: number): string;
  /** True when this event is the last of the stream. `isLive` is false while it is replayed. */
  isLast(logged: LoggedEvent, isLive: boolean): boolean;
  /** The frames behind the last event, when the session's events end first. */
  ended(): string;
}
