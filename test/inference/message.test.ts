import { describe, expect, test } from 'vitest';
import {
  assistantMessage,
  type Message,
  mendPairs,
  readResponse,
  toolMessage,
  userMessage,
} from '../../src/inference/index.js';
import { isId } from '../../src/supervise/ids.js';

describe('a response in the history', () => {
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
        ...reply.calls.map((call) => toolMessage(call.id, call.refused?.message ?? 'ran', call.refused !== undefined)),
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
