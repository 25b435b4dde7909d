import { kindOf } from '../manifest/shape.js';
import type { Path } from '../manifest/tree.js';
import type { ModelLimits } from './types.js';

type WrongType = (path: Path, value: unknown, expected: string) => Error;

/** A driver's `models:` table (spec/drivers.md section 7); `undefined` when the artifact carries none. */
export function readModels(value: unknown, wrongType: WrongType): ReadonlyMap<string, ModelLimits> | undefined {
  if (value === undefined || value === null) return undefined;
  if (kindOf(value) !== 'mapping') throw wrongType(['models'], value, 'mapping');
  return new Map(
    Object.entries(value as object).map(([model, limits]) => [model, readModel(['models', model], limits, wrongType)]),
  );
}

function readModel(path: Path, value: unknown, wrongType: WrongType): ModelLimits {
  if (kindOf(value) !== 'mapping') throw wrongType(path, value, 'mapping');
  const row = value as Readonly<Record<string, unknown>>;
  const count = (key: string): number => {
    const tokens = row[key];
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0) return tokens;
    throw wrongType([...path, key], tokens, 'integer above zero');
  };
  const ceiling = row.max_input_tokens;
  return {
    maxOutputTokens: count('max_output_tokens'),
    contextWindow: count('context_window'),
    ...(ceiling === undefined || ceiling === null ? {} : { maxInputTokens: count('max_input_tokens') }),
  };
}
