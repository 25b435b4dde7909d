import { config, type InferenceRequest, stream } from 'mur:driver';

/** Answers in the place of a model: here, with what it was told last. A real one asks a model with fetch(endpoint() + ...). */
export async function respond({ messages }: InferenceRequest) {
  const { prefix = 'You said: ' } = config<{ prefix: string }>();
  const last = messages.findLast(({ role }) => role === 'user');
  const text = prefix + (last?.content ?? []).map((block) => block.text ?? '').join('');
  stream.text(text);
  return { stop_reason: 'end_turn', content: [{ type: 'text', text }], usage: { input_tokens: 1, output_tokens: 1 } };
}
