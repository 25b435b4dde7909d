import { describe, expect, test } from 'vitest';
import {
  answerMessages,
  assistantMessage,
  type Message,
  mendPairs,
  readResponse,
  textOf,
  userMessage,
} from '../../src/inference/index.js';
import { isId } from '../../src/supervise/ids.js';
import type { ToolCall } from '../../src/tools/index.js';

function call(id: string, more: Partial<ToolCall> = {}): ToolCall {
  return { id, name: 'read', input: {}, inputText: '{}', ...more };
}

describe('answerMessages (cases/reports row 62)', () => {
  test('pairs by id, in call order, when calls of one name finish in reverse', () => {
    const calls = Array.from({ length: 8 }, (_, index) => call(`call_${index}`));
    const answers = new Map([...calls].reverse().map(({ id }) => [id, { text: `of ${id}`, isError: id === 'call_3' }]));
    expect(answerMessages(calls, answers)).toEqual(
      calls.map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        is_error: id === 'call_3',
        content: [{ type: 'text', text: `of ${id}` }],
        id: expect.stringMatching(/^msg_/),
      })),
    );
  });

  test('a refused call is answered with its refusal, a call that was not reached as not run', () => {
    const messages = answerMessages(
      [call('a', { refused: { kind: 'malformed', message: 'no object' } }), call('b')],
      new Map([['a', { text: 'never', isError: false }]]),
    );
    expect(messages.map((message) => [message.tool_call_id, message.is_error, textOf(message.content)])).toEqual([
      ['a', true, 'no object'],
      ['b', true, 'This call was not run: the turn ended before its turn came.'],
    ]);
  });

  test('whatever the driver answered, the next conversation has every call answered once', () => {
    for (const stop of ['tool_call', 'max_tokens', 'end_turn']) {
      const content = [
        { type: 'tool_call', id: 'x', name: 'read', input: '{"path":"a' },
        { type: 'tool_call', id: 'x', name: 'read', input: {} },
        { type: 'tool_call', name: 'read', input: null },
      ];
      const data = JSON.stringify({ stop_reason: stop, content });
      const reply = readResponse({ status: 'passed', data, truncated: false, metadata: [] });
      if (reply.status !== 'ok') throw new Error(reply.message);
      const messages: Message[] = [
        userMessage('go'),
        assistantMessage(reply.content),
        ...answerMessages(reply.calls, new Map()),
      ];
      expect(mendPairs(messages)).toEqual(messages);
      expect(new Set(reply.calls.map(({ id }) => id)).size).toBe(3);
    }
  });
});

test('messages get ids of their own, in mint order', () => {
  const [first, second] = [userMessage('a'), assistantMessage([])];
  expect(isId('msg', first.id) && isId('msg', second.id)).toBe(true);
  expect(first.id < second.id).toBe(true);
});
