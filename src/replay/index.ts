/**
 * Recording a session and replaying it: the log of the events its machines got, and the fold of the pure machines over it, which runs
 * no effect. Not the recorder that listens to the actors (src/effects/recorder.ts), not the screens (src/cli/replay.ts).
 *
 *     const replay = openReplay(recordsDir);
 *     replay.stateAt(17).machines;          // every machine after event 17
 *     replay.verify().divergence;           // where today's machines would differ; undefined: nowhere
 *
 * A log that is read on while it grows, or that is too long to keep, goes through a `LogStream` instead.
 *
 * Read next: types.ts (what a replay tells), log.ts (the file), fold.ts, verify.ts, stream.ts.
 */
export {
  type Bundle,
  type BundleHeader,
  type BundleSource,
  bundleLines,
  isBundle,
  type LeftOut,
  readBundle,
  type Scrub,
} from './bundle.js';
export {
  type EntryToLog,
  EVENT_LOG_FILE,
  EventLog,
  type EventLogHeader,
  type EventLogItem,
  eventLogItems,
  type Keyframe,
  keyframeEvery,
  type LoggedEvent,
  readEventLog,
  rootPath,
} from './log.js';
export { type ChartHashes, chartHashes, isMachine, machinesOf } from './machines.js';
export { plainJson, type Redact } from './plain.js';
export {
  allSessions,
  type RecordedSession,
  type RecordedSet,
  recordedSessions,
  resolveRecorded,
} from './recorded.js';
export { openReplay, type ReplayOptions, replayOf } from './replay.js';
export { factsOf, type ReportedAction, requestOf, stateHash, stateOf, stateText } from './step.js';
export { LogStream, type Streamed } from './stream.js';
export type {
  Divergence,
  MachineState,
  Replay,
  ReplayMachine,
  ReplayState,
  ReplayStep,
  Request,
  Verification,
} from './types.js';
