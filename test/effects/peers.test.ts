/** Capsules that send to each other: two real sessions on loopback, a tool of one writes to the door of the other. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { compileSource } from '../../src/build/compile/index.js';
import type { SessionNotice } from '../../src/supervise/index.js';
import { rehearsal } from '../e2e/cli.js';
import { build } from '../fixtures/component/guests.js';
import { listen } from '../wasm/egress/server.js';
import { type Left, Library, type Line } from './run.js';
import { expectTraceRules } from './trace-rules.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const source = `
import { ask, peers } from 'mur:tool';
export function run({ url, text = ask('What shall I tell?') }) {
  return peers.send(url, text);
}`;

let library: Library;
beforeAll(async () => {
  library = new Library();
  const root = join(library.sandbox.root, 'source');
  mkdirSync(root);
  writeFileSync(join(root, 'main.ts'), source);
  const compiled = await compileSource({ file: join(root, 'main.ts'), role: 'tool', root });
  expect(compiled.imports).toEqual(['murmur:message/send@0.1.0', 'murmur:task/task@0.1.0']);
  for (const name of ['tell', 'quiet']) {
    library.sandbox.write(`project/${name}/murmur.yaml`, `name: ${name}\nversion: "0.1.0"\nruntime: tool\n`);
    library.sandbox.write(`project/${name}/${name}.wasm`, compiled.component);
  }
});
afterAll(() => library.close());

const driver = { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' };

/** A capsule that sends these, one after the other, or asks what to send; its tool `quiet` may reach nobody. */
function sender(
  calls: readonly { readonly tool?: string; readonly url: string; readonly text?: string | undefined }[],
  allow: string[],
  more = {},
) {
  const turns = calls.map(({ tool = 'tell', ...input }) => ({ call: { tool, input } }));
  return rehearsal([...turns, { say: 'Told.' }], {
    name: 'sender',
    artifacts: [
      driver,
      { name: 'tell', source: './tell', local_source: true },
      { name: 'quiet', source: './quiet', local_source: true, capabilities: { network: { allow: [] } } },
    ],
    capabilities: { network: { allow } },
    trace: { capture: 'content' },
    ...more,
  });
}

/** A capsule that takes one task, and ends with it. */
const receiver = (accept: boolean | undefined, more = {}) =>
  rehearsal([{ say: 'Not much.' }], {
    name: 'receiver',
    ...{ artifacts: [driver], lifecycle: { task_acceptance: 'single' }, ...more },
    ...(accept === undefined ? {} : { exports: { peer_tasks: { accept } } }),
  });

/** A session that runs beside another; `url` of its door. */
function started(manifest: string, options: { readonly stop?: AbortController } = {}) {
  let left: Promise<Left> | undefined;
  const url = new Promise<string>((resolve, reject) => {
    const onNotice = (notice: SessionNotice) => notice.type === 'door.listening' && resolve(notice.url);
    left = library.serve(manifest, { onNotice, ...(options.stop && { signal: options.stop.signal }) });
    left.then(({ result }) => reject(new Error(JSON.stringify(result))), reject);
  });
  return { url, left: left! };
}

interface Reply {
  readonly result: { readonly task: { readonly id: string } };
}

/** What the door says to a message in the words of 1.0, once its task is over or asks. */
async function send(url: string, message: object): Promise<Reply> {
  const response = await fetch(`http://${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', ...message } },
    }),
  });
  return (await response.json()) as Reply;
}

const of = ({ lines }: Left, type: string): Line[] => lines.filter(({ event_type }) => event_type === type);
const logOf = ({ result }: Left) =>
  readFileSync(join(result.recordsDir!, 'logs', 'bootstrap.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const outputs = (left: Left) => of(left, 'tool_call').map(({ output, status }) => ({ output: String(output), status }));

describe('a tool of one capsule that sends to another', () => {
  test('which accepts it: a task of its peer lane, with the trust of the sender and the trace of its task', async () => {
    const peer = started(receiver(true));
    const url = await peer.url;
    const left = await library.run(sender([{ url, text: 'What is up?' }], ['localhost']));
    const taken = await peer.left;

    expect(left.result.status).toBe('ok');
    expect(taken.result.status).toBe('ok');
    const [sent] = of(left, 'a2a_send');
    const [received] = of(taken, 'a2a_task_received');
    const [task] = of(taken, 'task_start');
    expect(task).toMatchObject({ source: 'a2a', origin: 'peer', trust: 'trusted', lane: 'peer' });
    expect(sent).toMatchObject({
      peer_url: url,
      message_id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      trust: 'trusted',
      parent_id: of(left, 'session_start')[0]!.event_id,
    });
    expect(received).toMatchObject({
      message_id: sent!.message_id,
      task_id: sent!.task_id,
      context_id: sent!.context_id,
      traceparent_from_caller: sent!.traceparent,
    });
    expect(task!.task_id).toBe(sent!.task_id);
    expect(outputs(left)[0]!.output).toContain(`"taskId":"${sent!.task_id}"`);
    expect(outputs(left)[0]!.output).toContain('"state":"submitted"');
    for (const each of [left, taken]) expectTraceRules(each.lines);
  });

  test('asks a person what to send, and hands the trust of its own task on: what came from anybody stays untrusted', async () => {
    const last = started(receiver(true));
    const url = await last.url;
    const middle = started(
      sender([{ url }], ['localhost'], {
        lifecycle: { task_acceptance: 'single' },
        exports: { peer_tasks: { accept: true } },
      }),
    );
    // Answers when the task asks; the second is its reply.
    const asking = await send(await middle.url, { role: 'ROLE_USER', parts: [{ text: 'go' }] });
    expect(JSON.stringify(asking)).toContain('What shall I tell?');
    await send(await middle.url, { role: 'ROLE_USER', parts: [{ text: 'Hello.' }], taskId: asking.result.task.id });
    const [between, end] = await Promise.all([middle.left, last.left]);
    expect(of(between, 'task_start')).toMatchObject([{ origin: 'event', trust: 'untrusted', lane: 'bg' }]);
    expect(of(between, 'a2a_task_received')).toMatchObject([{ traceparent_from_caller: null }]);
    expect(of(between, 'a2a_send')).toMatchObject([{ trust: 'untrusted' }]);
    expect(of(end, 'task_start')[0]!.message_parts_bytes).toBe('Hello.'.length);
    expect(of(end, 'task_start')).toMatchObject([{ origin: 'peer', trust: 'untrusted', lane: 'peer' }]);
  });

  test('which does not accept it, or is not there, or is out of reach: the call fails and says why, and no line says it was sent', async () => {
    const stop = new AbortController();
    const peer = started(receiver(undefined), { stop });
    const url = await peer.url;
    await using silent = await listen(() => undefined);
    const port = silent.port;
    await silent[Symbol.asyncDispose]();
    const left = await library.run(
      sender(
        [
          ...[url, `localhost:${port}`, '127.0.0.1:1', 'ftp://x'].map((to) => ({ url: to, text: 'x' })),
          { tool: 'quiet', url, text: 'x' },
        ],
        ['localhost'],
      ),
    );
    stop.abort();
    expect(outputs(left).map(({ status }) => status)).toEqual(Array(5).fill('error'));
    const [refused, gone, denied, bad, narrowed] = outputs(left).map(({ output }) => output);
    expect(refused).toContain('its manifest has to say exports.peer_tasks.accept: true');
    expect(gone).toContain(`the peer 'localhost:${port}' did not take the message: nothing listens there`);
    expect(denied).toContain("network policy: '127.0.0.1:1' not in capabilities.network.allow");
    expect(bad).toContain("invalid peer URL 'ftp://x'");
    expect(narrowed).toContain(`network policy: '${url}' not in capabilities.network.allow`);
    expect(of(left, 'a2a_send')).toEqual([]);
    const taken = await peer.left;
    expect(of(taken, 'a2a_task_received')).toEqual([]);
    expect(logOf(left).filter(({ msg }) => msg === 'egress.denied')).toMatchObject([
      { component: 'tell', egress: { target: '127.0.0.1:1', reason: 'not-allowed' } },
      { component: 'quiet', egress: { target: url, reason: 'not-allowed' } },
    ]);
    expectTraceRules(left.lines);
  });
});

describe('a script capsule that sends', () => {
  /** Sends "hello" to `url`, and prints the state of the task, or why there is none. */
  const script = (url: string) => {
    const length = Buffer.byteLength(url);
    const print = (at: number) =>
      `(call $write (call $stdout) (i32.load (i32.const ${at})) (i32.load (i32.const ${at + 4})) (i32.const 512))`;
    return build({
      kind: 'capsule',
      imports: ['send', 'getStdout', 'write'],
      literal: `msg_1hello${url}`,
      run: `(call $send (i32.const 1034) (i32.const ${length}) (i32.const 1024) (i32.const 5)
          (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1029) (i32.const 5) (i32.const 256))
        (if (i32.load8_u (i32.const 256)) (then ${print(260)}) (else ${print(276)}))`,
    });
  };
  const run = async (url: string, allow: readonly string[]) => {
    library.sandbox.write('project/capsule.wasm', await script(url));
    const left = await library.serve(
      JSON.stringify({ name: 'script', version: '0.1.0', capabilities: { network: { allow } } }),
    );
    return { left, said: logOf(left).flatMap(({ stream, msg }) => (stream === 'stdout' ? [msg] : [])) };
  };

  test('runs for no task: what it sends is untrusted, and of no trace; where it may not, it reads why', async () => {
    const peer = started(receiver(true));
    const url = await peer.url;
    const denied = await run(url, []);
    expect(denied.said).toEqual([`network policy: '${url}' not in capabilities.network.allow`]);
    expect(of(denied.left, 'a2a_send')).toEqual([]);
    const { left, said } = await run(url, ['localhost']);
    expect(left.result.status).toBe('ok');
    expect(said).toEqual(['submitted']);
    const sent = { message_id: 'msg_1', traceparent: null, trust: 'untrusted', parent_id: null };
    expect(of(left, 'a2a_send')).toMatchObject([sent]);
    const taken = await peer.left;
    expect(of(taken, 'task_start')).toMatchObject([{ origin: 'peer', trust: 'untrusted', lane: 'peer' }]);
    expect(of(taken, 'a2a_task_received')).toMatchObject([{ message_id: 'msg_1', traceparent_from_caller: null }]);
  });
});
