import { describe, expect, test } from 'vitest';
import { surfaceOf } from '../../../artifacts/mur-driver-openai/src/model.js';
import { openAi } from '../../../artifacts/mur-driver-openai/src/provider.js';
import { openAiDialect, type Reply, streamBytes } from '../../fixtures/provider/index.js';
import { assistant, joined, request, splits, toolResult, tools, turn, user } from './turn.js';

const chatBody = { model: 'gpt-4o', stream_options: { include_usage: true } };
const surfaces = {
  chat: { model: 'gpt-4o', path: '/v1/chat/completions', body: chatBody },
  responses: { model: 'gpt-5-mini', path: '/v1/responses', body: { model: 'gpt-5-mini' } },
} as const;
const stream = (surface: keyof typeof surfaces, reply: Reply, lineEnd?: string) =>
  streamBytes(openAiDialect, reply, surfaces[surface], lineEnd);

const rich: Reply = {
  thinking: 'schön →',
  text: 'Löökïng 😀',
  calls: [
    { id: 'call_a', name: 'files', input: { path: 'é😀.txt' } },
    { id: 'call_b', name: 'files', input: {} },
  ],
  usage: { input: 812, output: 44, cached: 700 },
};
const richAnswer = {
  stop_reason: 'tool_call',
  content: [
    { type: 'thinking', text: 'schön →' },
    { type: 'text', text: 'Löökïng 😀' },
    { type: 'tool_call', id: 'call_a', name: 'files', input: { path: 'é😀.txt' } },
    { type: 'tool_call', id: 'call_b', name: 'files', input: {} },
  ],
  usage: { input_tokens: 812, output_tokens: 44, cached_tokens: 700 },
};

test.each([
  ['gpt-4o', 'chat'],
  ['gpt-4.1', 'chat'],
  ['o3', 'chat'],
  ['o4-mini', 'chat'],
  ['gpt-5', 'responses'],
  ['gpt-5.1-codex', 'responses'],
  ['gpt-10', 'responses'],
  ['gpt-oss:20b', 'chat'],
  ['qwen3', 'chat'],
])('asks %s through %s', (model, surface) => {
  expect(surfaceOf(model)).toBe(surface);
});

describe.each(['chat', 'responses'] as const)('an answer through %s', (surface) => {
  const { model, path, body } = surfaces[surface];
  const ask = (bytes: readonly Uint8Array[], options = {}) =>
    turn(openAi, request(model, [user('hi')]), bytes, options);

  test('is the same for every byte split of the stream', () => {
    const expected = JSON.stringify(richAnswer);
    for (const bytes of splits(stream(surface, rich, '\r\n'))) expect(ask(bytes).result.data).toBe(expected);
    expect(ask([stream(surface, rich, '\n')]).response).toEqual(richAnswer);
  });

  test('reports text, thinking and tool progress while it reads, and never tool input', () => {
    const { progress } = ask([stream(surface, rich)]);
    expect(joined(progress, 'text')).toBe('Löökïng 😀');
    expect(joined(progress, 'thinking')).toBe('schön →');
    expect(progress).toContainEqual(['bytes', 'call_a', Buffer.byteLength(JSON.stringify({ path: 'é😀.txt' }))]);
    expect(JSON.stringify(progress)).not.toContain('.txt');
  });

  test('is the same when the server sends one document', () => {
    const reply = surface === 'chat' ? { ...rich, thinking: '' } : rich;
    const document = Buffer.from(JSON.stringify(openAiDialect.document(reply, { path, body })));
    const { response, progress } = ask([document]);
    expect(response.content.filter((block: { type: string }) => block.type !== 'thinking')).toEqual(
      richAnswer.content.slice(1),
    );
    expect(joined(progress, 'text')).toBe('Löökïng 😀');
  });

  test('fails when the stream ends without a stop signal, wherever it ends', () => {
    const events = openAiDialect.events({ text: 'hello', stop: null }, { path, body });
    for (let endAfter = 0; endAfter <= events.length; endAfter++) {
      expect(ask([stream(surface, { text: 'hello', stop: null, endAfter })]).response.error).toContain(
        'without a stop signal',
      );
    }
  });

  test('E56: passes arguments that are no JSON on as text', () => {
    const { response } = ask([stream(surface, { calls: [{ id: 'c', name: 'files', input: '{"path":"a' }] })]);
    expect(response).toMatchObject({
      stop_reason: 'tool_call',
      content: [{ type: 'tool_call', id: 'c', input: '{"path":"a' }],
    });
  });

  test('E58: names the tool and the setting when the cap cut a call off', () => {
    const stop = surface === 'chat' ? 'length' : 'incomplete';
    const { response } = ask([stream(surface, { calls: [{ id: 'c', name: 'files', input: '{"path":"a' }], stop })]);
    expect(response.error).toMatch(/tool files was cut off.*inference\.max_tokens/);
  });

  test('ends as max_tokens when the cap cut the text', () => {
    const stop = surface === 'chat' ? 'length' : 'incomplete';
    const { response } = ask([stream(surface, { text: 'half', stop })]);
    expect(response).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text', text: 'half' }] });
  });

  test('fails with status and body of a refusal', () => {
    expect(ask([Buffer.from('{"error":{}}')], { status: 401 }).response.error).toBe('HTTP 401: {"error":{}}');
  });

  test('fails with the text of an error sent in the stream', () => {
    const error =
      surface === 'chat'
        ? { error: { code: 'boom', message: 'sorry' } }
        : { type: 'error', code: 'boom', message: 'sorry' };
    expect(ask([Buffer.from(`data: ${JSON.stringify(error)}\n\n`)]).response.error).toContain('boom: sorry');
  });
});

describe('through chat', () => {
  const ask = (reply: Reply | string) =>
    turn(openAi, request('gpt-4o', [user('hi')]), [
      typeof reply === 'string' ? Buffer.from(reply) : stream('chat', reply),
    ]);

  test('content_filter and unknown stop words are errors', () => {
    expect(ask({ text: 'x', stop: 'content_filter' }).response.error).toBe('the model stopped with content_filter');
    expect(ask({ text: 'x', stop: 'surprise' }).response.error).toBe('the model stopped with surprise');
  });

  test('calls without an index, as some servers send them, stay apart', () => {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
    const call = (id: string) => ({
      tool_calls: [{ id, type: 'function', function: { name: 'files', arguments: `{"path":"${id}"}` } }],
    });
    const { response } = ask(chunk(call('a')) + chunk(call('b')) + chunk({}, 'tool_calls'));
    expect(response.content).toEqual([
      { type: 'tool_call', id: 'a', name: 'files', input: { path: 'a' } },
      { type: 'tool_call', id: 'b', name: 'files', input: { path: 'b' } },
    ]);
  });

  test('a call without an id gets one', () => {
    const chunk = {
      choices: [
        {
          delta: { tool_calls: [{ index: 0, function: { name: 'files', arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    };
    expect(ask(`data: ${JSON.stringify(chunk)}\n\n`).response.content[0].id).toBe('call_0');
  });

  test('the body has the shape the API documents', () => {
    const messages = [
      user('hi'),
      assistant({ type: 'thinking', text: 'no' }, { type: 'tool_call', id: '1', name: 'files', input: { path: 'a' } }),
      toolResult('1', 'one'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', source: { media_type: 'image/png', data: 'AA==' } },
        ],
      },
    ];
    const full = request('gpt-4o', messages, { tools, system: 'sys', params: { temperature: 0.5, stream: false } });
    const { sent } = turn(openAi, full, [stream('chat', { text: 'x' })], {
      config: { reasoning_effort: 'low', verbosity: 'high' },
      environment: { MURMUR_INFERENCE_API_KEY: 'mur-key-0' },
    });
    expect(sent?.url).toBe('http://gateway.test/chat/completions');
    expect(sent?.headers).toEqual([['authorization', 'Bearer mur-key-0']]);
    expect(sent?.body).toEqual({
      model: 'gpt-4o',
      max_completion_tokens: 2048,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      reasoning_effort: 'low',
      verbosity: 'high',
      prompt_cache_key: 'demo:0.1.0',
      tools: [
        { type: 'function', function: { name: 'files', description: 'Files.', parameters: tools[0]?.parameters } },
      ],
      messages: [
        { role: 'system', content: 'sys' },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', type: 'function', function: { name: 'files', arguments: '{"path":"a"}' } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'one' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          ],
        },
      ],
    });
  });

  test('o-series models get no sampling settings', () => {
    const full = request('o3', [user('hi')], { params: { temperature: 1, top_p: 1, n: 2, seed: 7 } });
    const body = turn(openAi, full, [stream('chat', { text: 'x' })]).sent?.body;
    expect(body).toMatchObject({ seed: 7 });
    for (const key of ['temperature', 'top_p', 'n']) expect(body).not.toHaveProperty(key);
  });
});

describe('through responses', () => {
  const ask = (full: object, config?: object) => turn(openAi, full, [stream('responses', { text: 'x' })], { config });
  const history = [
    user('hi'),
    assistant({ type: 'text', text: 'a' }, { type: 'tool_call', id: '1', name: 'files', input: {} }),
    toolResult('1', 'one'),
  ];

  test('the body has the shape the API documents', () => {
    const { sent } = ask(request('gpt-5', history, { tools, system: 'sys' }), {
      reasoning_effort: 'low',
      thinking: 'enabled',
      verbosity: 'low',
    });
    expect(sent?.url).toBe('http://gateway.test/responses');
    expect(sent?.body).toEqual({
      model: 'gpt-5',
      max_output_tokens: 2048,
      stream: true,
      store: false,
      instructions: 'sys',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low' },
      prompt_cache_key: 'demo:0.1.0',
      tools: [
        { type: 'function', name: 'files', description: 'Files.', parameters: tools[0]?.parameters, strict: false },
      ],
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
        { type: 'function_call', call_id: '1', name: 'files', arguments: '{}' },
        { type: 'function_call_output', call_id: '1', output: 'one' },
      ],
    });
  });

  test('a stored response continues by id, without the messages the provider has', () => {
    const first = ask(request('gpt-5', [user('hi')]), { store: true });
    expect(first.result.metadata).toEqual([['continuation_id', 'resp_1']]);
    const slice = [assistant({ type: 'tool_call', id: '1', name: 'files', input: {} }), toolResult('1', 'one')];
    const next = ask(request('gpt-5', slice, { continuation_id: 'resp_1' }), { store: true });
    expect(next.sent?.body).toMatchObject({ store: true, previous_response_id: 'resp_1' });
    expect(next.sent?.body.input).toEqual([{ type: 'function_call_output', call_id: '1', output: 'one' }]);
  });

  test('a response that is not stored returns no continuation', () => {
    expect(ask(request('gpt-5', [user('hi')])).result.metadata).toEqual([]);
  });

  test('a failed response is an error with the provider text', () => {
    const { response } = turn(openAi, request('gpt-5', [user('hi')]), [
      stream('responses', { text: 'x', stop: 'failed' }),
    ]);
    expect(response.error).toContain('The model failed to generate a response.');
  });

  test('an unknown config key is refused by name', () => {
    expect(ask(request('gpt-5', [user('hi')]), { effort: 'low' }).response.error).toContain('effort is not a key');
  });
});
