/** The settings of `inference.driver.config`. Unknown keys are refused by name. */
import { DriverError } from '../../lib/conversation.js';
import { refused, setting } from '../../lib/driver.js';
import type { JsonObject } from '../../lib/json.js';

export interface Config {
  readonly thinking: boolean;
  readonly thinkingBudget: number;
  readonly cache: boolean;
  /** `undefined` is the provider's default of five minutes. */
  readonly cacheTtl: '1h' | undefined;
  readonly beta: readonly string[];
}

const keys = ['thinking', 'thinking_budget_tokens', 'prompt_cache', 'prompt_cache_ttl', 'beta_features'];

export function readConfig(config: JsonObject): Config {
  setting.known(config, keys);
  const ttl = setting.word(config, 'prompt_cache_ttl') ?? '5m';
  if (ttl !== '5m' && ttl !== '1h') throw refused('prompt_cache_ttl', ttl, '5m or 1h');
  return {
    thinking: setting.flag(config, 'thinking', false),
    thinkingBudget: setting.count(config, 'thinking_budget_tokens', 1024),
    cache: setting.flag(config, 'prompt_cache', true),
    cacheTtl: ttl === '1h' ? '1h' : undefined,
    beta: readBeta(config),
  };
}

function readBeta(config: JsonObject): string[] {
  const value = config.beta_features ?? [];
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => {
    if (typeof item === 'string' && /^[\x21-\x7e]+$/.test(item)) return item;
    throw new DriverError(
      `driver config: beta_features must be a word or a list of words, got ${JSON.stringify(item)}`,
    );
  });
}
