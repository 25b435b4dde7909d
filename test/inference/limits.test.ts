import { describe, expect, test } from 'vitest';
import { isMurError } from '../../src/errors/index.js';
import { type LimitsRequest, limitsRecord, resolveLimits } from '../../src/inference/index.js';

const table = new Map([
  ['m', { maxOutputTokens: 1000, contextWindow: 10_000 }],
  ['capped', { maxOutputTokens: 1000, contextWindow: 10_000, maxInputTokens: 5000 }],
  ['tight', { maxOutputTokens: 1000, contextWindow: 1000 }],
]);
const request: LimitsRequest = { model: 'm', driver: 'drv', table };

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (isMurError(error)) return error.code;
    throw error;
  }
  return undefined;
}

describe('resolveLimits (spec/drivers.md section 7)', () => {
  test.each<[string, Partial<LimitsRequest>, object]>([
    [
      'the driver’s table',
      {},
      { outputCap: 1000, outputCapSource: 'driver', contextWindow: 10_000, inputBudget: 9000 },
    ],
    [
      'the manifest over the table, unclamped',
      { maxTokens: 9999, contextMaxTokens: 20_000 },
      {
        outputCap: 9999,
        outputCapSource: 'manifest',
        contextWindow: 20_000,
        contextWindowSource: 'manifest',
        inputBudget: 10_001,
      },
    ],
    ['an input ceiling', { model: 'capped' }, { maxInputTokens: 5000, inputBudget: 5000 }],
    ['a ceiling above what the window leaves', { model: 'capped', contextMaxTokens: 2000 }, { inputBudget: 1000 }],
  ])('takes %s', (_, more, expected) => {
    const { limits, warnings } = resolveLimits({ ...request, ...more });
    expect(limits).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  test('an old driver without a table runs with 8192, no window and a warning', () => {
    const { limits, warnings } = resolveLimits({ ...request, table: undefined });
    expect(limits).toEqual({ outputCap: 8192, outputCapSource: 'none', contextWindowSource: 'none' });
    expect(warnings).toMatchObject([{ code: 'W-RUN-009' }]);
    expect(warnings[0]?.message).toContain('8192');
  });

  test('an unlisted model warns unless the manifest sets both keys', () => {
    const unlisted = { ...request, model: 'M' };
    expect(resolveLimits({ ...unlisted, maxTokens: 5 }).warnings).toHaveLength(1);
    expect(resolveLimits({ ...unlisted, maxTokens: 5, contextMaxTokens: 50 }).warnings).toEqual([]);
    expect(resolveLimits({ ...unlisted, table: undefined, maxTokens: 5, contextMaxTokens: 50 }).warnings).toEqual([]);
  });

  test('a table without the model and no manifest cap is refused', () => {
    expect(codeOf(() => resolveLimits({ ...request, model: 'M' }))).toBe('E-RUN-052');
    expect(codeOf(() => resolveLimits({ ...request, table: new Map(), contextMaxTokens: 50 }))).toBe('E-RUN-052');
  });

  test('no room for input is refused', () => {
    expect(codeOf(() => resolveLimits({ ...request, model: 'tight' }))).toBe('E-RUN-055');
    expect(codeOf(() => resolveLimits({ ...request, maxTokens: 10_001 }))).toBe('E-RUN-055');
  });

  test('the record names each value’s source', () => {
    expect(limitsRecord(resolveLimits({ ...request, maxTokens: 7 }).limits)).toEqual({
      max_output_tokens: { value: 7, source: 'manifest' },
      context_window: { value: 10_000, source: 'driver' },
      max_input_tokens: { value: null, source: 'none' },
      input_budget: 9993,
    });
  });
});
