import { afterAll, expect, test } from 'vitest';
import { request, user } from '../driver/turn.js';
import { openArtifacts } from './host.js';

const host = openArtifacts();
afterAll(() => host[Symbol.asyncDispose]());

const config = (script: object) => ({ env: { MURMUR_INFERENCE_DRIVER_CONFIG: JSON.stringify(script) } });
const play = (script: object, deadlineMs = 20_000) =>
  host.call('mur-driver-rehearsal', request('rehearsal', [user('hi')]), { ...config(script), deadlineMs });

test('streams while it plays, and answers with what it streamed', async () => {
  const outcome = await play({ turns: [{ think: 'hm →', say: 'Hello 😀 there', call: { tool: 'f' } }] });
  expect(outcome).toMatchObject({ status: 'returned', result: { status: 'passed' } });
  const events = outcome.events.filter(({ type }) => type !== 'started');
  expect(events).toEqual([
    { type: 'thinking', text: 'hm ' },
    { type: 'thinking', text: '→' },
    { type: 'chunk', text: 'Hello ' },
    { type: 'chunk', text: '😀 ' },
    { type: 'chunk', text: 'there' },
    { type: 'tool-call-started', id: 'call_1_1', name: 'f' },
    { type: 'tool-call-input-bytes', id: 'call_1_1', bytes: 2 },
  ]);
});

test('keeps the pace the script asks for', async () => {
  const outcome = await play({ turns: [{ say: 'one two three four', delay_ms: 25 }] });
  expect(outcome.durationMs).toBeGreaterThanOrEqual(100);
});

test('fails in both signals when the script says so', async () => {
  const outcome = await play({ turns: [{ error: 'provider down' }] });
  expect(outcome).toMatchObject({
    status: 'returned',
    result: { status: 'error', summary: 'provider down', data: '{"stop_reason":"error","error":"provider down"}' },
  });
});

test('traps when the script says so, and the reason is on its stderr', async () => {
  const outcome = await play({ turns: [{ crash: true }] });
  expect(outcome).toMatchObject({ status: 'failed', failure: { kind: 'trap' } });
  expect(outcome.stderr).toContain('the rehearsal script asked for a crash');
});

test('is stopped by its deadline while it waits between words', async () => {
  const outcome = await play({ turns: [{ say: 'never', delay_ms: 60_000 }] }, 300);
  expect(outcome).toMatchObject({ status: 'failed', failure: { kind: 'deadline' } });
});
