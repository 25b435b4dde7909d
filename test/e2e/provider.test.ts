import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { awkward, type ProviderServer, startAnthropic, startOpenAi } from '../fixtures/provider/index.js';
import { Sandbox } from './cli.js';

const key = 'sk-live-0123456789abcdef-not-a-real-key';
const secretText = 'Grüße aus dem Ordner – 日本語 🐟';

let sandbox: Sandbox;
let server: ProviderServer;
afterEach(async () => {
  await server.stop();
  sandbox.remove();
});

const manifest = (driver: string, model: string, endpoint: string): string => `
name: provider
version: "0.1.0"
artifacts:
  - name: ${driver}
    version: "0.1.0"
    runtime: driver
    gateway:
      endpoint: ${endpoint}
      api_key: "\${PROVIDER_KEY}"
  - name: mur-tool-files
    version: "0.1.0"
inference:
  model: ${model}
  max_tokens: 1024
  driver: { artifact: ${driver} }
trace: { capture: content }
`;

const answers = [
  {
    thinking: 'look first',
    text: 'Ich lese. ',
    calls: [{ id: 'call_1', name: 'mur-tool-files', input: { action: 'read', path: 'note.txt' } }],
  },
  { text: `Es steht da: ${secretText}` },
];

const cases = [
  ['mur-driver-anthropic', 'claude-haiku-4-5', startAnthropic, (url: string) => url, 'x-api-key'],
  ['mur-driver-openai', 'gpt-4.1', startOpenAi, (url: string) => url, 'authorization'],
  ['mur-driver-openai', 'gpt-5', startOpenAi, (url: string) => url, 'authorization'],
] as const;

describe.each(cases)('%s with model %s', (driver, model, start, endpoint, header) => {
  test('runs a whole tool-use turn over SSE cut at awkward bytes, and only the provider sees the key (S18, spec/trace.md 12.8)', async () => {
    sandbox = new Sandbox();
    server = await start({ apiKey: key, split: awkward, answers });
    sandbox.manifest(manifest(driver, model, endpoint(server.url)));
    sandbox.write('project/work/note.txt', secretText);

    const ran = await sandbox.run(['run', '--workdir', 'work', '--task', 'Was steht in der Notiz?', '--print'], {
      PROVIDER_KEY: key,
    });

    expect(ran.stderr).not.toContain('error[');
    expect(ran.stdout).toBe(`Es steht da: ${secretText}\n`);
    expect(ran.code).toBe(0);
    expect(server.requests).toHaveLength(2);
    for (const request of server.requests) expect(request.headers[header]).toContain(key);
    expect(JSON.stringify(server.requests[1]!.body)).toContain('日本語');
    expect(sandbox.filesWith(key)).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toContain(key);
    const events = sandbox.trace().map((line) => line.event_type);
    expect(events).toEqual([
      'session_start',
      'task_start',
      'inference',
      'tool_call',
      'inference',
      'task_end',
      'session_end',
    ]);
    expect(readFileSync(join(sandbox.records().at(-1)!, 'out/result.txt'), 'utf8')).toContain(secretText);
  });

  test('a rejected key fails the task with E-RUN-027 and shows nowhere', async () => {
    sandbox = new Sandbox();
    server = await start({ apiKey: 'another', answers });
    sandbox.manifest(manifest(driver, model, endpoint(server.url)));

    const ran = await sandbox.run(['run', '--task', 'Hallo'], { PROVIDER_KEY: key });

    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('error[E-RUN-027]');
    expect(ran.stdout).toContain('status:  failed');
    expect(sandbox.filesWith(key)).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toContain(key);
  });
});

test('a provider that repeats the key brings it into no file, no tool and no screen', async () => {
  sandbox = new Sandbox();
  server = await startAnthropic({
    answers: [
      {
        thinking: `they sent ${key}`,
        text: `I know ${key}`,
        calls: [{ id: 'call_1', name: 'mur-tool-files', input: { action: 'write', path: 'leak.txt', content: key } }],
      },
      { text: `It was ${key}.` },
    ],
  });
  sandbox.manifest(manifest('mur-driver-anthropic', 'claude-haiku-4-5', server.url));
  const ran = await sandbox.run(['run', '--workdir', '.', '--task', 'Hallo'], { PROVIDER_KEY: key });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain('It was [redacted].');
  expect(readFileSync(join(sandbox.project, 'leak.txt'), 'utf8')).toBe('[redacted]');
  expect(sandbox.filesWith(key)).toEqual([]);
  expect(ran.stdout + ran.stderr).not.toContain(key);
});

test('a key rotated in the config file between two turns is used by the next request', async () => {
  sandbox = new Sandbox();
  server = await startAnthropic({ answers });
  sandbox.manifest(manifest('mur-driver-anthropic', 'claude-haiku-4-5', server.url));
  sandbox.write('project/work/note.txt', secretText);
  const config = (value: string): string =>
    sandbox.write('home/.murmur/config.yaml', `credentials:\n  PROVIDER_KEY: ${value}\n`);
  config('first-key');
  const started = sandbox.start(['run', '--workdir', 'work', '--task', 'Hallo']);
  await started.seen(() => server.requests.length > 0);
  config('second-key');
  const ran = await started.ended;

  expect(ran.code).toBe(0);
  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['first-key', 'second-key']);
  expect(sandbox.trace().find((line) => line.event_type === 'inference_credential')).toMatchObject({
    source: 'config',
    credential: 'PROVIDER_KEY',
    change: 'rotated',
    trigger: 'file_changed',
  });
});
