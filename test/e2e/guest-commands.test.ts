/** Programs that guests start, in sessions of the real `mur`: a script capsule's own, and those of a tool. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { compileSource } from '../../src/build/compile/index.js';
import { probeHost } from '../../src/containment/index.js';
import { build } from '../fixtures/component/guests.js';
import { type ShellCall, shellGuest } from '../fixtures/component/shell-guest.js';
import { pidsOf } from '../fixtures/processes.js';
import { rehearsal, Sandbox } from './cli.js';

vi.setConfig({ testTimeout: 180_000 });

const host = await probeHost();
const classes =
  host.hostTier === 'sealed' ? ['scoped', 'sealed'] : host.hostTier === 'full' ? ['scoped'] : ['advisory'];
// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `guest-commands-${process.pid}`);
afterAll(() => rmSync(place, { recursive: true, force: true }));

let sandbox: Sandbox;
let work: string;
beforeEach(() => {
  sandbox = new Sandbox(place);
  work = join(sandbox.project, 'work');
  mkdirSync(work);
});
afterEach(() => sandbox.remove());

const sh = (script: string, env: ShellCall['env'] = []): ShellCall => ({ binary: 'sh', args: ['-c', script], env });
const programs = { shell: { allow: ['sh', 'git', 'sleep', 'setsid', 'head', 'tr', 'cat'] } };

/** A script capsule that starts these. */
async function script(calls: readonly ShellCall[], capabilities: object = {}): Promise<void> {
  sandbox.write('project/capsule.wasm', await build(shellGuest('capsule', calls)));
  sandbox.manifest(
    JSON.stringify({ name: 'script', version: '0.1.0', capabilities: { ...programs, ...capabilities } }),
  );
}
const args = ['run', '--quiet', '--workdir', 'work'];
const lines = (type: string) => sandbox.trace().filter(({ event_type }) => event_type === type);
const shells = () => lines('shell').map(({ binary, exit_code }) => [String(binary).split('/').at(-1), exit_code]);
/** What the guest printed, as the log of its session keeps it. */
const printed = () => logged().flatMap(({ stream, msg }) => (stream === 'stdout' ? [String(msg)] : []));
const logged = () =>
  readFileSync(join(sandbox.records().at(-1)!, 'logs', 'bootstrap.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.runIf(process.platform === 'linux')('a script capsule that starts programs', () => {
  test.each(classes)(
    '%s: git works, overrides are stripped, output is cut and kept, what is not allowed is refused',
    async (containment) => {
      const outside = sandbox.write('secret.txt', 'hunter2');
      await script(
        [
          { binary: 'git', args: ['init', '--quiet', '--template=', '-b', 'main', '.'] },
          { binary: 'git', args: ['status', '--short', '--branch'] },
          sh('echo "[$SAFE][$X_API_KEY][$HOME][$MURMUR_SESSION_ID]"', [
            ['SAFE', 'a b'],
            ['X_API_KEY', 'k'],
            ['HOME', '/evil'],
          ]),
          sh('head -c 1048576 /dev/zero | tr "\\0" o; exit 5'),
          sh('head -c 24 "$MURMUR_RECORDS_DIR"/logs/shell-*.log'),
          sh(`cat ${outside}`),
          { binary: 'rm', args: ['-rf', '.'] },
          { binary: '/bin/sh', args: ['-c', 'true'] },
          sh('true', [['A=B', '']]),
        ],
        { containment },
      );
      const ran = await sandbox.run(args);
      expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^session: ses_\w+\nstatus: {2}ok\n$/) });
      const [all = ''] = printed();
      const answers = all.split('\n').filter((line) => /^(ok|err):/.test(line));
      expect(answers).toHaveLength(9);
      expect(answers[1]).toBe('ok:## No commits yet on main');
      expect(answers[2]).toBe(`ok:[a b][][${sandbox.records()[0]}/home][]`);
      expect(answers[3]).toMatch(/^ok:o{1000}\|\|\/\S+\/logs\/shell-\d+\.log$/);
      expect(answers[4]).toMatch(/^ok:Command: sh -c head -c 1/);
      expect(answers[6]).toBe("err:'rm' is not in capabilities.shell.allow of this capsule's manifest");
      expect(answers[7]).toContain("err:'/bin/sh' is not in");
      expect(answers[8]).toContain('err:"A=B" is no name of a variable');
      if (containment !== 'advisory') expect(all).not.toContain('hunter2');
      expect(existsSync(join(work, '.git'))).toBe(true);
      expect(shells()).toEqual([
        ['git', 0],
        ['git', 0],
        [expect.any(String), 0],
        [expect.any(String), 5],
        [expect.any(String), 0],
        [expect.any(String), containment === 'advisory' ? 0 : 1],
      ]);
      expect(lines('shell').every((line) => line.parent_id === null && line.task_id === null)).toBe(true);
      expect(logged().map(({ msg }) => msg)).toContain(
        "a guest got no result of a command: 'rm' is not in capabilities.shell.allow of this capsule's manifest",
      );
      expect(await sandbox.run(['replay', '@1', '--verify'])).toMatchObject({ code: 0 });
    },
  );

  test.each(['SIGTERM', 'SIGKILL'] as const)('%s to mur leaves nothing of a program behind', async (signal) => {
    const mark = `sleep 28${process.pid % 1000}3`;
    await script([sh(`echo up > up; (setsid ${mark} &) ; ${mark}`)]);
    const started = sandbox.start(args);
    await started.seen(() => existsSync(join(work, 'up')));
    started.child.kill(signal);
    expect(await started.ended).toMatchObject(signal === 'SIGTERM' ? { code: 143 } : { signal });
    await vi.waitFor(() => expect(pidsOf(mark)).toEqual([]), { timeout: 10_000 });
  });

  test('its deadline ends a program with all it started, before the session is over', async () => {
    const mark = `sleep 28${process.pid % 1000}4`;
    await script([sh('echo first'), sh(`echo up > up; (setsid ${mark} &) ; ${mark}`), sh('echo never')], {
      limits: { deadline_seconds: 2 },
    });
    const ran = await sandbox.run(args);
    expect(ran).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('status:  trapped'),
      stderr: expect.stringContaining('capsule execution exceeded its 2s deadline'),
    });
    expect(pidsOf(mark)).toEqual([]);
    expect(lines('component_deadline')).toHaveLength(1);
    expect(logged().map(({ msg }) => msg)).toContain("'sh' was ended with the guest that started it");
    expect(shells()).toHaveLength(1);
  });
});

/** A session whose sealed root lacks what the manifest pins: no program of it can be started. */
const rootless = {
  containment: 'sealed',
  shell: { ...programs.shell, staged_runtime: [{ binary: 'git', source_path: '/nowhere/git', pin: '1' }] },
};

describe.runIf(classes.includes('sealed'))('a sealed root that cannot be built', () => {
  test('ends a script capsule at the first program it asks for', async () => {
    await script([sh('true'), sh('true')], rootless);
    expect(await sandbox.run(args)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('status:  failed'),
      stderr: expect.stringContaining('error[E-RUN-014]'),
    });
    expect(shells()).toEqual([]);
  });
});

const tool = `
import { shell } from 'mur:tool';
export function run({ program, args, before }) {
  if (before !== undefined) shell.run('sh', ['-c', before]);
  return shell.run(program, args);
}`;

describe.runIf(process.platform === 'linux')('a tool that starts programs', () => {
  let component: Uint8Array;
  beforeAll(async () => {
    const root = join(place, 'tool');
    mkdirSync(root);
    writeFileSync(join(root, 'main.ts'), tool);
    const compiled = await compileSource({ file: join(root, 'main.ts'), role: 'tool', root });
    expect(compiled.imports).toEqual(['murmur:shell/execute@0.1.0']);
    component = compiled.component;
  });

  /** Two tools of one component; the second may see one folder only. */
  function agent(turns: readonly unknown[], capabilities: object = programs): void {
    for (const name of ['free', 'narrow']) {
      sandbox.write(`project/${name}/murmur.yaml`, `name: ${name}\nversion: "0.1.0"\nruntime: tool\n`);
      sandbox.write(`project/${name}/${name}.wasm`, component);
    }
    sandbox.manifest(
      rehearsal(turns, {
        artifacts: [
          { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
          { name: 'free', source: './free', local_source: true },
          { name: 'narrow', source: './narrow', local_source: true, capabilities: { filesystem: { scope: 'data' } } },
        ],
        capabilities,
        trace: { capture: 'content' },
      }),
    );
  }
  const call = (name: string, program: string, ...given: string[]) => ({
    call: { tool: name, input: { program, args: given } },
  });
  const results = () => lines('tool_call').map(({ output, status }) => ({ output: String(output), status }));
  const run = [...args, '--task', 'go'];

  test('its programs are in the trace behind its call, and a limit they hit is told behind its answer', async () => {
    agent([
      call('free', 'sh', '-c', 'echo hi; exit 3'),
      call('free', 'sh', '-c', 'kill -XCPU $$'),
      call('free', 'rm', '-rf', '.'),
      call('narrow', 'sh', '-c', 'echo hi'),
      { say: 'Done.' },
    ]);
    expect(await sandbox.run(run)).toMatchObject({ code: 0 });
    const [first, limited, refused, narrow] = results();
    expect(first).toMatchObject({ status: 'ok', output: expect.stringContaining('{"exitCode":3,"stdout":"hi\\n"') });
    expect(limited!.output).toMatch(/"exitCode":152[\s\S]*\n\[runtime\] capabilities\.resources\.cpu_seconds was/);
    expect(refused).toMatchObject({
      status: 'error',
      output: expect.stringContaining("rm did not run: 'rm' is not in"),
    });
    expect(narrow).toMatchObject({ status: 'error', output: expect.stringContaining('narrows filesystem.scope') });
    const order = sandbox.trace().map(({ event_type }) => event_type);
    expect(order.filter((type) => type === 'tool_call' || type === 'shell')).toEqual([
      ...['tool_call', 'shell', 'tool_call', 'shell', 'tool_call', 'tool_call'],
    ]);
    const [one, two] = lines('shell');
    expect(one).toMatchObject({ turn: 0, exit_code: 3, stdout_bytes: 3, task_id: lines('task_start')[0]!.task_id });
    expect(two).toMatchObject({ turn: 1, exit_code: 152, resource_limit: 'cpu_seconds' });
    expect(lines('session_end')).toMatchObject([{ total_tool_calls: 4, total_shell_calls: 2 }]);
    expect(lines('task_end')).toMatchObject([{ shell_calls: 2 }]);
  });

  test.runIf(classes.includes('sealed'))(
    'a sealed root that cannot be built ends the session of its caller',
    async () => {
      agent([call('free', 'sh', '-c', 'true'), call('free', 'sh', '-c', 'true'), { say: 'Done.' }], rootless);
      expect(await sandbox.run(run)).toMatchObject({ code: 1, stderr: expect.stringContaining('error[E-RUN-014]') });
      expect(results()).toHaveLength(1);
      expect(shells()).toEqual([]);
    },
  );

  test('where the capsule allows no program, each start is refused by name', async () => {
    agent([call('free', 'sh', '-c', 'echo hi'), { say: 'Done.' }], {});
    expect(await sandbox.run(run)).toMatchObject({ code: 0 });
    expect(logged().filter(({ code }) => code === 'W-SEC-906')).toHaveLength(2);
    expect(results()).toMatchObject([{ status: 'error', output: expect.stringContaining("'sh' is not in capab") }]);
  });

  test('a cancel ends its program; what ran before has its line before the task ends', async () => {
    const mark = `sleep 28${process.pid % 1000}5`;
    const input = { program: 'sh', args: ['-c', `echo up > up; ${mark}`], before: 'exit 7' };
    agent([{ call: { tool: 'free', input } }, { say: 'Done.' }]);
    const started = sandbox.start(run);
    await started.seen(() => existsSync(join(work, 'up')));
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('status:  canceled') });
    expect(pidsOf(mark)).toEqual([]);
    const order = sandbox.trace().map(({ event_type }) => event_type);
    expect(order.slice(order.indexOf('shell'))).toEqual(['shell', 'task_canceled', 'task_end', 'session_end']);
    expect(shells()).toEqual([[expect.any(String), 7]]);
    expect(lines('task_end')).toMatchObject([{ shell_calls: 1 }]);
  });
});
