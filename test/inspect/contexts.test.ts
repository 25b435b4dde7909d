/** A context id is a name a caller chose: it opens the conversation of this capsule, and never that of another. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rehearsal, Sandbox } from '../e2e/cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const words = 'the first capsule said this';
const threaded = { lifecycle: { conversation: 'threaded' } };
const shared = ['--context', 'ctx_shared'];

/** How many messages the model got in the newest session's first call. */
function told(): number {
  const calls = sandbox.trace().filter(({ event_type: type }) => type === 'inference');
  return (calls[0]!.message_ids as unknown[]).length;
}

it('another capsule that brings the same context starts afresh; the same capsule goes on', async () => {
  const first = rehearsal([{ say: words }], threaded);
  sandbox.manifest(first);
  await sandbox.run(['run', '--task', 'one', ...shared]);
  expect(told()).toBe(1);
  await sandbox.run(['run', '--task', 'two', ...shared]);
  expect(told()).toBe(3);
  sandbox.manifest(rehearsal([{ say: 'I know nothing.' }], { ...threaded, name: 'other' }));
  await sandbox.run(['run', '--task', 'three', ...shared]);
  expect(told()).toBe(1);
  const kept = (name: string) =>
    readFileSync(join(sandbox.home, '.murmur/conversations', name, 'ctx_shared/conversation.jsonl'), 'utf8');
  expect(kept('other')).not.toContain(words);
  expect(kept('sample')).toContain(words);
});

it.each([
  ['that records its own', {}],
  ['that records none', { context: { record: 'off' } }],
])('whoever looks at a capsule %s sees nothing of another that used the context meanwhile', async (_, more) => {
  sandbox.manifest(rehearsal([{ say: 'word '.repeat(150), delay_ms: 20 }], { ...more, name: 'other' }));
  const watched = sandbox.start(['run', '--inspect', '--json', '--task', 'three', ...shared]);
  const { session_id: sessionId } = JSON.parse(`{"url":${await watched.line('{"url":')}`) as { session_id: string };
  const live = sandbox.start(['inspect', sessionId, '--json']);
  await live.seen(() => live.stdout().includes('"hello"'));
  sandbox.write('first/murmur.yaml', rehearsal([{ say: words }]));
  await sandbox.run(['run', '--manifest', join(sandbox.root, 'first/murmur.yaml'), '--task', 'one', ...shared]);
  await watched.ended;
  const frames = (await live.ended).stdout;
  const later = (await sandbox.run(['inspect', sessionId, '--json'])).stdout;
  await sandbox.run(['replay', sessionId, '--export', 'sent.murbundle']);
  const bundle = readFileSync(join(sandbox.project, 'sent.murbundle'), 'utf8');
  for (const text of [frames, later, bundle]) {
    expect(text.length).toBeGreaterThan(1_000);
    expect(text).not.toContain(words);
  }
});
