import type { ModelLimits } from '../artifacts/index.js';
import { MurError } from '../errors/index.js';

/** `none`: nobody named it; an output cap is then the built-in 8192. */
export type LimitSource = 'manifest' | 'driver' | 'none';

/** The limits of one driver choice, each with where it came from. */
export interface ChoiceLimits {
  /** Most tokens one response may have. */
  readonly outputCap: number;
  readonly outputCapSource: LimitSource;
  /** Tokens of request and response together. */
  readonly contextWindow?: number;
  readonly contextWindowSource: LimitSource;
  readonly maxInputTokens?: number;
  /** Most tokens a request may have: min(ceiling, window - cap). Absent without a window: nothing compacts or seeds. */
  readonly inputBudget?: number;
}

export interface LimitWarning {
  readonly code: 'W-RUN-009';
  readonly message: string;
}

export interface LimitsRequest {
  readonly model: string;
  /** Driver artifact, for messages. */
  readonly driver: string;
  /** Undefined when the driver's manifest has no `models:` at all (older published drivers). */
  readonly table: ReadonlyMap<string, ModelLimits> | undefined;
  /** `inference.max_tokens`. Session-wide, never clamped to the provider's maximum. */
  readonly maxTokens?: number | undefined;
  /** `context.max_tokens`. */
  readonly contextMaxTokens?: number | undefined;
}

const fallbackOutputCap = 8192;

/**
 * The limits of one driver choice, and what to warn about (drivers.md section 7). The model id must match exactly.
 * Throws `E-RUN-052` when a driver that lists models does not list this one and the manifest sets no cap, and `E-RUN-055`
 * when no token is left for input.
 */
export function resolveLimits(request: LimitsRequest): { limits: ChoiceLimits; warnings: readonly LimitWarning[] } {
  const { model, driver, table, maxTokens, contextMaxTokens } = request;
  const row = table?.get(model);
  const [outputCap, outputCapSource] = firstKnown(maxTokens, row?.maxOutputTokens);
  if (outputCap === undefined && table !== undefined) {
    throw new MurError('E-RUN-052', `driver '${driver}' lists no max_output_tokens for model '${model}'`);
  }
  const [contextWindow, contextWindowSource] = firstKnown(contextMaxTokens, row?.contextWindow);
  const cap = outputCap ?? fallbackOutputCap;
  const ceiling = row?.maxInputTokens;
  const inputBudget = contextWindow === undefined ? undefined : Math.min(ceiling ?? Infinity, contextWindow - cap);
  if (inputBudget !== undefined && inputBudget <= 0) {
    throw new MurError(
      'E-RUN-055',
      `model '${model}' has no room for input: its window of ${contextWindow} tokens is not larger than its output cap of ${cap}`,
      { hint: 'raise context.max_tokens or lower inference.max_tokens' },
    );
  }
  return {
    limits: {
      outputCap: cap,
      outputCapSource,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      contextWindowSource,
      ...(ceiling === undefined ? {} : { maxInputTokens: ceiling }),
      ...(inputBudget === undefined ? {} : { inputBudget }),
    },
    warnings:
      row === undefined && (maxTokens === undefined || contextMaxTokens === undefined)
        ? [unlisted(request, cap, contextWindow)]
        : [],
  };
}

function unlisted({ model, driver, table }: LimitsRequest, cap: number, window: number | undefined): LimitWarning {
  const why =
    table === undefined ? `driver '${driver}' lists no models` : `driver '${driver}' does not list model '${model}'`;
  const used = `using an output cap of ${cap} tokens and ${window === undefined ? 'no context window' : `a window of ${window}`}`;
  return {
    code: 'W-RUN-009',
    message: `${why}; ${used}. Set inference.max_tokens and context.max_tokens for '${model}'`,
  };
}

/** The limits as the trace records them (`model_limits`; each value names where it comes from). */
export function limitsRecord(limits: ChoiceLimits): Record<string, unknown> {
  return {
    max_output_tokens: { value: limits.outputCap, source: limits.outputCapSource },
    context_window: { value: limits.contextWindow ?? null, source: limits.contextWindowSource },
    max_input_tokens: {
      value: limits.maxInputTokens ?? null,
      source: limits.maxInputTokens === undefined ? 'none' : 'driver',
    },
    input_budget: limits.inputBudget ?? null,
  };
}

function firstKnown(manifest: number | undefined, driver: number | undefined): [number | undefined, LimitSource] {
  if (manifest !== undefined) return [manifest, 'manifest'];
  return driver === undefined ? [undefined, 'none'] : [driver, 'driver'];
}
