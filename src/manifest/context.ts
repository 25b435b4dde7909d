import { positive } from './limits.js';
import { present } from './present.js';
import type { Fault } from './report.js';
import { readRetain } from './retain.js';
import { block, fraction, integer, quantity, text, z } from './shape.js';

/** `context`: how much conversation is kept and shown to the model. */
export const contextShape = block({
  max_tokens: integer(),
  seed_budget: fraction(),
  seed_overflow_margin: fraction(),
  // A YAML 1.1 writer turns on and off into booleans.
  record: z.nullish(z.union([z.enum(['on', 'off']), z.boolean()])),
  record_store: text(),
  retain: block({ max_messages: integer(), max_age: quantity() }),
});

/** `context:` with its defaults filled in (spec/manifest.md section 9). */
export interface ContextConfig {
  readonly maxTokens?: number;
  /** Share of `maxTokens` a conversation may be seeded with. */
  readonly seedBudget: number;
  /** Share of the seed budget by which a seed may overshoot. */
  readonly seedOverflowMargin: number;
  readonly record: boolean;
  /** Absent means the capsule's name. */
  readonly recordStore?: string;
  readonly retain?: { readonly maxMessages?: number; readonly maxAgeSeconds?: number };
}

export function readContext(raw: z.infer<typeof contextShape>, fault: Fault): ContextConfig {
  const path = ['context'];
  const retain = raw?.retain;
  return present({
    maxTokens: positive(raw?.max_tokens, [...path, 'max_tokens'], fault),
    seedBudget: share(raw?.seed_budget, 'seed_budget', fault),
    seedOverflowMargin: share(raw?.seed_overflow_margin, 'seed_overflow_margin', fault),
    record: raw?.record !== 'off' && raw?.record !== false,
    recordStore: raw?.record_store ?? undefined,
    retain: retain === undefined ? undefined : readContextRetain(retain, fault),
  });
}

function readContextRetain(
  raw: NonNullable<z.infer<typeof contextShape>>['retain'],
  fault: Fault,
): NonNullable<ContextConfig['retain']> {
  const given = raw ? { count: raw.max_messages, age: raw.max_age } : null;
  const { count, maxAgeSeconds } = readRetain(given, ['context', 'retain'], 'max_messages', fault);
  return present({ maxMessages: count, maxAgeSeconds });
}

function share(value: number | null | undefined, key: string, fault: Fault): number {
  const result = value ?? 0.1;
  if (!(result >= 0 && result <= 1)) throw fault(['context', key], `must be from 0.0 to 1.0, got ${result}`);
  return result;
}
