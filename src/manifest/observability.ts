/** `observability:` (spec/manifest.md section 10). */
export interface ObservabilityConfig {
  readonly otelEndpoint?: string;
  readonly eval?: EvalConfig;
}

export interface EvalConfig {
  readonly datasetId?: string;
  /** Scorers of a type this build knows, in declaration order. */
  readonly scorers: readonly Scorer[];
}

export interface Scorer {
  readonly type: 'exit_ok' | 'max_turns' | 'max_tokens' | 'tool_sequence' | 'llm_judge';
  readonly name: string;
  readonly max?: number;
  readonly expected?: readonly string[];
}
