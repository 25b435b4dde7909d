import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import { pidsOf } from '../fixtures/processes.js';
import { rehearsal, Sandbox } from './cli.js';

const host = await probeHost();
// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `shell-${process.pid}`);
afterAll(() => rmSync(place, { recursive: true, force: true }));

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox(place);
});
afterEach(() => sandbox.remove());

const bash = (command: string) => ({ call: { tool: 'bash', input: { command } } });
const capsule = (turns: readonly unknown[], capabilities: object = {}, more: object = {}) =>
  sandbox.manifest(
    rehearsal(turns, {
      capabilities: { shell: { allow: ['bash', 'cat', 'sleep', 'head', 'id'] }, ...capabilities },
      ...more,
    }),
  );
const run = (...args: string[]) => sandbox.run(['run', '--task', 'go', '--quiet', '--workdir', 'work', ...args]);
const lines = (type: string) => sandbox.trace().filter(({ event_type }) => event_type === type);
/** What the model was told, as the trace of this capsule keeps it. */
const results = () => lines('tool_call').map(({ output }) => String(output));
const content = { trace: { capture: 'content' } };

describe.runIf(process.platform === 'linux')('shell tools of a capsule', () => {
  beforeEach(() => mkdirSync(join(sandbox.project, 'work')));

  test('a command runs in the work folder; its exit code and output are the result, and the trace has both', async () => {
    capsule([bash('echo hi > note; cat note; echo oh >&2; exit 3'), { say: 'Done.' }], {}, content);
    expect(await run()).toMatchObject({ code: 0 });
    expect(readFileSync(join(sandbox.project, 'work/note'), 'utf8')).toBe('hi\n');
    expect(results()[0]).toMatch(/Exit code: 3\nStdout:\nhi\n\nStderr:\noh\n/);
    expect(lines('shell')).toMatchObject([{ exit_code: 3, command: expect.stringContaining('cat note') }]);
    expect(lines('session_end')).toMatchObject([{ total_tool_calls: 1, total_shell_calls: 1 }]);
    const [start] = lines('session_start');
    expect(start).toMatchObject({
      capabilities: ['shell'],
      containment_achieved: host.hostTier === 'sealed' || host.hostTier === 'full' ? 'scoped' : 'advisory',
      tools_declared: expect.arrayContaining(['bash', 'cat']),
    });
  });

  test.runIf(host.hostTier === 'sealed').each(['scoped', 'sealed'])(
    '%s: nothing outside of the grants can be read',
    async (containment) => {
      const secret = sandbox.write('secret.txt', 'hunter2');
      const attempts = `cat ${secret}; cat /etc/shadow; echo x > ${sandbox.project}/planted; ls /root; exit 0`;
      capsule([bash(attempts), { say: 'Done.' }], { containment }, content);
      expect(await run()).toMatchObject({ code: 0 });
      const [result] = results();
      expect(result).not.toContain('hunter2');
      expect(result).not.toContain('root:');
      expect(result).toMatch(/secret\.txt: (Permission denied|No such file)/);
      expect(existsSync(join(sandbox.project, 'planted'))).toBe(false);
      expect(lines('session_start')).toMatchObject([{ containment_achieved: containment }]);
    },
  );

  test.runIf(host.network.usable).each([
    ['none is allowed', []],
    ['another is allowed', ['example.com']],
  ])('an address of this machine is out of reach where %s', async (_, allow) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    capsule(
      [bash(`exec 3<>/dev/tcp/127.0.0.1/${port} || echo out of reach`), { say: 'Done.' }],
      { network: { allow } },
      content,
    );
    expect(await run()).toMatchObject({ code: 0 });
    expect(results()[0]).toContain('$ ');
    expect(connections).toBe(0);
  });

  test('long output is cut, and kept in a log that commands can open', async () => {
    const read = `cat "$MURMUR_RECORDS_DIR"/logs/shell-*.log | head -c 40`;
    capsule([bash('printf "%020000d" 7'), bash(read), { say: 'Done.' }], {}, content);
    expect(await run()).toMatchObject({ code: 0 });
    expect(results()[1]).toContain('Command: bash -c printf');
  });

  test('an allowed program that is no shell gets words; a name that is not allowed is no tool', async () => {
    capsule(
      [
        { call: { tool: 'cat', input: { command: 'a > b' } } },
        { call: { tool: 'ls', input: { command: '.' } } },
        { say: 'Done.' },
      ],
      {},
      content,
    );
    await run();
    expect(results()[0]).toContain("'>'");
    expect(results()[1]).toContain("Tool 'ls' is not declared");
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('%s to mur leaves no process of a command behind', async (signal) => {
    const mark = `sleep 29${process.pid % 1000}7`;
    capsule([bash(`echo up > up; (${mark} &) ; ${mark}`), { say: 'Done.' }]);
    const started = sandbox.start(['run', '--task', 'go', '--quiet', '--workdir', 'work']);
    await started.seen(() => existsSync(join(sandbox.project, 'work/up')));
    started.child.kill(signal);
    await started.ended;
    await vi.waitFor(() => expect(pidsOf(mark)).toEqual([]), { timeout: 10_000 });
  });
});
