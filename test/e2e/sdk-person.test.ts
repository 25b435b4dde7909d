/** The published A2A clients against a live session with a locked door whose tool asks a person. One session serves them all. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { build, guests } from '../fixtures/component/guests.js';
import { Sandbox, type Started } from './cli.js';
import { type Connect, generations, type SdkClient, type Seen } from './sdk-clients.js';

// A real session on a busy machine: every wait ends by what happens, not by this.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const question = '{"which":"colour"}';
const manifest = {
  name: 'sample',
  version: '0.1.0',
  artifacts: [
    { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
    { name: 'ask', source: './ask', local_source: true },
  ],
  lifecycle: { task_acceptance: 'queue', after_task: 'sleep' },
  network: { authentication: { scheme: 'bearer' } },
  inference: {
    model: 'rehearsal',
    driver: {
      artifact: 'mur-driver-rehearsal',
      config: {
        turns: [
          { say: 'I ask.', call: { tool: 'ask', input: { which: 'colour' } } },
          { expect: 'blue', say: 'It is {{result}}' },
        ],
      },
    },
  },
};

let sandbox: Sandbox;
let started: Started;
let url: string;
let token: string;
beforeAll(async () => {
  sandbox = new Sandbox();
  sandbox.write('project/ask/murmur.yaml', 'name: ask\nversion: "1.0.0"\nruntime: tool\n');
  sandbox.write('project/ask/ask.wasm', await build(guests.ask));
  sandbox.manifest(JSON.stringify(manifest));
  started = sandbox.start(['run']);
  url = `http://${await started.line('murmur: url ')}`;
  await started.line('session: ');
  token = (await sandbox.run(['token'])).stdout.trim();
});
afterEach(() => {
  vi.unstubAllGlobals();
});
afterAll(async () => {
  started.child.kill('SIGTERM');
  const { stdout, stderr } = await started.ended;
  expect(stdout + stderr).not.toContain(token);
  sandbox.remove();
});

const unsigned = globalThis.fetch;
const signed: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return unsigned(input, { ...init, headers });
};

/** With the token in every request: the oldest client takes no fetch of its own, so it is given the one it finds. */
async function admitted(name: string, connect: Connect): Promise<SdkClient> {
  if (name === '0.2.5') vi.stubGlobal('fetch', signed);
  return connect(url, signed);
}

describe.each(generations)('@a2a-js/sdk %s against a locked session that asks', (name, connect) => {
  test('is refused without the token of the session, and reads the card all the same', async () => {
    const client = await connect(url);
    await expect(client.send('ask me')).rejects.toThrow(/401|nauthori[sz]ed|unauthenticated/);
    await expect(client.get('tsk_nobody')).rejects.toThrow(/401|nauthori[sz]ed|unauthenticated/);
  });

  test('streams up to the question, answers it, and is given the end', async () => {
    const client = await admitted(name, connect);
    const asked = await all(client.stream('ask me'));
    const { id } = asked[0]!;
    expect(asked.at(-1)).toEqual({ kind: 'status', id, state: 'input-required', said: question });
    expect(await client.get(id)).toMatchObject({
      state: 'input-required',
      said: question,
      artifacts: { prompt: question },
    });
    const replied = await client.send('blue', { task: id, waits: true });
    expect(replied.id).toBe(id);
    if (name === '0.2.5') await all(client.resubscribe(id)).catch(() => undefined);
    const ended = await client.get(id);
    expect(ended).toMatchObject({ state: 'completed' });
    expect(ended.artifacts).toEqual({ response: 'It is blue' });
  });

  test('waits for a question, and follows its reply on a stream', async () => {
    const client = await admitted(name, connect);
    const { id } = await client.send('ask me', { waits: true });
    if (name === '0.2.5') await all(client.resubscribe(id));
    expect(await client.get(id)).toMatchObject({ state: 'input-required', said: question });
    const after = await all(client.stream('blue', { task: id }));
    expect(after[0]).toMatchObject({ kind: 'task', id, state: 'working', artifacts: {} });
    // What the asking turn said comes first, and the answer replaces it.
    const pieces = after.filter((frame) => frame.kind === 'piece');
    expect(pieces.map(({ text }) => text)).toEqual(['I ask.', 'It ', 'is ', 'blue', '']);
    expect(pieces.map(({ append }) => append)).toEqual([false, false, true, true, true]);
    expect(after.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
  });

  test('cancels a task that waits for an answer', async () => {
    const client = await admitted(name, connect);
    const asked = await all(client.stream('ask me'));
    const { id } = asked[0]!;
    expect(await client.cancel(id)).toMatchObject({ id, state: 'canceled', said: 'task canceled', artifacts: {} });
    await expect(client.send('blue', { task: id })).rejects.toThrow(/-32004|not supported|already ended/);
  });
});

async function all(frames: AsyncGenerator<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const frame of frames) seen.push(frame);
  return seen;
}

test('a question shown by mur send comes once, with the command that answers it, which a program does not get', async () => {
  const asked = await sandbox.run(['send', '@1', 'ask me', '--wait']);
  expect(asked).toMatchObject({ code: 0, stdout: '' });
  expect(asked.stderr.split(question)).toHaveLength(2);
  const id = /answer: {2}mur send ([0-9a-f]{8}) "..."\n$/.exec(asked.stderr)![1]!;
  const answered = await sandbox.run(['send', id, 'blue', '--wait']);
  expect(answered).toMatchObject({ code: 0, stderr: '' });
  expect(answered.stdout).toContain('It is ');

  const streamed = await sandbox.run(['send', '--url', url, 'ask me', '--stream'], { MURMUR_DOOR_TOKEN: token });
  expect(streamed.stderr).toBe(`answer:  mur send --url ${url.slice('http://'.length)} "..."\n`);
  await sandbox.run(['send', id, 'blue', '--wait']);
  const program = await sandbox.run(['send', '@1', 'ask me', '--stream', '--json']);
  expect(program.stderr).toBe('');
  await sandbox.run(['send', id, 'blue', '--wait']);
});
