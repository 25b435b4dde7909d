/** A whole session under `mur run --inspect`, watched from its first step to its last. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rehearsal, Sandbox, type Started } from '../e2e/cli.js';
import { every, startAnthropic } from '../fixtures/provider/index.js';
import { Watcher } from './wire.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

interface Ready {
  readonly started: Started;
  readonly sessionId: string;
  readonly port: number;
  readonly token: string;
}

async function inspected(args: string[] = [], env: Record<string, string> = {}): Promise<Ready> {
  const started = sandbox.start(['run', '--inspect', '--json', '--task', 'go', ...args], env);
  const ready = JSON.parse(`{"url":${await started.line('{"url":')}`) as { url: string; session_id: string };
  return {
    started,
    sessionId: ready.session_id,
    port: Number(ready.url.split(':')[1]),
    token: readFileSync(join(running(), `${ready.session_id}.inspect`), 'utf8'),
  };
}

const running = () => join(sandbox.home, '.murmur', 'running');

const list = { call: { tool: 'mur-tool-files', input: { action: 'list' } } };

describe('mur run --inspect', () => {
  it('shows a session: staging, charts, trace, conversation, and how it ended', async () => {
    sandbox.manifest(
      rehearsal([
        { think: 'a look', say: 'I list.', ...list },
        { say: 'All done here.', delay_ms: 40 },
      ]),
    );
    const { started, sessionId, port, token } = await inspected();
    const watcher = new Watcher(port, token);
    const ran = await started.ended;
    expect(ran.code).toBe(0);
    await watcher.until(() => watcher.of('session').some(({ ended }) => ended !== null));

    const [first] = watcher.of('session');
    expect(first).toMatchObject({
      sys: sessionId,
      capsule: { name: 'sample', version: '0.1.0' },
      source: 'live',
      liveness: { verdict: 'Live' },
      containment: { declared: 'advisory', achieved: 'advisory' },
      driver: 'mur-driver-rehearsal',
      ended: null,
    });
    expect(watcher.of('session').at(-1)?.ended).toMatchObject({ status: 'ok', fault: null });
    expect(watcher.of('note').map(({ note }) => note.type)).toEqual(
      expect.arrayContaining(['stage.entered', 'session.staged', 'tool.finished']),
    );
    expect(watcher.of('message').map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(watcher.of('message').every(({ taskId }) => taskId?.startsWith('tsk_'))).toBe(true);
    const lines = watcher.of('trace').map(({ line }) => line.event_id);
    expect(lines.sort()).toEqual(sandbox.trace().map(({ event_id: id }) => id));
    expect(watcher.of('gone').map(({ id }) => id)).toContainEqual(expect.stringMatching(/turn:0\/tool-call:0$/));
    expect(watcher.of('lost')).toEqual([]);
  });

  it('lays its token beside the running record, for this user only, for as long', async () => {
    sandbox.manifest(rehearsal([{ say: 'a slow answer '.repeat(20), delay_ms: 20 }]));
    const { started, sessionId, token } = await inspected();
    expect(readdirSync(running()).sort()).toEqual([`${sessionId}.inspect`, `${sessionId}.json`]);
    expect(statSync(join(running(), `${sessionId}.inspect`)).mode & 0o777).toBe(0o600);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(sandbox.filesWith(token)).toEqual([join(running(), `${sessionId}.inspect`)]);
    started.child.kill('SIGTERM');
    await started.ended;
    expect(readdirSync(running())).toEqual([]);
  });

  it('without it there is no token, no page and no websocket', async () => {
    sandbox.manifest(rehearsal([{ say: 'a slow answer '.repeat(20), delay_ms: 20 }]));
    const started = sandbox.start(['run', '--json', '--task', 'go']);
    const { url } = JSON.parse(`{"url":${await started.line('{"url":')}`) as { url: string };
    expect(readdirSync(running()).filter((name) => name.endsWith('.inspect'))).toEqual([]);
    expect((await fetch(`http://${url}/ui/`)).status).toBe(404);
    expect((await fetch(`http://${url}/inspect`)).status).toBe(404);
    started.child.kill('SIGTERM');
    await started.ended;
  });

  it('is on for every session when the config of the user says inspect: true, and not for that of a project', async () => {
    sandbox.manifest(rehearsal([{ say: 'hello' }]));
    sandbox.write('project/.murmur/config.yaml', 'inspect: true\n');
    const off = await sandbox.run(['run', '--task', 'go']);
    expect(off.stderr).toContain('inspect in ');
    expect(off.stderr).not.toContain('inspect: http');
    sandbox.write('home/.murmur/config.yaml', 'inspect: true\n');
    const on = await sandbox.run(['run', '--task', 'go']);
    expect(on.stderr).toMatch(/^inspect: http:\/\/localhost:\d+\/ui\/\?token=[\w-]{43}$/m);
  });

  it('a client that goes away, or stalls, changes nothing about the session', async () => {
    sandbox.manifest(rehearsal([{ say: 'one two three', ...list, repeat: 3 }, { say: 'Done.' }]));
    const { started, port, token } = await inspected();
    const gone = new Watcher(port, token);
    const stalled = new Watcher(port, token);
    await gone.until(() => gone.of('hello').length > 0);
    await stalled.until(() => stalled.of('hello').length > 0);
    gone.socket.terminate();
    stalled.socket.pause();
    const ran = await started.ended;
    stalled.socket.terminate();
    expect([ran.code, ran.stderr]).toEqual([0, '']);
  });
});

describe('what a session must not tell', () => {
  const planted = {
    gateway: 'sk-live-planted-gateway-key-1',
    environment: 'planted-environment-value-2',
    key: 'planted-under-a-key-3',
    bearer: 'plantedbearer4plantedbearer4',
  };

  it('no planted secret is in any byte of the wire', async () => {
    let watched = () => {};
    const server = await startAnthropic({
      apiKey: planted.gateway,
      split: every(7),
      after: new Promise<void>((resolve) => {
        watched = resolve;
      }),
      answers: [
        {
          thinking: `the environment says ${planted.environment}`,
          text: `It is ${planted.environment}. Authorization: Bearer ${planted.bearer} `,
          calls: [
            {
              id: 'call_1',
              name: 'mur-tool-files',
              input: {
                ...{ action: 'write', path: 'note.txt', api_key: planted.key },
                content: `${planted.environment} and ${planted.gateway}`,
              },
            },
          ],
        },
        { text: `Again: ${planted.gateway}` },
      ],
    });
    try {
      sandbox.manifest(`
name: leaky
version: "0.1.0"
artifacts:
  - name: mur-driver-anthropic
    version: "0.1.0"
    runtime: driver
    gateway: { endpoint: "${server.url}", api_key: "\${PROVIDER_KEY}" }
  - { name: mur-tool-files, version: "0.1.0" }
capabilities: { env: { allow: [SERVICE_TOKEN] } }
inference: { model: claude-haiku-4-5, max_tokens: 1024, driver: { artifact: mur-driver-anthropic } }
`);
      const env = { PROVIDER_KEY: planted.gateway, SERVICE_TOKEN: planted.environment };
      const { started, port, token } = await inspected([], env);
      const watcher = new Watcher(port, token);
      await watcher.until(() => watcher.of('synced').length > 0);
      watched();
      await started.ended;
      await watcher.until(() => watcher.of('session').some(({ ended }) => ended !== null));
      const wire = watcher.messages.join('\n');
      expect(watcher.of('message').length).toBeGreaterThan(2);
      expect(watcher.of('note').map(({ note }) => note.type)).toContain('text.chunk');
      for (const secret of [...Object.values(planted), token]) expect(wire).not.toContain(secret);
      const streamed = watcher
        .of('note')
        .map(({ note }) => (note.type === 'text.chunk' || note.type === 'thinking.chunk' ? note.text : ''))
        .join('');
      expect(streamed).toContain('[redacted]');
      for (const secret of Object.values(planted)) expect(streamed).not.toContain(secret);
    } finally {
      await server.stop();
    }
  });
});
