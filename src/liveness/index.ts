/**
 * Who is alive: the record of every session with an open door, whether its process is still the one that wrote it, whether its
 * door answers, and signals that reach that process or nothing (spec/liveness.md). Effects and pure parts only: who acts on a
 * verdict is in machines/liveness, machines/registry and machines/stop.
 *
 * | File | Does |
 * |---|---|
 * | record, guard | publish this process's record and take it back |
 * | list, parse, prune, sweep | read the records of a machine, remove those of processes that are gone |
 * | process, kernel, macos | layers 1 and 2: is the pid held, by that process |
 * | verify, probe, card, exchange | layer 3: does the door answer for the session |
 * | signal, pidfd, native | signal that process and no other |
 * | watch | notice that it ended |
 * | resolve, token | session addresses, door tokens |
 *
 * Read next: types.ts (the verdicts), process.ts (how they come about), signal.ts.
 */
export type { Kernel } from './kernel.js';
export { listRecords, runningDirLocation, scanRecords } from './list.js';
export { parseRecord } from './parse.js';
export type { Pidfd } from './pidfd.js';
export { type ProbeOptions, probeSession } from './probe.js';
export {
  classify,
  identityOfThisProcess,
  pidIsAlive,
  processState,
  type ReadOptions,
  readProcess,
  startToken,
} from './process.js';
export { pruneRecord } from './prune.js';
export { publishRecord, type RecordFacts, recordOfThisProcess } from './record.js';
export { didNotAnswer, notEnded, resolveAddress } from './resolve.js';
export { createSignaller, refusalBeforeSignal, type Signaller, signalProcess } from './signal.js';
export { sweepRecords } from './sweep.js';
export { hasControllingTerminal } from './terminal.js';
export { tokenOf } from './token.js';
export type {
  Evidence,
  ExitNotice,
  GoneRecord,
  ListedRecord,
  Listing,
  Liveness,
  ProcessIdentity,
  ProcessState,
  PublishOutcome,
  RecordGuard,
  RunningRecord,
  Scan,
  SignalOutcome,
  StopSignal,
  Sweep,
} from './types.js';
export { livenessWithoutProbe, type VerifyOptions, verify, verifyAll } from './verify.js';
export { awaitExit, type WatchOptions, watchExit } from './watch.js';
