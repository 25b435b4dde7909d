import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rehearsal } from '../e2e/cli.js';
import { startAnthropic } from '../fixtures/provider/index.js';
import { Library, type Line } from './run.js';
import { expectTraceRules } from './trace-rules.js';

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

const calls = {
  write: { tool: 'mur-tool-files', input: { action: 'write', path: 'a.txt', content: 'one' } },
  missing: { tool: 'mur-tool-files', input: { path: 'a.txt' } },
  fails: { tool: 'mur-tool-files', input: { action: 'read', path: 'nowhere.txt' } },
  malformed: { tool: 'mur-tool-files', input: '{"action":' },
  unknown: { tool: 'nobody', input: {} },
  skill: { tool: 'mur-skill-report' },
} as const;

const artifacts = [
  { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
  { name: 'mur-tool-files', version: '0.1.0' },
  { name: 'mur-skill-report', version: '0.1.0', runtime: 'skill' },
];
const play = (turns: readonly unknown[], more: object = {}): string => rehearsal(turns, { artifacts, ...more });
const only = (lines: readonly Line[], type: string): Line[] => lines.filter(({ event_type }) => event_type === type);

describe('the trace of a finished session (spec/trace.md 12)', () => {
  test('12.1 golden: every line of a scripted session, in order, in one tree', { timeout: 60_000 }, async () => {
    const { lines, result } = await library.run(play([{ call: Object.values(calls) }, { say: 'done' }]));
    expect(result.error).toBeUndefined();
    expectTraceRules(lines);
    expect(lines.map(({ event_type, status }) => [event_type, ...(status === undefined ? [] : [status])])).toEqual([
      ['session_start'],
      ['task_start'],
      ['inference'],
      ['tool_call', 'ok'],
      ['tool_input_refused'],
      ['tool_call', 'error'],
      ['tool_call', 'error'],
      ['tool_call', 'error'],
      ['tool_call', 'error'],
      ['skill_call', 'ok'],
      ['inference'],
      ['task_end'],
      ['session_end'],
    ]);
    expect(only(lines, 'task_start')[0]).toMatchObject({ source: 'task_md', origin: 'user', message_parts_bytes: 2 });
    expect(only(lines, 'inference')).toMatchObject([
      { turn: 0, decision: 'tool_call', stop_reason: 'tool_call', tool_name: 'mur-tool-files' },
      { turn: 1, decision: 'end_turn', stop_reason: 'end_turn', tool_name: null },
    ]);
  });

  test('12.2 whatever a session does, its lines keep the order and its totals are sums', {
    timeout: 120_000,
  }, async () => {
    const call = fc.constantFrom(...Object.values(calls));
    const ending = fc.constantFrom<object>(
      { say: 'done' },
      { say: 'cut', stop_reason: 'max_tokens', call: calls.write },
      { error: 'asleep' },
      { crash: true },
      { say: 'x', stop_reason: 'pause' },
      { raw: 'no JSON' },
    );
    const script = fc.tuple(fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { maxLength: 3 }), ending);
    await fc.assert(
      fc.asyncProperty(script, fc.integer({ min: 1, max: 4 }), async ([turns, last], maxTurns) => {
        const config = { turns: [...turns.map((asked) => ({ call: asked })), last] };
        const inference = { model: 'rehearsal', max_turns: maxTurns, driver: { artifact: artifacts[0]!.name, config } };
        const { lines } = await library.run(play([], { inference }));
        expectTraceRules(lines);
      }),
      { numRuns: 12 },
    );
  });

  test.each([
    ['an error the driver reports', { error: 'asleep' }, { error_code: 'driver_error' }, 'error', false],
    ['a driver that traps', { crash: true }, { error_code: 'driver_failed' }, 'error', false],
    ['an answer that is no JSON', { raw: 'no JSON' }, { error_code: 'malformed_response' }, 'error', false],
    ['an unsupported stop_reason', { say: 'x', stop_reason: 'pause' }, { stop_reason: 'pause' }, 'text', true],
  ])(
    '12.3 %s: one inference line, tokens and turn as the table of section 6 says',
    async (_, turn, more, decision, counts) => {
      const { lines } = await library.run(play([{ call: calls.write }, turn]));
      expectTraceRules(lines);
      const failed = only(lines, 'inference')[1]!;
      expect(failed).toMatchObject({ turn: 1, decision, ...more });
      expect([failed.input_tokens !== undefined, failed.output_tokens !== undefined]).toEqual([counts, counts]);
      expect(only(lines, 'task_failed')).toMatchObject([{ turn: 1 }]);
      expect(only(lines, 'task_end')).toMatchObject([{ turns: counts ? 2 : 1, exit_status: 'failed' }]);
    },
  );

  test('12.3 a task that fails before its first turn names none', async () => {
    const { lines } = await library.run(play([{ say: 'never' }]), { task: ' ' });
    expectTraceRules(lines);
    expect(only(lines, 'inference')).toEqual([]);
    expect(only(lines, 'task_failed')[0]).not.toHaveProperty('turn');
  });
});

describe('12.4 capture (spec/trace.md 5)', () => {
  const turns = [{ call: calls.write }, { call: calls.write }, { say: 'done' }];
  const hashes = ['system_sha', 'tools_sha', 'response_sha', 'message_shas'];
  const hashKeys = (line: Line): string[] => Object.keys(line).filter((key) => hashes.includes(key));

  test('none keeps no hash and no output', async () => {
    const { lines } = await library.run(play(turns, { trace: { capture: 'none' } }));
    for (const line of only(lines, 'inference')) {
      expect(hashKeys(line)).toEqual([]);
      expect(line).toHaveProperty('message_ids');
    }
    for (const line of only(lines, 'tool_call')) expect(line).not.toHaveProperty('output');
  });

  test('meta, the default, keeps hashes; prompt and tools hash alike in every turn of an unchanged inventory', async () => {
    const { lines, result } = await library.run(play(turns));
    const inferences = only(lines, 'inference');
    for (const line of inferences) {
      expect(hashKeys(line).sort()).toEqual([...hashes].sort());
      expect(line.message_ids).toHaveLength((line.message_shas as string[]).length);
    }
    expect(new Set(inferences.map((line) => `${line.system_sha} ${line.tools_sha}`)).size).toBe(1);
    expect(readdirSync(result.recordsDir!)).not.toContain('blobs');
  });

  test('content keeps the bytes under their hash, the fenced output, and says at the end how much that is', async () => {
    const { lines, result, notices } = await library.run(play(turns, { trace: { capture: 'content' } }));
    const blobs = readdirSync(join(result.recordsDir!, 'blobs'));
    const bytes = blobs.map((name) => readFileSync(join(result.recordsDir!, 'blobs', name)));
    expect(bytes.map((blob) => createHash('sha256').update(blob).digest('hex'))).toEqual(blobs);
    const named = only(lines, 'inference').flatMap((line) => hashes.flatMap((key) => line[key] as string | string[]));
    expect([...new Set(named)].sort()).toEqual([...blobs].sort());
    for (const line of only(lines, 'tool_call')) {
      expect(line.output).toMatch(/^<untrusted-content source=tool:mur-tool-files>\n/);
      expect(line.output_bytes).toBe(Buffer.byteLength(line.output as string));
    }
    const total = bytes.reduce((sum, blob) => sum + blob.length, 0);
    expect(notices).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringContaining(` ${total} bytes `) }),
    );
  });
});

test('an answer cut off at the output cap is ok and says that it is a fragment', async () => {
  const { notices, result } = await library.run(play([{ say: 'half', stop_reason: 'max_tokens' }]));
  expect(result).toMatchObject({ status: 'ok', answer: 'half' });
  expect(notices).toContainEqual(expect.objectContaining({ type: 'warning', code: 'W-RUN-001' }));
});

test('an answer, and its text as it comes, hold no key of this session, even when the provider says it', {
  timeout: 60_000,
}, async () => {
  const key = 'sk-spoken-aloud';
  const server = await startAnthropic({ apiKey: key, answers: [{ text: `it is ${key}` }] });
  try {
    const gateway = { endpoint: server.url, api_key: key };
    const driver = { name: 'mur-driver-anthropic', version: '0.1.0', runtime: 'driver', gateway };
    const inference = { model: 'claude-haiku-4-5', max_tokens: 1024, driver: { artifact: driver.name } };
    const { result, notices } = await library.run(play([], { artifacts: [driver], inference }));
    expect(result).toMatchObject({ status: 'ok', answer: 'it is [redacted]' });
    // The provider sends it in three pieces, and none of them holds the whole key.
    const heard = notices.flatMap((notice) => (notice.type === 'text.chunk' ? [notice.text] : []));
    expect(heard.join('')).toBe('it is [redacted]');
    expect(readFileSync(join(result.recordsDir!, 'out/result.txt'), 'utf8')).toBe('it is [redacted]');
  } finally {
    await server.stop();
  }
});

test('what retention removed is told right after session_start, and is gone', async () => {
  const trace = { retain: { max_sessions: 2 } };
  const before = [await library.run(play([{ say: 'one' }])), await library.run(play([{ say: 'two' }]))];
  const { lines, result } = await library.run(play([{ say: 'three' }], { trace }));
  expectTraceRules(lines);
  expect(lines[1]).toMatchObject({ event_type: 'retention', store: 'sessions' });
  expect(lines[1]!.targets).toContain(before[0]!.result.sessionId);
  expect(lines[1]!.removed).toBe((lines[1]!.targets as string[]).length);
  expect(before.map(({ result: old }) => existsSync(old.recordsDir!))).toEqual([false, true]);
  expect(existsSync(result.recordsDir!)).toBe(true);
});
