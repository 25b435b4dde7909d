/** The frames of @statelyai/inspect, read by its own receiver and passed on by its own relay. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { createInspectorServer } from '@statelyai/inspect/server';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createMachine } from 'xstate';
import { murmurHome } from '../../src/home/index.js';
import { bridge } from '../../src/inspect/relay/bridge.js';
import { endedTargets } from '../../src/inspect/relay/index.js';
import { rehearsal, Sandbox } from '../e2e/cli.js';
import { busySession } from './busy.js';
import { hubForTest, Watcher } from './wire.js';

function receive(server: string): StatelyInspectionEvent[] {
  const events: StatelyInspectionEvent[] = [];
  createWebSocketReceiver({ server }).subscribe((event) => events.push(event));
  return events;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

describe('a receiver of @statelyai/inspect', () => {
  it('at the door of a session follows its actors, with the whole definition of each chart', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = busySession('ses_a');
    onTestFinished(() => busy.stop());
    hub.add(busy.subject);
    const events = receive(`ws://127.0.0.1:${port}/inspect?token=${token}`);
    await until(() => events.some(({ type }) => type === '@xstate.actor'));
    await busy.work();
    const call = 'ses_a/session/task:tsk_1/turn:0/tool-call:0';
    await until(() => events.some((event) => event.type === '@xstate.snapshot' && event.sessionId === call));
    const root = events.find((event) => event.type === '@xstate.actor' && event.sessionId === 'ses_a/session');
    expect(root).toMatchObject({ name: 'session ses_a', rootId: 'ses_a/session', _version: '0.7.2' });
    const definition = JSON.parse((root as { definition: string }).definition);
    expect(Object.keys(createMachine(definition).states)).toEqual(['staging', 'running', 'draining', 'ended']);
    const child = events.find((event) => event.type === '@xstate.actor' && event.sessionId === call);
    expect(child).toMatchObject({ name: 'tool-call', parentId: 'ses_a/session/task:tsk_1/turn:0' });
    const done = events.find((event) => event.type === '@xstate.event' && event.sessionId === call);
    expect(done).toMatchObject({ sourceId: `${call}/admit`, event: { type: 'xstate.done.actor.admit' } });
    expect(events.every(({ createdAt }) => Number(createdAt) > 0)).toBe(true);
  });

  it('does not disturb those who speak our frames', async () => {
    const { hub, port, token } = await hubForTest();
    const busy = busySession('ses_a');
    onTestFinished(() => busy.stop());
    hub.add(busy.subject);
    const events = receive(`ws://127.0.0.1:${port}/inspect?token=${token}`);
    const ours = new Watcher(port, token);
    await ours.synced('ses_a');
    await until(() => events.length > 0);
    await busy.work();
    await ours.until(() =>
      ours
        .of('gone')
        .some(({ name, id }: { name?: string; id: string }) => name === undefined && id.endsWith('task:tsk_1')),
    );
    expect(ours.frames.every(({ type }) => !type.startsWith('@xstate'))).toBe(true);
  });
});

describe('a relay of @statelyai/inspect', () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = new Sandbox();
  });
  afterEach(() => sandbox.remove());

  it('takes what mur inspect --bridge sends, and its pages get it', async () => {
    sandbox.manifest(rehearsal([{ say: 'hello' }]));
    await sandbox.run(['run', '--task', 'go']);
    const home = murmurHome({ HOME: sandbox.home });
    const port = await freePort();
    const relay = createInspectorServer({ port, autoOpen: false });
    onTestFinished(() => relay.stop());
    const url = `ws://127.0.0.1:${port}`;
    const options = { home, targets: endedTargets(home), isOpen: false, redactText: (text: string) => text };
    await bridge(options, url, new AbortController().signal);
    const events = receive(url);
    await until(() => events.some(({ type }) => type === '@xstate.snapshot'));
    expect(events.flatMap((event) => (event.type === '@xstate.actor' ? [event.name] : []))).toEqual(
      expect.arrayContaining(['task', 'turn']),
    );
  });

  it('that is not there is an error that says so', async () => {
    const port = await freePort();
    sandbox.manifest(rehearsal([{ say: 'hello' }]));
    const ran = await sandbox.run(['inspect', '--bridge', `ws://127.0.0.1:${port}`]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`the inspector at ws://127.0.0.1:${port} cannot be reached`);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
