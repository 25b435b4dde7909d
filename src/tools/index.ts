/**
 * Tools as the model meets them: what is offered, how a call is judged and routed, and the text that comes back. Not their
 * execution (src/wasm, src/effects) and not their staging (src/stage).
 * Read next: inventory.ts (the offer), route.ts (the choice), result.ts (the answer), fence.ts (the boundary around it).
 */
export type {
  CallRefusal,
  CallRefusalKind,
  DetachedDispatch,
  DispatchOutcome,
  ShellDispatch,
  ToolCall,
} from './call.js';
export type { ArtifactOrigin, Inventory, InventoryItem, JsonSchema, ToolDefinition } from './definition.js';
