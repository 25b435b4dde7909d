import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  assistantMessage,
  buildRequest,
  type DriverRequestInput,
  hashRequest,
  type Message,
  stripRuntimeKeys,
  toolMessage,
  userMessage,
} from '../../src/inference/index.js';

const messages: Message[] = [
  userMessage('List the open issues.', 'msg_1'),
  assistantMessage(
    [
      { type: 'text', text: 'Looking.' },
      { type: 'tool_call', id: 'call_7', name: 'bash', input: { command: 'ls issues' } },
    ],
    'msg_2',
  ),
  toolMessage('call_7', '<untrusted-content source=tool:bash>\nexit 0\n</untrusted-content>', false, 'msg_3'),
];

const input: DriverRequestInput = {
  model: 'example-model-1',
  maxTokens: 8192,
  messages,
  tools: [
    { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } } }, description: 'Runs' },
    { name: 'quiet', parameters: { type: 'object', properties: {} }, description: '  ' },
  ],
  system: '[Capsule]\n"x"',
  capsule: { name: 'demo', version: '0.1.0' },
  contextId: 'ctx_1',
};

const userText = '{"role":"user","content":[{"type":"text","text":"List the open issues."}]}';
const assistantText =
  '{"role":"assistant","content":[{"type":"text","text":"Looking."},' +
  '{"type":"tool_call","id":"call_7","name":"bash","input":{"command":"ls issues"}}]}';
const toolText =
  '{"role":"tool","tool_call_id":"call_7","is_error":false,"content":[{"type":"text",' +
  '"text":"<untrusted-content source=tool:bash>\\nexit 0\\n</untrusted-content>"}]}';
const toolsText =
  '[{"name":"bash","parameters":{"type":"object","properties":{"command":{"type":"string"}}},"description":"Runs"},' +
  '{"name":"quiet","parameters":{"type":"object","properties":{}}}]';

describe('buildRequest (spec/drivers.md section 2)', () => {
  test('golden: keys in order, runtime keys gone', () => {
    expect(buildRequest(input).text).toBe(
      `{"model":"example-model-1","max_tokens":8192,"messages":[${userText},${assistantText},${toolText}],` +
        `"tools":${toolsText},"params":{},"system":"[Capsule]\\n\\"x\\"","prompt_cache_key":"demo:0.1.0:ctx_1"}`,
    );
  });

  test('golden: no context, no tools, no system', () => {
    const { contextId: _, ...rest } = input;
    expect(buildRequest({ ...rest, messages: [messages[0]!], tools: [], system: '' }).text).toBe(
      `{"model":"example-model-1","max_tokens":8192,"messages":[${userText}],"tools":[],"params":{},"system":"",` +
        `"prompt_cache_key":"demo:0.1.0"}`,
    );
  });

  test('golden: a continuation sends the tail and its id; occupancy still counts everything', () => {
    const request = buildRequest({ ...input, continuation: { id: 'resp_abc', from: 1 } });
    expect(request.text).toBe(
      `{"model":"example-model-1","max_tokens":8192,"messages":[${assistantText},${toolText}],` +
        `"tools":${toolsText},"params":{},"system":"[Capsule]\\n\\"x\\"","prompt_cache_key":"demo:0.1.0:ctx_1",` +
        `"continuation_id":"resp_abc"}`,
    );
    expect(request.fullText).toBe(buildRequest(input).text);
    expect(request.messageCount).toBe(3);
    expect(request.messageIds).toEqual(['msg_2', 'msg_3']);
  });

  test('is valid JSON whatever the strings hold', () => {
    const nasty = '"\\\n\u2028\u0000\ud800 \u{1F600}';
    const request = buildRequest({
      ...input,
      model: nasty,
      system: nasty,
      capsule: { name: nasty, version: nasty },
      contextId: nasty,
      continuation: { id: nasty, from: 0 },
    });
    expect(JSON.parse(request.text)).toMatchObject({
      model: nasty,
      system: nasty,
      prompt_cache_key: `${nasty}:${nasty}:${nasty}`,
      continuation_id: nasty,
    });
  });
});

describe('hashRequest (spec/trace.md section 5)', () => {
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');

  test('covers the bytes that were sent, message by message', () => {
    expect(hashRequest(buildRequest(input))).toEqual({
      system_sha: sha('[Capsule]\n"x"'),
      tools_sha: sha(toolsText),
      message_shas: [sha(userText), sha(assistantText), sha(toolText)],
    });
  });

  test('names exactly the tail under a continuation, paired with the ids', () => {
    const request = buildRequest({ ...input, continuation: { id: 'r', from: 2 } });
    expect(hashRequest(request).message_shas).toEqual([sha(toolText)]);
    expect(request.messageIds).toEqual(['msg_3']);
  });

  test('does not depend on runtime ids', () => {
    const renamed = messages.map((message, index) => ({ ...message, id: `msg_other_${index}` }));
    expect(hashRequest(buildRequest({ ...input, messages: renamed }))).toEqual(hashRequest(buildRequest(input)));
  });
});

describe('stripRuntimeKeys', () => {
  test('drops bookkeeping keys and no other', () => {
    const message = {
      ...userMessage('x', 'msg_1'),
      source_id: 's',
      inserted_by: 'hook:h',
      fence: 'task:peer',
      truncated: true,
      canceled: true,
      cache: 'keep',
    } as Message;
    expect(stripRuntimeKeys(message)).toEqual({ role: 'user', content: [{ type: 'text', text: 'x' }], cache: 'keep' });
  });

  test.each([
    ['plain', [{ type: 'text', text: 'plain' }]],
    [undefined, []],
    [{ type: 'text', text: 'x' }, []],
    [
      [{ type: 'text', text: 'x' }, 'y', null, 7, {}, { type: 'new', a: 1 }],
      [
        { type: 'text', text: 'x' },
        { type: 'new', a: 1 },
      ],
    ],
  ])('sends content %j as an array of blocks', (content, expected) => {
    const message = { ...userMessage('', 'msg_1'), content } as unknown as Message;
    expect(stripRuntimeKeys(message).content).toEqual(expected);
  });
});
