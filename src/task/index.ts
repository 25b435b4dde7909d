/**
 * The task model: which tasks a session holds and in which state each one is. Pure: no clock, no timer, no socket.
 * Not the charts (machines/), which drive it, and not the door (src/door), which speaks for it.
 * Read next: types.ts (the words), registry.ts (the rules), entry.ts (one task), lanes.ts (who is next), listeners.ts (who hears of it),
 * retention.ts (what is forgotten), page.ts (listings), settled.ts (waiting for one task).
 */
export type { TaskChange, TaskListener } from './listeners.js';
export { type PageCursor, pageOf, type TaskFilter, type TaskPage } from './page.js';
export {
  type RegistryReply,
  type RejectReason,
  TaskRegistry,
  type TaskRegistryOptions,
} from './registry.js';
export { endedBound, type RetentionBound, refusedBound } from './retention.js';
export { isSettled, settled } from './settled.js';
export {
  type FinalTaskState,
  type FollowUp,
  isFinal,
  type Lane,
  type LiveTaskState,
  laneOf,
  type TaskAcceptance,
  type TaskMessage,
  type TaskOrigin,
  type TaskRequest,
  type TaskSnapshot,
  type TaskState,
  type TaskTrust,
  taskStates,
} from './types.js';
