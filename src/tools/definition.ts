/** A JSON Schema, as far as the runtime looks at it: an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One tool as the model is offered it; key order is the order on the wire. */
export interface ToolDefinition {
  readonly name: string;
  readonly parameters: JsonSchema;
  readonly description?: string;
}

export type ArtifactOrigin = 'operator' | 'runtime';

/** One entry of `tools/` that the model can be offered. */
export interface InventoryItem {
  readonly name: string;
  readonly kind: 'tool' | 'skill';
  readonly version: string;
  /** The manifest's `implementation`, else its `runtime`, else `wasm`: what MURMUR.md prints. */
  readonly implementation: string;
  readonly origin: ArtifactOrigin;
  readonly definition: ToolDefinition;
}

/** What a session offers its model, in byte order of the names. */
export interface Inventory {
  readonly items: readonly InventoryItem[];
  readonly definitions: readonly ToolDefinition[];
}
