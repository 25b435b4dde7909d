import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { decodeFrames } from '../../src/inspect/relay/decode.js';
import { rehearsal, Sandbox } from '../e2e/cli.js';

describe('a message of a session', () => {
  const at = 1_700_000_000_000;
  const of = (frame: object): string => JSON.stringify([{ q: 1, sys: 'ses_1', at, ...frame }]);

  test.each<[string, string, string]>([
    ['is cut short', '[{"type":"ev"', 'is no JSON'],
    ['is one frame outside a list', '{"type":"ev"}', 'is no list of frames'],
    ['holds a number', '[1]', 'has no type'],
    ['holds a frame without a number', '[{"type":"ev"}]', 'has no number'],
    [
      'speaks of another session',
      of({ type: 'gone', sys: 'ses_2', id: 'session', why: 'done' }),
      'speaks of another session',
    ],
    ['speaks of no session', JSON.stringify([{ q: 1, type: 'gone', id: 'session', at }]), "is a 'gone' of no session"],
    ['has an event without a type', of({ type: 'ev', to: 'session', ev: {} }), "is not what a 'ev' is"],
    ['has a snapshot without a state', of({ type: 'snap', id: 'session', by: 'x', tr: [] }), "is not what a 'snap' is"],
    [
      'has an actor that is null',
      of({ type: 'actor', id: 'session', name: 'session', snap: null }),
      "is not what a 'actor' is",
    ],
    ['has a trace line that is text', of({ type: 'trace', line: 'x' }), "is not what a 'trace' is"],
    ['greets in another version', JSON.stringify([{ q: 1, type: 'hello', v: 2 }]), "is not what a 'hello' is"],
  ])('that %s is refused by name', (_, message, reason) => {
    expect(() => decodeFrames(message, 'ses_1')).toThrow(reason);
  });

  test('with a type of a newer sender passes', () => {
    expect(decodeFrames(of({ type: 'weather', temperature: 21 }), 'ses_1')).toHaveLength(1);
  });

  test('whatever it is, is refused with an error of ours or decoded', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (message) => {
        try {
          expect(Array.isArray(decodeFrames(message, 'ses_1'))).toBe(true);
        } catch (error) {
          expect((error as Error).message).toMatch(/^(?:frame \d+ of )?a message /);
        }
      }),
    );
  });
});

describe('mur inspect of an address where something else answers', () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it.each([
    ['no JSON', ['<html>']],
    [
      'frames of another session',
      ['[{"q":1,"type":"hello","v":1}]', '[{"q":2,"type":"gone","sys":"ses_x","id":"a","at":1}]'],
    ],
    ['no greeting', ['[{"q":1,"type":"synced","sys":"SELF","at":1}]']],
  ])('says so, shows the records, and ends: %s', async (_, messages) => {
    sandbox.manifest(rehearsal([{ say: 'word '.repeat(200), delay_ms: 20 }]));
    const started = sandbox.start(['run', '--json', '--task', 'go']);
    const { session_id: sessionId } = JSON.parse(`{"url":${await started.line('{"url":')}`) as { session_id: string };
    const stranger = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => stranger.close());
    await once(stranger, 'listening');
    stranger.on('connection', (socket) => {
      for (const message of messages) socket.send(message.replace('SELF', sessionId));
    });
    const running = join(sandbox.home, '.murmur/running');
    const record = join(running, `${sessionId}.json`);
    const { port } = stranger.address() as AddressInfo;
    writeFileSync(record, readFileSync(record, 'utf8').replace(/localhost:\d+/, `localhost:${port}`));
    writeFileSync(join(running, `${sessionId}.inspect`), 'a-token', { mode: 0o600 });
    const inspecting = sandbox.start(['inspect', sessionId, '--json']);
    await inspecting.seen(() => inspecting.stdout().includes('"trace"'));
    started.child.kill('SIGTERM');
    await started.ended;
    const ran = await inspecting.ended;
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('what listens at the address of this session is no session of mur: ');
    expect(ran.stdout).toContain('something else answers at its address');
    expect(ran.stdout).not.toContain('ses_x');
  });
});
