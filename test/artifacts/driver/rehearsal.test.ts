import { describe, expect, test } from 'vitest';
import { readRequest } from '../../../artifacts/lib/conversation.js';
import { play } from '../../../artifacts/mur-driver-rehearsal/src/play.js';
import { readScript } from '../../../artifacts/mur-driver-rehearsal/src/script.js';
import { assistant, recorder, request, toolResult, user } from './turn.js';

function rehearse(script: object | undefined, messages: readonly object[], more: object = {}) {
  const progress: unknown[][] = [];
  const pauses: number[] = [];
  const parsed = readScript(script === undefined ? undefined : JSON.stringify(script));
  const data = JSON.stringify(request('rehearsal', messages, more));
  const stage = { sink: recorder(progress), pause: (ms: number) => void pauses.push(ms) };
  const played = play(parsed, readRequest(data), data.length, stage);
  return { played, progress, pauses };
}

const answer = (text: string) => assistant({ type: 'text', text });
const say = (text: string) => ({ content: [{ type: 'text', text }] });

describe('turns', () => {
  const script = { turns: [{ say: 'one' }, { say: 'two', repeat: 2 }, { say: 'three' }] };

  test.each([
    [0, 'one'],
    [1, 'two'],
    [2, 'two'],
    [3, 'three'],
    [4, 'The rehearsal script is over.'],
  ])('a request with %i assistant messages gets "%s"', (count, text) => {
    const messages = [user('hi'), ...Array.from({ length: count }, () => answer('x'))];
    expect(rehearse(script, messages).played).toMatchObject(say(text));
  });

  test('start again when the script loops', () => {
    const messages = [user('hi'), ...Array.from({ length: 5 }, () => answer('x'))];
    expect(rehearse({ ...script, loop: true }, messages).played).toMatchObject(say('two'));
  });

  test('follow the continuation id when only a slice of the conversation is sent', () => {
    const stored = {
      turns: [
        { say: 'one', continuation_id: 'auto' },
        { say: 'two', continuation_id: 'auto' },
      ],
    };
    expect(rehearse(stored, [user('hi')]).played).toMatchObject({ continuationId: 'rehearsal-turn-1' });
    const next = rehearse(stored, [user('more')], { continuation_id: 'rehearsal-turn-1' });
    expect(next.played).toMatchObject({ ...say('two'), continuationId: 'rehearsal-turn-2' });
  });
});

test('a turn streams thinking, words and calls, pausing before each piece, and answers with the same blocks', () => {
  const script = {
    delay_ms: 5,
    turns: [{ think: 'hm', say: 'a b', call: [{ tool: 'f' }, { tool: 'g', input: { x: '{{task}}' }, id: 'mine' }] }],
  };
  const { played, progress, pauses } = rehearse(script, [user('the task')]);
  expect(played).toMatchObject({
    stopReason: 'tool_call',
    content: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'a b' },
      { type: 'tool_call', id: 'call_1_1', name: 'f', input: {} },
      { type: 'tool_call', id: 'mine', name: 'g', input: { x: 'the task' } },
    ],
    usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
  });
  expect(progress).toEqual([
    ['thinking', 'hm'],
    ['text', 'a '],
    ['text', 'b'],
    ['started', 'call_1_1', 'f'],
    ['bytes', 'call_1_1', 2],
    ['started', 'mine', 'g'],
    ['bytes', 'mine', 16],
  ]);
  expect(pauses).toEqual([5, 5, 5, 5, 5]);
});

test("the task it repeats is without the fence a stranger's text comes in", () => {
  const fenced = user('<untrusted-content source=task:event>\nhello\n</untrusted-content>');
  const { played } = rehearse({ turns: [{ say: 'You said: {{task}}' }] }, [fenced]);
  expect(played).toMatchObject({ content: [{ type: 'text', text: 'You said: hello' }] });
});

test('an expectation looks into the last results, inside the fence, and fails with what was there', () => {
  const script = { turns: [{ say: 'one' }, { expect: ['alpha', 'beta'], say: 'got {{result}}' }] };
  const fenced = '<untrusted-content source=tool:f>\nbeta\n</untrusted-content>';
  const messages = [user('hi'), answer('x'), toolResult('1', 'alpha'), toolResult('2', fenced)];
  expect(rehearse(script, messages).played).toMatchObject(say('got beta'));
  expect(() => rehearse(script, [user('hi'), answer('x'), toolResult('1', 'alpha')])).toThrow(
    'rehearsal turn 2 expected a tool result with "beta"; got "alpha"',
  );
  expect(() => rehearse(script, [user('hi'), answer('x')])).toThrow('there was no tool result');
});

test('errors, stop reasons, raw answers, malformed input and crashes come as the script says', () => {
  const once = (turn: object) => rehearse({ turns: [turn] }, [user('hi')]).played;
  expect(() => once({ error: 'provider down' })).toThrow('provider down');
  expect(once({ say: 'x', stop_reason: 'max_tokens' })).toMatchObject({ stopReason: 'max_tokens' });
  expect(once({ raw: 'not json' })).toEqual({ raw: 'not json' });
  expect(once({ call: { tool: 'f', input: '{"path":"a' } })).toMatchObject({ content: [{ input: '{"path":"a' }] });
  expect(once({ call: { tool: 'f', input: null } })).toMatchObject({ content: [{ input: null }] });
  expect(once({ say: 'x', usage: { input_tokens: -1 } })).toMatchObject({ usage: { input_tokens: -1 } });
  expect(() => once({ crash: true })).toThrow('asked for a crash');
});

describe('without a script', () => {
  const tools = [
    { name: 'my-files', parameters: { type: 'object', properties: { action: { enum: ['list', 'read'] } } } },
  ];

  test('it greets, lists files where a tool offers that, and ends', () => {
    expect(rehearse(undefined, [user('hi')], { tools }).played).toMatchObject({
      stopReason: 'tool_call',
      content: [{ type: 'text' }, { type: 'tool_call', name: 'my-files', input: { action: 'list' } }],
    });
    const then = rehearse(undefined, [user('hi'), answer('x'), toolResult('1', 'a.txt')], { tools }).played;
    expect(then).toMatchObject({ stopReason: 'end_turn', content: [{ text: expect.stringContaining('a.txt') }] });
  });

  test('it greets and ends where no tool does', () => {
    expect(rehearse(undefined, [user('hi')]).played).toMatchObject({ stopReason: 'end_turn' });
  });
});

test.each([
  [{ turn: [] }, 'config.turn is not a key'],
  [{ turns: [] }, 'config.turns must be a list with at least one turn'],
  [{ turns: [{ says: 'x' }] }, 'config.turns[0].says is not a key'],
  [{ turns: [{ say: 3 }] }, 'config.turns[0].say must be a text, got a number'],
  [{ turns: [{ call: { input: {} } }] }, 'config.turns[0].call.tool must name a tool'],
  [{ turns: [{ call: ['f'] }] }, 'config.turns[0].call[0] must be a mapping with tool and input'],
  [{ turns: [{ say: 'x', repeat: 0 }] }, 'config.turns[0].repeat must be between 1 and 10000, got 0'],
  [{ turns: [{ delay_ms: -1 }] }, 'config.turns[0].delay_ms must be a whole number of at least 0, got -1'],
  [{ turns: [{ expect: [''] }] }, 'config.turns[0].expect must be a text'],
  [{ turns: [{ say: 'x' }], loop: 'yes' }, 'config.loop must be true or false, got a string'],
])('a script with a mistake is refused by key: %j', (script, message) => {
  expect(() => readScript(JSON.stringify(script))).toThrow(message);
});
