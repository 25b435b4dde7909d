import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Frame, parseFrame } from '../door/stream/client.js';
import { rehearsal } from '../e2e/cli.js';
import { Library } from './run.js';

let library: Library;
beforeAll(() => {
  library = new Library();
});
afterAll(() => library.close());

/** Every frame of `stream/watch`, from the first event of the session to its end. */
async function watch(url: string): Promise<Frame[]> {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/watch', params: {} }),
  });
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map(parseFrame).filter(({ comment }) => comment === undefined);
}

/** Runs that agent once, and gives every frame of it. */
async function watchedRun(manifest: string): Promise<{ readonly event?: string; readonly data?: Frame['data'] }[]> {
  let frames: Promise<Frame[]> | undefined;
  await library.run(
    manifest,
    {},
    {
      onNotice: (notice) => {
        if (notice.type === 'door.listening') frames = watch(notice.url);
      },
    },
  );
  return (await frames!).map(({ event, data }) => ({ ...(event === undefined ? {} : { event }), data }));
}

describe('the final status of a task without an answer (spec/door.md 15.3)', () => {
  const call = { tool: 'mur-tool-files', input: { action: 'list' } };
  test.each([
    ['out of turns', [{ call: [call] }, { call: [call] }], /^max_turns exceeded: the task used all 2 inference turns$/],
    ['a driver that trapped', [{ crash: true }], /^driver invocation failed: ./],
  ])('%s', { timeout: 60_000 }, async (_name, turns, message) => {
    const driver = { artifact: 'mur-driver-rehearsal', config: { turns } };
    const told = await watchedRun(rehearsal([], { inference: { model: 'rehearsal', driver, max_turns: 2 } }));
    expect(told.filter(({ data }) => data.final && data.status).map(({ data }) => data.status)).toEqual([
      { state: 'failed', message: expect.stringMatching(message) },
    ]);
  });
});

test('a live session tells of its turns, the call it made, the answer, and its end', { timeout: 120_000 }, async () => {
  const call = { tool: 'mur-tool-files', input: { action: 'list' }, id: 'call-1' };
  const turns = [{ say: 'I look.', call: [call] }, { say: 'All there.' }];
  const told = await watchedRun(rehearsal(turns));
  const of = (type: string) => told.filter(({ event }) => event === type).map(({ data }) => data);
  expect(of('status').map(({ status, final }) => [status.state, status.message, final])).toEqual([
    ['working', 'inference turn 1', false],
    ['working', 'inference turn 2', false],
    ['completed', 'session ended', true],
  ]);
  expect(of('tool-call-started')).toMatchObject([{ tool_call_id: 'call-1', tool_name: 'mur-tool-files' }]);
  expect(of('tool-call-progress').at(-1)).toMatchObject({ tool_call_id: 'call-1', input_bytes: expect.any(Number) });
  expect(of('artifact')).toMatchObject([
    {
      artifact: { tool_name: 'mur-tool-files', fence_source: 'tool:mur-tool-files', is_error: false, exit_code: null },
    },
  ]);
  const texts = of('text');
  expect(texts.map(({ text }) => text).join('')).toBe('I look.All there.');
  expect(texts.filter(({ final }) => final)).toHaveLength(2);
  expect(told[0]!.event).toBe('connection-ack');
  expect(told.at(-1)!.event).toBe('capsule-closed');
});
