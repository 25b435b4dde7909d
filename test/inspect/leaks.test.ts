/** What a session holds in secret stays secret after it: in its records, for whoever looks later, and in what is sent away. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rehearsal, Sandbox } from '../e2e/cli.js';
import { every, startAnthropic } from '../fixtures/provider/index.js';
import { Watcher } from './wire.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

/** Everything that shows the newest session to somebody, by what it is. */
async function shown(): Promise<Record<string, string>> {
  const [records] = sandbox.records().slice(-1);
  const exported = await sandbox.run(['replay', '--export', 'sent.murbundle']);
  expect(exported.stderr).not.toContain('error');
  const inspected = await sandbox.run(['inspect', '--json']);
  const told = await sandbox.run(['replay', '--json']);
  return {
    log: readFileSync(join(records!, 'events.jsonl'), 'utf8'),
    trace: readFileSync(join(records!, 'trace.jsonl'), 'utf8'),
    bundle: readFileSync(join(sandbox.project, 'sent.murbundle'), 'utf8'),
    frames: inspected.stdout,
    replay: told.stdout,
  };
}

describe('a key that is rotated while the session runs', () => {
  const [old, fresh] = ['planted-key-before-rotation', 'planted-key-after-rotation'];
  const config = (key: string) => sandbox.write('home/.murmur/config.yaml', `credentials:\n  PROVIDER_KEY: ${key}\n`);

  it('is in no byte of frames, log, trace and bundle, and neither is the one before it', async () => {
    const server = await startAnthropic({
      split: every(1),
      answers: [
        {
          text: `you sent ${old}`,
          calls: [{ id: 'c1', name: 'mur-tool-files', input: { action: 'list', note: old } }],
        },
        {
          text: `now it is ${fresh}, it was ${old}`,
          calls: [
            { id: 'c2', name: 'mur-tool-files', input: { action: 'write', path: 'a', content: `${old} ${fresh}` } },
          ],
        },
        { text: `I keep ${fresh} and ${old}` },
      ],
    });
    try {
      sandbox.manifest(`
name: rotating
version: "0.1.0"
artifacts:
  - name: mur-driver-anthropic
    version: "0.1.0"
    runtime: driver
    gateway: { endpoint: "${server.url}", api_key: "\${PROVIDER_KEY}" }
  - { name: mur-tool-files, version: "0.1.0" }
inference: { model: claude-haiku-4-5, max_tokens: 1024, driver: { artifact: mur-driver-anthropic } }
`);
      config(old);
      const started = sandbox.start(['run', '--inspect', '--json', '--task', 'go']);
      const ready = JSON.parse(`{"url":${await started.line('{"url":')}`) as { url: string; session_id: string };
      const token = readFileSync(join(sandbox.home, '.murmur/running', `${ready.session_id}.inspect`), 'utf8');
      const watcher = new Watcher(Number(ready.url.split(':')[1]), token);
      await started.seen(() => server.requests.length > 0);
      config(fresh);
      expect((await started.ended).code).toBe(0);
      await watcher.until(() => watcher.of('session').some(({ ended }) => ended !== null));
      expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual([old, fresh, fresh]);
      const all = { wire: watcher.messages.join('\n'), ...(await shown()) };
      for (const [what, text] of Object.entries(all)) {
        expect([what, text.length > 1_000, text.includes(old), text.includes(fresh)]).toEqual([
          what,
          true,
          false,
          false,
        ]);
      }
      expect(all.wire).toContain('I keep [redacted] and [redacted]');
      expect(sandbox.filesWith(old)).toEqual([]);
      expect(sandbox.filesWith(fresh)).toEqual([join(sandbox.home, '.murmur/config.yaml')]);
    } finally {
      await server.stop();
    }
  });
});

describe('a secret a guest was granted', () => {
  const secret = 'planted "granted" välue';

  it('is shown to nobody who looks later, although they cannot know it', async () => {
    sandbox.manifest(
      rehearsal(
        [
          { say: `It is ${secret}.`, call: { tool: 'mur-tool-files', input: { action: 'list', note: secret } } },
          { say: `Still ${secret}.` },
        ],
        { capabilities: { env: { allow: ['SERVICE_TOKEN'] } } },
      ),
    );
    await sandbox.run(['run', '--task', `use ${secret}`], { SERVICE_TOKEN: secret });
    // From here on nobody has the variable.
    for (const [what, text] of Object.entries(await shown())) {
      expect([what, text.includes(secret), text.includes(JSON.stringify(secret).slice(1, -1))]).toEqual([
        what,
        false,
        false,
      ]);
      if (what === 'bundle' || what === 'frames') expect(text).toContain('Still [redacted].');
    }
    // The model is told again what it said, so its own record is whole.
    const [record] = sandbox.filesWith('Still ').filter((path) => path.endsWith('conversation.jsonl'));
    expect(readFileSync(record!, 'utf8')).toContain(JSON.stringify(secret).slice(1, -1));
  });
});

describe('what bundles leave out', () => {
  it('request and response bodies stay behind, and the bundle, the command and the page say how many', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }], { trace: { capture: 'content' } }));
    await sandbox.run(['run', '--task', 'a task in a request body']);
    const blobs = sandbox.filesWith('a task in a request body').filter((path) => path.includes('/blobs/'));
    expect(blobs.length).toBeGreaterThan(0);
    const exported = await sandbox.run(['replay', '--export', 'sent.murbundle']);
    expect(exported.stderr).toMatch(/^left out: \d+ bodies of requests and responses \(blobs\/, [\d,]+ bytes\)/);
    const [header] = readFileSync(join(sandbox.project, 'sent.murbundle'), 'utf8').split('\n');
    const { left_out: left } = JSON.parse(header!) as { left_out: { blobs: { files: number; bytes: number } } };
    expect(left.blobs.files).toBeGreaterThanOrEqual(blobs.length);
    expect(left.blobs.bytes).toBeGreaterThan(0);
    const opened = await sandbox.run(['inspect', '--json', 'sent.murbundle']);
    expect(opened.stdout).toContain(`${left.blobs.files} bodies of requests and responses`);
    expect((await sandbox.run(['replay', '--help'])).stdout).toContain('Request and response bodies');
  });
});
