/**
 * Runs WASM components of artifacts: compiled once, a fresh instance per call, on threads, within limits. Not the policy of a
 * session (src/policy) and not what the guest's imports do (the `GuestHost` its caller gives).
 * Read next: types.ts (the contract), host.ts (how it is put together), ../../workers/call.ts (the other side).
 */
export { createWasmHost } from './host.js';
export { linkError, startsPrograms } from './link.js';
export type {
  CallOutcome,
  CallReport,
  CallRequest,
  Component,
  EgressSession,
  GuestHost,
  InterfaceRef,
  LoadProgress,
  PeerMessage,
  PeerTask,
  ShellResult,
  ShellRun,
  WasmHost,
  WasmHostOptions,
} from './types.js';
