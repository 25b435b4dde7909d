/**
 * Inference over http drivers: the request and response of one driver call, the conversation around it, and the facts that
 * shape it (limits, system prompt, continuation, environment). Not the WASM call (src/wasm), not the turn loop (machines,
 * src/effects), not the tools (src/tools).
 * Read next: request.ts (what a driver is asked), response.ts (what its answer means).
 */
export { type MintCallId, randomCallId } from './calls.js';
export {
  type Continuation,
  type ContinuationEvent,
  reduceContinuation,
  usableContinuation,
} from './continuation.js';
export {
  type ConversationRecorder,
  conversationFile,
  createRecorder,
  type LineAppender,
  type LoadedConversation,
  mendPairs,
  type RecordExtras,
  readConversation,
} from './conversation.js';
export {
  type Environment,
  type GuestEnvironmentInput,
  type GuestIdentity,
  type GuestInference,
  type GuestRole,
  mergeEnvironment,
  runtimeEnvironment,
} from './environment.js';
export {
  type ChoiceLimits,
  type LimitSource,
  type LimitsRequest,
  type LimitWarning,
  limitsRecord,
  resolveLimits,
} from './limits.js';
export * from './message.js';
export {
  type AttemptEnding,
  resultFiles,
  resultText,
  turnsExceeded,
} from './outcome.js';
export { type PromptReaders, type ResolvedPrompt, resolvePrompt } from './prompt.js';
export { PieceRedactor, redactor, type Unspoken } from './redact.js';
export {
  buildRequest,
  type DriverRequest,
  type DriverRequestInput,
  hashRequest,
  type RequestHashes,
} from './request.js';
export {
  type Decision,
  type DriverFailure,
  type DriverOutcome,
  type DriverReply,
  firstMetadata,
  type InferenceErrorCode,
  type ReadOptions,
  readDriverCall,
  readResponse,
} from './response.js';
export {
  buildSystemPrompt,
  type CapsuleFacts,
  dataNotice,
  inventoryNotice,
  type SystemPromptInput,
} from './system.js';
export { readUsage, type Usage } from './usage.js';
