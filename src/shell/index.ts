/**
 * Host programs run for a capsule: which may, with what words, environment and input, and how their output becomes a result, a log or
 * a report (spec/shell.md). Not when and in what order (machines/command), not the running (src/effects/command.ts), not what the
 * kernel lets them do (src/containment) or use (src/resources).
 * Read next: command-line.ts, environment.ts (what a command sees), outcome.ts (what the model sees), capture.ts.
 */
export { Capture, type CaptureOptions, outputLimitBytes } from './capture.js';
export {
  allowProblem,
  type CommandLine,
  type CommandReading,
  isShell,
  planLine,
  readCommand,
  shownLine,
} from './command-line.js';
export { type Completion, completionMessage, completionStatus } from './completion.js';
export {
  baselineNames,
  type CommandFolders,
  commandEnvironment,
  defaultVariables,
  type EnvironmentRequest,
  overridesProblem,
  type Variable,
} from './environment.js';
export { type LoggedCommand, logHead, shellLogStem, type WrittenLog, writeLog } from './log.js';
export { LogFolder, type OpenLog } from './log-folder.js';
export { type LostCommand, type LostWork, lostMessage, scanLost } from './lost.js';
export {
  type NativeEnd,
  nativeFailure,
  nativeInput,
  nativeOutputLimitBytes,
  nativeOverflow,
  nativeResult,
} from './native.js';
export {
  detachedResult,
  type FinishedCommand,
  finishedResult,
  limitNote,
  notRunResult,
  stepFailure,
  unreadResult,
} from './outcome.js';
export { resolveProgram } from './resolve.js';
export { splitWords } from './split.js';
export { type ShellTool, type ShellTools, shellToolManifest, shellTools } from './tools.js';
