/** Provider-reported token counts. A member the driver did not report, or reported badly, is absent; absent is not zero. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly thinkingTokens?: number;
}

const members = {
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
  cached_tokens: 'cachedTokens',
  cache_write_tokens: 'cacheWriteTokens',
  thinking_tokens: 'thinkingTokens',
} as const satisfies Record<string, keyof Usage>;

/** The well-formed members of a response's `usage`: non-negative integers. Anything else is as if it were not there. */
export function readUsage(value: unknown): Usage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const [wire, name] of Object.entries(members)) {
    const count: unknown = Object.hasOwn(value, wire) ? (value as Record<string, unknown>)[wire] : undefined;
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) usage[name] = count;
  }
  return usage;
}
