import { describe, expect, test } from 'vitest';
import { anthropic } from '../../../artifacts/mur-driver-anthropic/src/provider.js';
import { anthropicDialect, type Reply, streamBytes } from '../../fixtures/provider/index.js';
import { assistant, joined, request, splits, toolResult, tools, turn, user } from './turn.js';

const model = 'claude-sonnet-4-5';
const stream = (reply: Reply, lineEnd?: string) =>
  streamBytes(anthropicDialect, reply, { path: '/v1/messages', body: { model } }, lineEnd);
const rich: Reply = {
  thinking: 'schön →',
  text: 'Löökïng 😀',
  calls: [
    { id: 'tu_1', name: 'files', input: { path: 'é😀.txt' } },
    { id: 'tu_2', name: 'files', input: {} },
  ],
  usage: { input: 812, output: 44, cached: 700, cacheWrite: 3 },
};

const richAnswer = {
  stop_reason: 'tool_call',
  content: [
    { type: 'thinking', text: 'schön →', signature: 'sig-1' },
    { type: 'text', text: 'Löökïng 😀' },
    { type: 'tool_call', id: 'tu_1', name: 'files', input: { path: 'é😀.txt' } },
    { type: 'tool_call', id: 'tu_2', name: 'files', input: {} },
  ],
  usage: { input_tokens: 812, output_tokens: 44, cached_tokens: 700, cache_write_tokens: 3 },
};

describe('the answer', () => {
  test('is the same for every byte split of the stream', () => {
    const expected = JSON.stringify(richAnswer);
    for (const body of splits(stream(rich, '\r\n'))) {
      expect(turn(anthropic, request(model, [user('hi')]), body).result.data).toBe(expected);
    }
    expect(turn(anthropic, request(model, [user('hi')]), [stream(rich, '\n')]).response).toEqual(richAnswer);
  });

  test('reports text, thinking and tool progress while it reads, and never tool input', () => {
    const { progress } = turn(anthropic, request(model, [user('hi')]), [stream(rich)]);
    expect(joined(progress, 'text')).toBe('Löökïng 😀');
    expect(joined(progress, 'thinking')).toBe('schön →');
    const bytes = Buffer.byteLength(JSON.stringify({ path: 'é😀.txt' }));
    expect(progress).toContainEqual(['started', 'tu_1', 'files']);
    expect(progress).toContainEqual(['bytes', 'tu_1', bytes]);
    expect(JSON.stringify(progress)).not.toContain('.txt');
  });

  test('is the same when the provider sends one document', () => {
    const document = Buffer.from(JSON.stringify(anthropicDialect.document(rich, { path: '', body: { model } })));
    const whole = turn(anthropic, request(model, [user('hi')]), [document]);
    const streamed = turn(anthropic, request(model, [user('hi')]), [stream(rich)]);
    expect(whole.response).toEqual(streamed.response);
    expect(joined(whole.progress, 'text')).toBe('Löökïng 😀');
  });

  test.each([
    ['end_turn', 'end_turn'],
    ['stop_sequence', 'end_turn'],
    ['max_tokens', 'max_tokens'],
  ])('maps stop reason %s to %s', (stop, canonical) => {
    expect(turn(anthropic, request(model, [user('hi')]), [stream({ text: 'x', stop })]).response.stop_reason).toBe(
      canonical,
    );
  });

  test.each([['refusal'], ['pause_turn']])('fails on stop reason %s', (stop) => {
    const { result, response } = turn(anthropic, request(model, [user('hi')]), [stream({ text: 'x', stop })]);
    expect(result.status).toBe('error');
    expect(response).toEqual({ stop_reason: 'error', error: `the model stopped with ${stop}` });
  });

  test('fails when the stream ends without a stop signal, at every event', () => {
    const events = anthropicDialect.events({ text: 'hello' }, { path: '', body: {} });
    const stop = events.findIndex(({ event }) => event === 'message_delta');
    for (let endAfter = 0; endAfter <= stop; endAfter++) {
      const { response } = turn(anthropic, request(model, [user('hi')]), [stream({ text: 'hello', endAfter })]);
      expect(response).toMatchObject({ stop_reason: 'error', error: expect.stringContaining('without a stop signal') });
    }
  });

  test('E58: names the tool and the setting when the cap cut a call off', () => {
    const reply: Reply = { calls: [{ id: 'tu_1', name: 'files', input: '{"path":"a' }], stop: 'max_tokens' };
    const { response } = turn(anthropic, request(model, [user('hi')]), [stream(reply)]);
    expect(response.error).toMatch(/tool files was cut off.*inference\.max_tokens/);
  });

  test('ignores events and blocks it does not know', () => {
    const odd = 'event: news\ndata: {"type":"news","index":3}\n\n';
    const body = Buffer.concat([Buffer.from(odd), stream({ text: 'x' })]);
    expect(turn(anthropic, request(model, [user('hi')]), [body]).response.content).toEqual([
      { type: 'text', text: 'x' },
    ]);
  });

  test('fails with the provider text when an error event arrives in the stream', () => {
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    const body = Buffer.concat([stream({ text: 'x', endAfter: 3 }), Buffer.from(error)]);
    expect(turn(anthropic, request(model, [user('hi')]), [body]).response.error).toContain(
      'overloaded_error: Overloaded',
    );
  });

  test('fails with status and body of a refusal, redirects included', () => {
    const body = [Buffer.from('{"type":"error"}')];
    expect(turn(anthropic, request(model, [user('hi')]), body, { status: 529 }).response.error).toBe(
      'HTTP 529: {"type":"error"}',
    );
    expect(turn(anthropic, request(model, [user('hi')]), [], { status: 302 }).response.error).toBe('HTTP 302: ');
  });
});

describe('the request', () => {
  const send = (body: object, config?: unknown, environment?: Record<string, string>) =>
    turn(anthropic, body, [stream({ text: 'x' })], { config, ...(environment && { environment }) }).sent;

  test('goes to the endpoint without its trailing slash, with the version header and no key of its own', () => {
    const sent = send(request(model, [user('hi')]));
    expect(sent?.url).toBe('http://gateway.test/v1/messages');
    expect(sent?.headers).toEqual([['anthropic-version', '2023-06-01']]);
    expect(sent?.body).not.toHaveProperty('prompt_cache_key');
  });

  test('carries the placeholder key and the beta features it was given', () => {
    const sent = send(
      request(model, [user('hi')]),
      { beta_features: ['a-1', 'b-2'] },
      { MURMUR_INFERENCE_API_KEY: 'mur-key-0' },
    );
    expect(sent?.headers).toContainEqual(['x-api-key', 'mur-key-0']);
    expect(sent?.headers).toContainEqual(['anthropic-beta', 'a-1,b-2']);
  });

  test('puts all results of a turn into the one next message', () => {
    const calls = ['1', '2'].map((id) => ({ type: 'tool_call', id, name: 'files', input: { path: id } }));
    const messages = [
      user('hi'),
      assistant(...calls),
      toolResult('1', 'one'),
      toolResult('2', 'bad', true),
      user('go on'),
    ];
    expect(send(request(model, messages), { prompt_cache: 'disabled' })?.body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: '1', name: 'files', input: { path: '1' } },
          { type: 'tool_use', id: '2', name: 'files', input: { path: '2' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'one' }] },
          { type: 'tool_result', tool_use_id: '2', content: [{ type: 'text', text: 'bad' }], is_error: true },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  test('E56: shows a malformed call to the model as what it was, because the provider takes only objects', () => {
    const messages = [
      user('hi'),
      assistant({ type: 'tool_call', id: '1', name: 'files', input: '{"a' }),
      toolResult('1', 'no', true),
    ];
    expect(send(request(model, messages))?.body.messages[1].content[0].input).toEqual({ malformed_arguments: '{"a' });
  });

  test('marks the last tool, the system text and the last block for the cache, unless told not to', () => {
    const full = request(model, [user('a'), assistant({ type: 'text', text: 'b' }), user('c')], {
      tools,
      system: 'sys',
    });
    const marked = send(full, { prompt_cache_ttl: '1h' })?.body;
    const mark = { type: 'ephemeral', ttl: '1h' };
    expect(marked.tools[0].cache_control).toEqual(mark);
    expect(marked.system).toEqual([{ type: 'text', text: 'sys', cache_control: mark }]);
    expect(marked.messages.at(-1).content.at(-1).cache_control).toEqual(mark);
    expect(JSON.stringify(marked).match(/cache_control/g)).toHaveLength(3);
    const plain = send(full, { prompt_cache: 'disabled' })?.body;
    expect(plain.system).toBe('sys');
    expect(JSON.stringify(plain)).not.toContain('cache_control');
  });

  test('asks for thinking within the cap, drops sampling and replays only signed thinking', () => {
    const messages = [
      user('hi'),
      assistant(
        { type: 'thinking', text: 'a', signature: 's' },
        { type: 'thinking', text: 'b' },
        { type: 'text', text: 'c' },
      ),
      user('more'),
    ];
    const body = send(
      request(model, messages, {
        max_tokens: 500,
        params: { temperature: 1, top_p: 1, top_k: 1, stop_sequences: ['x'] },
      }),
      {
        thinking: 'enabled',
        thinking_budget_tokens: 4000,
      },
    )?.body;
    expect(body.thinking).toEqual({ type: 'enabled', budget_tokens: 499 });
    expect(body).not.toHaveProperty('temperature');
    expect(body.stop_sequences).toEqual(['x']);
    expect(body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'text', text: 'c' },
    ]);
  });

  test('drops top_p beside temperature for models since Claude 4 only', () => {
    const params = { temperature: 1, top_p: 0.5 };
    expect(send(request(model, [user('hi')], { params }))?.body).not.toHaveProperty('top_p');
    expect(send(request('claude-3-5-haiku-20241022', [user('hi')], { params }))?.body.top_p).toBe(0.5);
  });

  test('never lets params replace what the driver sets itself', () => {
    const body = send(
      request(model, [user('hi')], {
        params: { model: 'x', stream: false, tool_choice: 'required', metadata: {} },
        tools,
      }),
    )?.body;
    expect(body).toMatchObject({ model, stream: true, tool_choice: { type: 'any' }, metadata: {} });
  });
});

describe('a call that cannot start', () => {
  test('says which setting is missing or wrong', () => {
    const fails = (body: object, options: object) => turn(anthropic, body, [], options).response.error;
    const ok = request(model, [user('hi')]);
    expect(fails(ok, { environment: { MURMUR_INFERENCE_ENDPOINT: ' ' } })).toContain(
      'MURMUR_INFERENCE_ENDPOINT is not set',
    );
    expect(fails(ok, { config: { thinkng: true } })).toContain('thinkng is not a key');
    expect(fails(ok, { config: { prompt_cache_ttl: '2h' } })).toContain('prompt_cache_ttl must be 5m or 1h, got "2h"');
    expect(fails(request(model, [{ role: 'system', content: [] }]), {})).toContain(
      'role must be user, assistant or tool, got "system"',
    );
    expect(fails(request(model, [{ role: 'user', content: 'hi' }]), {})).toContain(
      'content must be a list, got a string',
    );
    expect(fails(request(model, [{ role: 'tool', content: [] }]), {})).toContain('without tool_call_id');
    expect(fails({ ...ok, max_tokens: 0 }, {})).toContain('max_tokens must be a positive integer, got 0');
  });
});
