/**
 * Tools as the model meets them: what is offered, how a call is judged and routed, and the text that comes back. Not their
 * execution (src/wasm, src/effects) and not their staging (src/stage).
 * Read next: inventory.ts (the offer), route.ts (the choice), result.ts (the answer), fence.ts (the boundary around it).
 */
export { type CallResult, observeResult, type Repetition } from './breaker.js';
export type {
  CallRefusal,
  CallRefusalKind,
  DetachedDispatch,
  DispatchOutcome,
  ShellDispatch,
  ToolCall,
} from './call.js';
export type { ArtifactOrigin, Inventory, InventoryItem, JsonSchema, ToolDefinition } from './definition.js';
export { cutCharacters } from './excerpt.js';
export { fence, fenceSource, neutralise, readFence } from './fence.js';
export {
  buildInventory,
  type InventoryEntry,
  type InventoryOptions,
  scanTools,
  type ToolsFolder,
} from './inventory.js';
export { readToolManifest, type ToolManifest } from './manifest.js';
export { type MurmurMdInput, renderMurmurMd, sanitizeDescription } from './murmur-md.js';
export { checkRequired, type RequiredCheck, type RequiredWarning, warnOncePerTool } from './required.js';
export {
  failedOutcome,
  type ModelResult,
  modelResult,
  noDataText,
  refusedOutcome,
  resultLimitBytes,
  toolOutcome,
  unrunnableOutcome,
  withNote,
} from './result.js';
export { type Route, type RouteKind, type RouteTable, routeCall } from './route.js';
export { skillOutcome, unreadableSkill } from './skill.js';
