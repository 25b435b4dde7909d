/**
 * The library: what `mur run` does, as functions. The CLI uses exactly these.
 *
 * - `parseManifest(text, {path})` gives the typed manifest or a `MurError` with line and column.
 * - `prepareRun(request)` reads manifest, config and `.env` and gives the `StageRequest`.
 * - `launch(stageRequest, options)` stages and runs one session under a supervisor, and tells `onNotice` what happens.
 * - `runCapsule(request, options)` is both in one.
 *
 * Not here: the charts (`machines/index.ts`), the worker's side of WASM (`workers/`).
 */
import { prepareCapsule, prepareRun, type RunRequest, type WarningListener } from './run.js';
import { type LaunchOptions, type LaunchResult, launch } from './supervise/launch.js';

export {
  type ErrorCode,
  type ErrorShape,
  errorTable,
  isMurError,
  MurError,
  Secret,
  toMurError,
  type WarningCode,
  warningTable,
} from './errors/index.js';
export { type ManifestWarning, parseManifest, type RuntimeManifest } from './manifest/index.js';
export { type CapabilityPolicy, capabilityPolicyFromManifest } from './policy/index.js';
export { type PreparedRun, prepareCapsule, prepareRun, type RunRequest, type WarningListener } from './run.js';
export type { StageRequest } from './stage/index.js';
export {
  type Clock,
  createSupervisor,
  type NoticeListener,
  type SessionNotice,
  systemClock,
} from './supervise/index.js';
export { type LaunchOptions, type LaunchResult, launch } from './supervise/launch.js';
export { readTrace } from './trace/index.js';
export { murVersion } from './version.js';
export { createWasmHost, type WasmHost } from './wasm/index.js';

/** Runs a capsule, from its manifest or from the stores, to its end. Rejects with `MurError` when the launch could not be prepared. */
export async function runCapsule(request: RunRequest, options: LaunchOptions = {}): Promise<LaunchResult> {
  const { capsule } = request;
  const onWarning: WarningListener = ({ code, message }) =>
    options.onNotice?.({ type: 'warning', code: code ?? '', message, origin: 'manifest' });
  const { request: stage } =
    capsule === undefined
      ? prepareRun(request, process.env, onWarning)
      : await prepareCapsule(capsule, request, process.env, onWarning);
  return launch(stage, options);
}
