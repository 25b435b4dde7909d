import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  assistantMessage,
  createRecorder,
  type Message,
  mendPairs,
  readConversation,
  toolMessage,
  userMessage,
} from '../../src/inference/index.js';

const user = userMessage('Grüße \u{1F600}', 'msg_1');
const assistant = assistantMessage(
  [
    { type: 'text', text: 'Looking.' },
    { type: 'tool_call', id: 'c1', name: 'read', input: {} },
    { type: 'tool_call', id: 'c2', name: 'read', input: {} },
  ],
  'msg_2',
);
const first = toolMessage('c1', 'one', false, 'msg_3');
const second = toolMessage('c2', 'two', true, 'msg_4');
const answer = assistantMessage([{ type: 'text', text: 'Done \u{1F600}' }], 'msg_5');
const all: Message[] = [user, assistant, first, second, answer];
const lines = all.map((message) => JSON.stringify(message));

const bytes = (text: string) => Buffer.from(text);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mur-conversation-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('createRecorder and readConversation (spec/session.md 7.1)', () => {
  test('what is recorded is what is read', () => {
    const file = join(folder, 'round-trip.jsonl');
    const recorder = createRecorder({ writeLine: (line) => appendFileSync(file, `${line}\n`) }, (error) => {
      throw error;
    });
    for (const message of all) recorder.record(message);
    expect(readConversation(readFileSync(file))).toEqual({ messages: all, skipped: [] });
  });

  test('the record keeps what the model does not see', () => {
    const written: string[] = [];
    const recorder = createRecorder({ writeLine: (line) => written.push(line) }, () => undefined);
    recorder.record(first, { fence: 'tool:read' });
    recorder.record(answer, { truncated: true });
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { ...first, fence: 'tool:read' },
      { ...answer, truncated: true },
    ]);
  });

  test('a failing file is reported once and stops nothing', () => {
    const failures: unknown[] = [];
    const recorder = createRecorder(
      {
        writeLine: () => {
          throw new Error('ENOSPC');
        },
      },
      (error) => failures.push(error),
    );
    for (const message of all) recorder.record(message);
    expect(failures).toEqual([new Error('ENOSPC')]);
  });

  test('a first line without a role is the header', () => {
    const { header, messages } = readConversation(bytes(`{"capsule":"local/demo","dropped":2}\n${lines[0]}\n`));
    expect(header).toEqual({ capsule: 'local/demo', dropped: 2 });
    expect(messages).toEqual([user]);
  });

  test('content of any shape is loaded as blocks', () => {
    const line = '{"role":"user","content":"plain","id":"msg_9"}\n';
    expect(readConversation(bytes(line)).messages).toEqual([userMessage('plain', 'msg_9')]);
  });

  test('unknown keys survive', () => {
    const line = '{"role":"user","content":[],"id":"msg_9","later":1}\n';
    expect(readConversation(bytes(line)).messages[0]).toHaveProperty('later', 1);
  });
});

describe('a damaged record (cases/reports row 71)', () => {
  const whole = bytes(`${lines.join('\n')}\n`);
  const lastTwo = whole.length - bytes(`${lines.slice(-2).join('\n')}\n`).length;

  test('cut at every byte of the last two lines it gives all whole lines', () => {
    for (let cut = lastTwo; cut <= whole.length; cut += 1) {
      const text = whole.subarray(0, cut);
      const loaded = readConversation(text);
      const complete = lines.filter((_, index) => cut >= bytes(lines.slice(0, index + 1).join('\n')).length).length;
      expect(loaded.messages).toEqual(all.slice(0, complete));
      const torn = cut !== bytes(lines.slice(0, complete).join('\n')).length && text.at(-1) !== 0x0a;
      expect(loaded.skipped.length).toBe(torn ? 1 : 0);
    }
  });

  test('a torn line followed by a new one loses only itself', () => {
    const file = join(folder, 'torn.jsonl');
    writeFileSync(file, `${lines[0]}\n${lines[1]!.slice(0, 20)}\n${lines[4]}\n`);
    const loaded = readConversation(readFileSync(file));
    expect(loaded.messages).toEqual([user, answer]);
    expect(loaded.skipped).toEqual([{ line: 2, reason: 'not JSON' }]);
  });

  test('NUL padding in the middle loses nothing else', () => {
    const nuls = '\0'.repeat(300);
    const own = readConversation(bytes(`${lines[0]}\n${nuls}\n${lines[4]}\n`));
    expect(own.messages).toEqual([user, answer]);
    expect(own.skipped).toEqual([{ line: 2, reason: 'NUL padding' }]);
    expect(readConversation(bytes(`${lines[0]}\n${nuls}${lines[4]}\n`)).messages).toEqual([user, answer]);
  });

  test.each([
    ['[]', 'not a JSON object'],
    ['{"role":"system","content":[],"id":"m"}', 'not a message'],
    ['{"role":"tool","content":[],"id":"m"}', 'not a message'],
    ['{"role":"user","content":[]}', 'not a message'],
  ])('%s is skipped', (line, reason) => {
    expect(readConversation(bytes(`${lines[0]}\n${line}\n`)).skipped).toEqual([{ line: 2, reason }]);
  });

  test('a line that nests deeper than it could be written again is skipped', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const record = bytes(`${lines[0]}\n{"role":"user","id":"m","content":[],"extra":${deep}}\n${lines[4]}\n`);
    expect(readConversation(record)).toEqual({
      messages: [user, answer],
      skipped: [{ line: 2, reason: 'nested too deeply' }],
    });
  });

  test('a cut character is skipped, blank lines and an empty file are nothing', () => {
    const cut = Buffer.concat([bytes('{"role":"user","id":"m","content":"'), Buffer.from([0xf0, 0x9f]), bytes('"}\n')]);
    expect(readConversation(cut)).toEqual({ messages: [], skipped: [{ line: 1, reason: 'not UTF-8' }] });
    expect(readConversation(bytes('\n\n'))).toEqual({ messages: [], skipped: [] });
    expect(readConversation(bytes(''))).toEqual({ messages: [], skipped: [] });
  });
});

describe('mendPairs', () => {
  test('leaves a whole conversation as it is', () => {
    expect(mendPairs(all)).toEqual(all);
  });

  test('answers a call whose result was never recorded, in call order, as an error', () => {
    const mended = mendPairs([user, assistant, second]);
    expect(mended.map((message) => (message.role === 'tool' ? message.tool_call_id : message.role))).toEqual([
      'user',
      'assistant',
      'c1',
      'c2',
    ]);
    expect(mended[2]).toMatchObject({ is_error: true });
    expect(mended[3]).toBe(second);
  });

  test('drops answers without a call and second answers', () => {
    expect(mendPairs([first, user, assistant, first, second, first, answer, second])).toEqual(all);
  });
});
