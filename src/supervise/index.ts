/**
 * Keeping actors alive and taking them down: supervisor, resource scope, clock, ids, and the fences around xstate.
 * Not what a session does (machines/session) and not its effects (src/effects).
 * Read next: supervisor.ts (the contract), scope.ts (who releases what).
 */
export { type Clock, systemClock } from './clock.js';
export { type IdPrefix, idTimeMs, isId, mintId } from './ids.js';
export type { NoticeListener, SessionNotice } from './notice.js';
export { listen, observe } from './observe.js';
export { type BugEvent, guard, safeWith } from './safe.js';
export { type Dispose, type Release, ResourceScope, type ScopeReport, scopeFaults } from './scope.js';
export { RestartIntensityError } from './supervisor/intensity.js';
export type {
  ChildExit,
  ChildPhase,
  ChildSpec,
  ChildSystem,
  ChildView,
  ExitReport,
  Intensity,
  ReportContext,
  Restart,
  Strategy,
  SupervisorEmitted,
  SupervisorEvent,
  SupervisorLogic,
  SupervisorOptions,
  SupervisorRef,
  SupervisorSnapshot,
  SupervisorView,
} from './supervisor/spec.js';
export { childSpec } from './supervisor/spec.js';
export { createSupervisor } from './supervisor.js';
