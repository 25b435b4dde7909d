import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/errors/index.js';
import {
  type DriverFailure,
  type DriverReply,
  type ReadOptions,
  readDriverCall,
  readResponse,
  readUsage,
  redactor,
} from '../../src/inference/index.js';
import type { ToolResult } from '../../workers/protocol.js';

function passed(body: unknown, more: Partial<ToolResult> = {}): ToolResult {
  const data = typeof body === 'string' ? body : JSON.stringify(body);
  return { status: 'passed', data, truncated: false, metadata: [], ...more };
}

function reply(body: unknown, options: ReadOptions = {}, more: Partial<ToolResult> = {}): DriverReply {
  const outcome = readResponse(passed(body, more), options);
  if (outcome.status !== 'ok') throw new Error(`failed: ${outcome.message}`);
  return outcome;
}

function failed(result: ToolResult, options: ReadOptions = {}): DriverFailure {
  const outcome = readResponse(result, options);
  if (outcome.status !== 'failed') throw new Error('expected a failure');
  return outcome;
}

const call = (more: Record<string, unknown> = {}) => ({
  type: 'tool_call',
  id: 'call_1',
  name: 'read',
  input: { path: 'a' },
  ...more,
});
const counter = () => {
  let next = 0;
  return () => {
    next += 1;
    return `minted_${next}`;
  };
};

describe('readResponse: stop reasons (spec/drivers.md section 4)', () => {
  test('tool_call gives every call in order, with the text beside it', () => {
    const outcome = reply({
      stop_reason: 'tool_call',
      content: [
        { type: 'thinking', text: 'hm', signature: 's' },
        { type: 'text', text: 'Looking.' },
        call(),
        call({ id: 'call_2', name: 'list', input: {} }),
      ],
    });
    expect(outcome).toMatchObject({ decision: 'tool_call', text: 'Looking.', toolName: 'read' });
    expect(outcome.calls).toEqual([
      { id: 'call_1', name: 'read', input: { path: 'a' }, inputText: '{"path":"a"}' },
      { id: 'call_2', name: 'list', input: {}, inputText: '{}' },
    ]);
  });

  test('well-formed blocks come back exactly as the driver gave them', () => {
    const content = [{ type: 'thinking', text: 't', signature: 's' }, call({ extra: 1 }), { type: 'new', a: [1] }];
    expect(reply({ stop_reason: 'tool_call', content }).content).toEqual(content);
  });

  test.each([
    ['end_turn', 'end_turn'],
    ['max_tokens', 'text'],
  ])('%s finishes with the text blocks joined; decision %s', (stop, decision) => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'thinking', text: 'no' },
      { type: 'text', text: 'b' },
    ];
    expect(reply({ stop_reason: stop, content })).toMatchObject({ decision, text: 'a\nb', calls: [], toolName: null });
  });

  test.each([
    [{ content: [] }, '', 'the driver gave no stop_reason'],
    [{ stop_reason: null, content: [] }, '', 'the driver gave no stop_reason'],
    [{ stop_reason: 'pause', content: [] }, 'pause', "unsupported stop_reason 'pause'"],
  ])('%j is malformed and still counts as a turn', (body, stopReason, message) => {
    expect(failed(passed({ ...body, usage: { input_tokens: 5 } }))).toMatchObject({
      errorCode: 'malformed_response',
      message,
      stopReason,
      counted: true,
      decision: 'text',
      usage: { inputTokens: 5 },
    });
  });

  test('tool_call without a tool_call block is malformed', () => {
    expect(failed(passed({ stop_reason: 'tool_call', content: [{ type: 'text', text: 'x' }] }))).toMatchObject({
      errorCode: 'malformed_response',
      decision: 'tool_call',
      counted: true,
    });
  });

  test.each([
    ['missing', undefined, []],
    ['a string', 'hello', [{ type: 'text', text: 'hello' }]],
    ['an object', { type: 'text' }, []],
    ['half blocks', [1, 'x', null, { text: 'x' }, { type: 'text', text: 'kept' }], [{ type: 'text', text: 'kept' }]],
  ])('content that is %s is normalised', (_, content, expected) => {
    expect(reply({ stop_reason: 'end_turn', content }).content).toEqual(expected);
  });
});

describe('readResponse: failures (spec/drivers.md section 9.1)', () => {
  const errorBody = { stop_reason: 'error', error: 'HTTP 500: no' };

  test.each<[string, ToolResult, string]>([
    ['both signals', passed(errorBody, { status: 'error', summary: 'HTTP 500: no' }), 'HTTP 500: no'],
    ['the stop reason alone', passed(errorBody), 'HTTP 500: no'],
    ['the status alone', passed({ stop_reason: 'end_turn', content: [] }, { status: 'failed', summary: 'why' }), 'why'],
    ['plain text data', passed('boom', { status: 'error', summary: 'other' }), 'boom'],
    ['a summary only', { status: 'error', summary: 'why', truncated: false, metadata: [] }, 'why'],
    ['nothing', { status: 'error', truncated: false, metadata: [] }, 'the driver reported an error without a text'],
    ['a blank error', passed({ stop_reason: 'error', error: ' ' }, { summary: 'why' }), 'why'],
  ])('%s is driver_error with the driver’s words', (_, result, message) => {
    expect(failed(result)).toMatchObject({ errorCode: 'driver_error', message, decision: 'error', counted: false });
  });

  test.each<[string, ToolResult]>([
    ['no body', { status: 'passed', truncated: false, metadata: [] }],
    ['no JSON', passed('<html>')],
    ['empty data beside a summary', passed('', { summary: '{}' })],
    ['a list', passed('[]')],
    ['null', passed('null')],
    ['cut JSON', passed('{"stop_reason":"end_t')],
  ])('success with %s is malformed_response', (_, result) => {
    expect(failed(result)).toMatchObject({
      errorCode: 'malformed_response',
      decision: 'error',
      counted: false,
      stopReason: '',
    });
  });

  test('a summary serves as body when there is no data', () => {
    const outcome = readResponse({
      status: 'passed',
      summary: '{"stop_reason":"end_turn","content":[]}',
      truncated: false,
      metadata: [],
    });
    expect(outcome).toMatchObject({ status: 'ok', rawText: '{"stop_reason":"end_turn","content":[]}' });
  });

  test('keeps the provider’s status and replaces the text of a rejected credential', () => {
    expect(failed(passed(errorBody), { providerStatus: 401, credentialRejected: 'E-RUN-027 text' })).toMatchObject({
      errorCode: 'credential_rejected',
      message: 'E-RUN-027 text',
      providerStatus: 401,
    });
  });

  test('a component that did not return is driver_failed', () => {
    const report = { stdout: '', stderr: '', outputTruncated: false, durationMs: 1 };
    const failure = { kind: 'deadline', message: 'exceeded its 600s deadline' } as const;
    expect(readDriverCall({ status: 'failed', failure, ...report })).toMatchObject({
      errorCode: 'driver_failed',
      message: 'exceeded its 600s deadline',
      counted: false,
    });
    expect(readDriverCall({ status: 'returned', result: undefined, ...report })).toMatchObject({
      errorCode: 'malformed_response',
    });
  });

  test('messages are cut to 2000 bytes between two characters', () => {
    for (let pad = 0; pad < 4; pad += 1) {
      const { message } = failed(passed({ stop_reason: 'error', error: 'x'.repeat(pad) + '\u{1F600}'.repeat(1000) }));
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2000);
      expect(Buffer.byteLength(message)).toBeGreaterThan(1996);
      expect(message).not.toContain('\uFFFD');
    }
  });

  test('a credential never survives as the half in front of the cut', () => {
    const redact = redactor([new Secret('sk-secret-key')]);
    const { message } = failed(passed({ stop_reason: 'error', error: `${'x'.repeat(1992)}sk-secret-key` }), { redact });
    expect(message).toBe(`${'x'.repeat(1992)}[redacte`);
    const nonJson = failed(passed(`${'x'.repeat(195)}sk-secret-key`), { redact });
    expect(nonJson.message).not.toContain('sk-');
  });

  test('never throws, whatever a driver returns', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .record({
              stop_reason: fc.constantFrom('tool_call', 'end_turn', 'max_tokens', 'error', 7),
              content: fc.oneof(
                fc.anything(),
                fc.array(
                  fc.record({
                    type: fc.constantFrom('tool_call', 'text'),
                    id: fc.anything(),
                    name: fc.anything(),
                    input: fc.anything(),
                  }),
                ),
              ),
              usage: fc.anything(),
            })
            .map((body) => JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? 1 : value))),
        ),
        fc.constantFrom('passed' as const, 'failed' as const, 'error' as const),
        (data, status) => {
          const outcome = readResponse(passed(data, { status }));
          expect(Buffer.byteLength(outcome.status === 'failed' ? outcome.message : '')).toBeLessThanOrEqual(2000);
        },
      ),
    );
  });
});

describe('tool calls that must not run (cases/reports rows 56 and 58)', () => {
  test.each<[string, unknown, string]>([
    ['cut JSON text', '{"path":"a', 'the text "{\\"path\\":\\"a"'],
    ['a list', [], '[]'],
    ['null', null, 'null'],
    ['a number', 7, '7'],
    ['true', true, 'true'],
    ['a missing input', undefined, 'missing'],
    ['an empty text', '', 'the text ""'],
    ['text that holds a list', '[1]', 'the text "[1]"'],
    ['text that holds null', 'null', 'the text "null"'],
  ])('%s is refused with the call id and never becomes {} for a tool', (_, input, found) => {
    const outcome = reply({ stop_reason: 'tool_call', content: [call({ input })] });
    const read = outcome.calls[0];
    expect(read).toMatchObject({ id: 'call_1', refused: { kind: 'malformed' } });
    expect(read?.refused?.message).toContain(`(it is ${found})`);
    expect(read?.inputText).not.toBe('{}');
    expect(outcome.content[0]).toMatchObject({ type: 'tool_call', id: 'call_1', name: 'read', input: {} });
  });

  test('one malformed call does not stop its neighbours', () => {
    const { calls } = reply({ stop_reason: 'tool_call', content: [call({ input: '{"a' }), call({ id: 'call_2' })] });
    expect(calls.map((read) => read.refused?.kind)).toEqual(['malformed', undefined]);
  });

  test('text that holds an object runs, handed on as it is, and is an object in the history', () => {
    const outcome = reply({ stop_reason: 'tool_call', content: [call({ input: ' {"path": "a"} ' })] });
    expect(outcome.calls[0]).toEqual({
      id: 'call_1',
      name: 'read',
      input: { path: 'a' },
      inputText: ' {"path": "a"} ',
    });
    expect(outcome.content[0]).toEqual(call());
  });

  test('calls of a response cut at max_tokens are marked truncated, complete ones too', () => {
    const outcome = reply({ stop_reason: 'max_tokens', content: [call(), call({ id: 'call_2', input: '{"pa' })] });
    expect(outcome.calls.map((read) => read.refused?.kind)).toEqual(['truncated', 'truncated']);
    expect(outcome.decision).toBe('text');
    expect(outcome.content[1]).toMatchObject({ input: {} });
  });

  test('calls beside end_turn are not run either', () => {
    const outcome = reply({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'done' }, call()] });
    expect(outcome.calls[0]?.refused?.kind).toBe('unrequested');
    expect(outcome.text).toBe('done');
  });

  test('a repeated, blank or missing id is replaced in the call and in the block', () => {
    const content = [call(), call({ id: 'call_1' }), call({ id: ' ' }), call({ id: undefined }), call({ id: 4 })];
    const outcome = reply({ stop_reason: 'tool_call', content }, { mintCallId: counter() });
    const ids = ['call_1', 'minted_1', 'minted_2', 'minted_3', 'minted_4'];
    expect(outcome.calls.map((read) => read.id)).toEqual(ids);
    expect(outcome.content.map((block) => block.id)).toEqual(ids);
    expect(outcome.calls.every((read) => read.refused === undefined)).toBe(true);
  });

  test('minted ids differ', () => {
    const { calls } = reply({ stop_reason: 'tool_call', content: [call({ id: '' }), call({ id: '' })] });
    expect(calls[0]?.id).toMatch(/^call_mur_[0-9a-f]{24}$/);
    expect(calls[0]?.id).not.toBe(calls[1]?.id);
  });

  test.each([[''], [undefined], [7]])('a call named %j is refused', (name) => {
    const { calls } = reply({ stop_reason: 'tool_call', content: [call({ name })] });
    expect(calls[0]).toMatchObject({ name: 'unnamed', refused: { kind: 'malformed' } });
  });

  test.each([
    ['as JSON', (deep: string) => deep],
    ['as text', (deep: string) => JSON.stringify(deep)],
  ])(
    'input nested deeper than the serialiser can go, given %s, is refused alone and can be written down',
    (_, form) => {
      const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
      const block = `{"type":"tool_call","id":"c","name":"n","input":${form(deep)}}`;
      const outcome = reply(`{"stop_reason":"tool_call","content":[${block},${JSON.stringify(call())}]}`);
      expect(outcome.calls.map((read) => read.refused?.kind)).toEqual(['malformed', undefined]);
      expect(() => JSON.stringify(outcome)).not.toThrow();
    },
  );

  test('a block that nests too deep elsewhere is a malformed response', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const outcome = failed(passed(`{"stop_reason":"end_turn","content":[{"type":"image","source":${deep}}]}`));
    expect(outcome).toMatchObject({ errorCode: 'malformed_response', message: expect.stringContaining('256 levels') });
  });
});

describe('usage and continuation', () => {
  test.each<[unknown, object]>([
    [
      { input_tokens: 812, output_tokens: 44, cached_tokens: 700, cache_write_tokens: 0, thinking_tokens: 3 },
      { inputTokens: 812, outputTokens: 44, cachedTokens: 700, cacheWriteTokens: 0, thinkingTokens: 3 },
    ],
    [{ input_tokens: -1, output_tokens: 1.5, cached_tokens: '7', cache_write_tokens: null }, {}],
    [{ input_tokens: 0, output_tokens: 1e300 }, { inputTokens: 0 }],
    [{ input_tokens: 1, other: 5 }, { inputTokens: 1 }],
    [[1, 2], {}],
    ['12', {}],
    [null, {}],
    [undefined, {}],
    [Object.create({ input_tokens: 4 }), {}],
  ])('usage %j reads as %j', (value, usage) => {
    expect(readUsage(value)).toEqual(usage);
  });

  test.each<[ToolResult['metadata'], string | undefined]>([
    [
      [
        ['continuation_id', 'r1'],
        ['continuation_id', 'r2'],
      ],
      'r1',
    ],
    [
      [
        ['continuation_id', ''],
        ['continuation_id', 'r2'],
      ],
      undefined,
    ],
    [[['other', 'x']], undefined],
    [[], undefined],
  ])('metadata %j gives continuation %j', (metadata, id) => {
    expect(reply({ stop_reason: 'end_turn', content: [] }, {}, { metadata }).continuationId).toBe(id);
  });
});
