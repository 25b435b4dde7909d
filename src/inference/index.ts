/**
 * Inference over http drivers: the request and response of one driver call, the conversation around it, and the facts that
 * shape it (limits, system prompt, continuation, environment). Not the WASM call (src/wasm), not the turn loop (machines,
 * src/effects), not the tools (src/tools).
 * Read next: request.ts (what a driver is asked), response.ts (what its answer means).
 */
export { type MintCallId, randomCallId } from './calls.js';
export * from './message.js';
export {
  buildRequest,
  type DriverRequest,
  type DriverRequestInput,
  hashRequest,
  type RequestHashes,
  sha256Hex,
} from './request.js';
export type {
  Decision,
  DriverFailure,
  DriverOutcome,
  DriverReply,
  InferenceErrorCode,
  ReadOptions,
} from './response.js';
export { readUsage, type Usage } from './usage.js';
