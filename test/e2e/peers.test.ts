/** The two capsules of examples/desk and examples/expert, each in a process of its own: one asks, the other answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Sandbox, type Started } from './cli.js';

vi.setConfig({ testTimeout: 180_000 });

let sandbox: Sandbox;
let expert: Started;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const example = (name: string) => readFileSync(`examples/${name}/murmur.yaml`, 'utf8');

/** Starts the expert at a port that is free; where it is. */
async function open(change: (manifest: string) => string = (same) => same): Promise<string> {
  sandbox.write('project/expert.yaml', change(example('expert').replace('  internal_port: 8731\n', '')));
  expert = sandbox.start(['run', '--manifest', 'expert.yaml']);
  return expert.line('murmur: url ');
}

async function ask(url: string, change: (manifest: string) => string = (same) => same) {
  sandbox.write('project/desk.yaml', change(example('desk').replaceAll('localhost:8731', url)));
  return sandbox.run(['run', '--manifest', 'desk.yaml', '--task', 'Why did the pump stop?', '--quiet', '--print']);
}

const linesOf = (records: string, type: string) =>
  readFileSync(join(records, 'trace.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event_type }) => event_type === type);

test('the desk asks, the expert answers, and both traces name the one message', async () => {
  const url = await open();
  const asked = await ask(url);
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stdout).toContain('The expert answered:');
  expect(asked.stdout).toContain('"state":"completed"');
  expect(asked.stdout).toContain('Asked: Why did the pump stop? I say: look at the float switch first.');

  expect(await ask(url, (manifest) => manifest.replace(`allow: ["${url}"]`, 'allow: []'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`network policy: '${url}' not in capabilities.network.allow`),
  });

  expert.child.kill('SIGTERM');
  expect(await expert.ended).toMatchObject({ code: 0 });
  const [told, desk] = sandbox.records();
  const [sent] = linesOf(desk!, 'a2a_send');
  const [received, ...others] = linesOf(told!, 'a2a_task_received');
  expect(others).toEqual([]);
  expect(received).toMatchObject({
    ...{ task_id: sent!.task_id, message_id: sent!.message_id },
    traceparent_from_caller: sent!.traceparent,
  });
  expect(linesOf(told!, 'task_start')).toMatchObject([{ origin: 'peer', lane: 'peer', trust: 'trusted' }]);
});

test('an expert that takes nothing of peers is not asked', async () => {
  const url = await open((manifest) => manifest.replace('accept: true', 'accept: false'));
  expect(await ask(url)).toMatchObject({ code: 1, stderr: expect.stringContaining('exports.peer_tasks.accept: true') });
  expert.child.kill('SIGTERM');
  await expert.ended;
});
