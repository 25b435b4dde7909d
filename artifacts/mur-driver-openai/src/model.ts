/** What a model's name says about how to ask it. Pure. Source: spec/drivers.md 11.2. */

/** `responses` for gpt-5 and later; `chat` for the o-series, older models and every other server's models. */
export function surfaceOf(model: string): 'chat' | 'responses' {
  const generation = /^gpt-(\d+)/.exec(model)?.[1];
  return generation !== undefined && Number(generation) >= 5 ? 'responses' : 'chat';
}

const noSampling = new Set([
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'n',
]);

/** Request settings the provider refuses for this model. */
export function droppedParams(model: string): ReadonlySet<string> {
  return /^o\d/.test(model) ? noSampling : new Set();
}
