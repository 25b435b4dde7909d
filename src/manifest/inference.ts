import type { ConfigBlock } from './config-block.js';

/** Where a prompt comes from. Texts are verbatim except that `system_prompt` is trimmed. */
export type PromptSource =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'artifact'; readonly name: string };

export interface DriverReference {
  /** Name of a declared `runtime: driver` entry, as written. */
  readonly artifact: string;
  readonly config?: ConfigBlock;
}

/** Another driver and model a session may switch to (spec/manifest.md section 8.2). */
export interface AlternateChoice {
  readonly name: string;
  readonly model: string;
  readonly driver: { readonly artifact: string };
}

export interface CompactionConfig {
  /** Share of the input budget at which compaction starts. */
  readonly threshold: number;
  /** Absent means the primary model. */
  readonly model?: string;
  readonly systemPrompt?: PromptSource;
  readonly maxTokens?: number;
  readonly dumpSummaries: boolean;
  readonly driverConfig?: ConfigBlock;
}

/** `inference:`, the block that makes a capsule an agent (spec/manifest.md section 8). */
export interface InferenceConfig {
  readonly transport: 'http' | 'process';
  /** Empty only under `transport: process`: the harness default. */
  readonly model: string;
  readonly driver: DriverReference;
  /** Process transport only. */
  readonly command?: string;
  readonly maxTurns: number;
  readonly maxTokens?: number;
  readonly maxSessionTokens?: number;
  readonly toolRefresh: 'compaction' | 'immediate';
  readonly alternates: readonly AlternateChoice[];
  readonly systemPrompt?: PromptSource;
  readonly instructionFiles?: readonly string[];
  readonly compaction: CompactionConfig;
}
