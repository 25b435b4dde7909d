import { present, trimmed } from './present.js';
import type { Report } from './report.js';
import { block, integer, list, text, texts, z } from './shape.js';

const scorerTypes = ['exit_ok', 'max_turns', 'max_tokens', 'tool_sequence', 'llm_judge'] as const;

/** `observability`: where spans go and how a run is scored. */
export const observabilityShape = block({
  otel_endpoint: text(),
  eval: block({
    dataset_id: text(),
    scorers: list(z.object({ type: text(), name: text(), max: integer(), expected: texts() })),
  }),
});

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
  readonly type: (typeof scorerTypes)[number];
  readonly name: string;
  readonly max?: number;
  readonly expected?: readonly string[];
}

export function readObservability(raw: z.infer<typeof observabilityShape>, report: Report): ObservabilityConfig {
  const evaluation = raw?.eval;
  return present({
    otelEndpoint: trimmed(raw?.otel_endpoint),
    eval: evaluation
      ? present({
          datasetId: evaluation.dataset_id ?? undefined,
          scorers: (evaluation.scorers ?? []).flatMap((scorer, index) => readScorer(scorer, index, report) ?? []),
        })
      : undefined,
  });
}

const maxDefaults: Readonly<Record<string, number>> = { max_turns: 10, max_tokens: 100_000 };

function readScorer(
  raw: {
    type?: string | null | undefined;
    name?: string | null | undefined;
    max?: number | null | undefined;
    expected?: string[] | undefined;
  },
  index: number,
  report: Report,
): Scorer | undefined {
  const type = scorerTypes.find((known) => known === raw.type);
  if (type === undefined) {
    const path = ['observability', 'eval', 'scorers', index, 'type'];
    report.warn(undefined, `unknown scorer type '${raw.type ?? ''}' - skipping`, path);
    return undefined;
  }
  return present({
    type,
    name: raw.name ?? type,
    max: type in maxDefaults ? (raw.max ?? maxDefaults[type]) : undefined,
    expected: type === 'tool_sequence' ? (raw.expected ?? []) : undefined,
  });
}
