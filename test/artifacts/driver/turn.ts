/** Drives a provider's pure core without a component: bytes in, result and progress out. Not a test. */
import type { Sink } from '../../../artifacts/lib/conversation.js';
import { converse, type Header, type Provider } from '../../../artifacts/lib/driver.js';
import type { ToolResult } from '../../../artifacts/lib/tool.js';
import type { Loose } from '../../fixtures/provider/answer.js';

export interface Turn {
  readonly result: ToolResult;
  /** The parsed `result.data`. */
  readonly response: Loose;
  readonly sent: { readonly url: string; readonly headers: readonly Header[]; readonly body: Loose } | undefined;
  readonly progress: readonly (readonly unknown[])[];
}

export interface TurnOptions {
  readonly status?: number;
  readonly config?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
}

export function turn(
  provider: Provider,
  request: object,
  body: readonly Uint8Array[],
  options: TurnOptions = {},
): Turn {
  let sent: Turn['sent'];
  const progress: unknown[][] = [];
  const environment = new Map(
    Object.entries({ MURMUR_INFERENCE_ENDPOINT: 'http://gateway.test/', ...options.environment }),
  );
  if (options.config !== undefined) environment.set('MURMUR_INFERENCE_DRIVER_CONFIG', JSON.stringify(options.config));
  const result = converse(provider, JSON.stringify(request), {
    environment,
    sink: recorder(progress),
    post(url, headers, text) {
      sent = { url, headers, body: JSON.parse(text) };
      return { status: options.status ?? 200, body };
    },
  });
  return { result, response: JSON.parse(result.data ?? 'null'), sent, progress };
}

export function recorder(progress: unknown[][]): Sink {
  return {
    text: (chunk) => void progress.push(['text', chunk]),
    thinking: (chunk) => void progress.push(['thinking', chunk]),
    callStarted: (id, name) => void progress.push(['started', id, name]),
    callBytes: (id, bytes) => void progress.push(['bytes', id, bytes]),
  };
}

export const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
export const assistant = (...content: object[]) => ({ role: 'assistant', content });
export const toolResult = (tool_call_id: string, text: string, is_error = false) => ({
  role: 'tool',
  tool_call_id,
  is_error,
  content: [{ type: 'text', text }],
});

export function request(model: string, messages: readonly object[], more: object = {}): object {
  return {
    model,
    max_tokens: 2048,
    messages,
    tools: [],
    params: {},
    system: '',
    prompt_cache_key: 'demo:0.1.0',
    ...more,
  };
}

export const tools = [
  { name: 'files', description: 'Files.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
];

/** Every two-piece split of `bytes`, and every byte apart. */
export function* splits(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield [...bytes].map((byte) => Uint8Array.of(byte));
}

/** Joined text of one kind of progress. */
export function joined(progress: Turn['progress'], kind: 'text' | 'thinking'): string {
  return progress.flatMap(([type, chunk]) => (type === kind ? [chunk] : [])).join('');
}
