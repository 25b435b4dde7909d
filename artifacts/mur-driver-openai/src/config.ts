/** The settings of `inference.driver.config`. Unknown keys are refused by name. */
import { setting } from '../../lib/driver.js';
import type { JsonObject } from '../../lib/json.js';

export interface Config {
  /** Let the provider keep the response, so that the next turn can continue it (Responses only). */
  readonly store: boolean;
  /** Ask for summaries of the model's reasoning (Responses only; Chat servers send theirs unasked). */
  readonly thinking: boolean;
  readonly reasoningEffort: string | undefined;
  readonly verbosity: string | undefined;
}

const keys = ['store', 'thinking', 'reasoning_effort', 'verbosity'];

export function readConfig(config: JsonObject): Config {
  setting.known(config, keys);
  return {
    store: setting.flag(config, 'store', false),
    thinking: setting.flag(config, 'thinking', false),
    reasoningEffort: setting.word(config, 'reasoning_effort'),
    verbosity: setting.word(config, 'verbosity'),
  };
}
