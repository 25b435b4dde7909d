import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rehearsal, Sandbox } from './cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const types = (): unknown[] => sandbox.trace().map((line) => line.event_type);
const runningRecords = (): string[] => {
  const folder = join(sandbox.home, '.murmur', 'running');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const sessions = (): string[] => {
  const folder = join(sandbox.home, '.murmur', 'sessions');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const answers = [{ say: 'Done.' }];
const slow = [{ say: 'a very slow answer '.repeat(200), delay_ms: 50 }];

describe('output and exit status', () => {
  test('a task that completes prints the lines of spec/cli.md 11.3 and exits 0', async () => {
    sandbox.manifest(rehearsal(answers));
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran.stdout).toMatch(/^murmur: url localhost:\d+\nsession: ses_[0-9a-f]{32}\nstatus: {2}ok\n$/);
    expect(ran.code).toBe(0);
    expect(runningRecords()).toEqual([]);
    expect(sessions()).toEqual([]);
  });

  test('--print gives the answer and nothing else on stdout', async () => {
    sandbox.manifest(rehearsal(answers));
    const ran = await sandbox.run(['run', '--task', 'Hallo', '--print']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  test('--json gives one line once the capsule is addressable, and no status', async () => {
    sandbox.manifest(rehearsal(answers));
    const ran = await sandbox.run(['run', '--task', 'Hallo', '--json']);
    const lines = ran.stdout.split('\n').filter((line) => line !== '');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toEqual({
      url: expect.stringMatching(/^localhost:\d+$/),
      pid: expect.any(Number),
      session_id: expect.stringMatching(/^ses_/),
      name: 'sample',
      version: '0.1.0',
      workdir: expect.stringContaining(join(sandbox.project, 'workdir')),
    });
    expect(ran.code).toBe(0);
  });

  test.each([
    [
      'a driver that reports an error',
      [{ error: 'the model is asleep' }],
      'failed',
      'driver_error',
      'the model is asleep',
    ],
    ['a driver that traps', [{ crash: true }], 'failed', 'driver_error', 'trap'],
    ['an unsupported stop reason', [{ say: 'x', stop_reason: 'pause' }], 'failed', 'malformed_response', 'pause'],
  ])('%s fails the task and exits 1', async (_, turns, status, cause, text) => {
    sandbox.manifest(rehearsal(turns));
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran.stdout).toContain(`status:  ${status}\n`);
    expect(ran.stderr).toContain('error[E-RUN-040]: the task ended failed:');
    expect(ran.stderr).toContain(text);
    expect(ran.code).toBe(1);
    expect(sandbox.trace().find((line) => line.event_type === 'task_failed')).toMatchObject({ cause });
    expect(readFileSync(join(sandbox.records()[0]!, 'out/result.txt'), 'utf8')).toMatch(/^error: /);
  });

  test('a conversation that never ends stops at max_turns', async () => {
    const turns = [{ call: { tool: 'mur-tool-files', input: { action: 'list' } } }];
    sandbox.manifest(
      JSON.stringify({
        ...JSON.parse(rehearsal(turns, { config: { loop: true } })),
        inference: {
          model: 'rehearsal',
          max_turns: 3,
          driver: { artifact: 'mur-driver-rehearsal', config: { turns, loop: true } },
        },
      }),
    );
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('status:  max_turns_reached') });
    expect(readFileSync(join(sandbox.records()[0]!, 'out/result.txt'), 'utf8')).toBe(
      'error: inference loop exceeded 3 turns',
    );
    expect(sandbox.trace().at(-1)).toMatchObject({
      event_type: 'session_end',
      total_turns: 3,
      exit_status: 'max_turns_reached',
    });
  });

  test('a blank task fails without a model call', async () => {
    sandbox.manifest(rehearsal(answers));
    const ran = await sandbox.run(['run', '--task', '  \n ']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('the task is blank');
    expect(types()).not.toContain('inference');
  });

  test('no task and nobody sending one ends ok', async () => {
    sandbox.manifest(rehearsal(answers));
    const ran = await sandbox.run(['run'], { MURMUR_A2A_TIMEOUT_SECS: '1' });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('status:  ok') });
    expect(types()).toEqual(['session_start', 'session_end']);
  });

  test('a refusal in staging leaves no session folder, no record and no work folder', async () => {
    sandbox.manifest(rehearsal(answers, { capabilities: { network: { allow: ['ftp://x'] } } }));
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/error\[E-CAP-001\]: .*ftp/);
    expect(sandbox.records()).toEqual([]);
    expect(existsSync(join(sandbox.project, 'workdir'))).toBe(false);
  });

  test.each([
    ['plan.submit', { capabilities: { plan: { submit: true } } }, 'E-RUN-907'],
    [
      'a floor that the manifest itself rules out',
      { capabilities: { containment: 'sealed', filesystem: { workdir_exec: true } } },
      'E-CAP-003',
    ],
  ])('refuses %s instead of running weaker than declared', async (_, more, code) => {
    sandbox.manifest(rehearsal(answers, more));
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`error[${code}]`);
  });
});

describe('the agent loop', () => {
  test('never runs a malformed call, answers it by its id, and goes on', async () => {
    const turns = [
      { call: { tool: 'mur-tool-files', input: '{"action":"write","path":"a', id: 'bad' } },
      { expect: 'was not run', say: 'I see.' },
    ];
    sandbox.manifest(rehearsal(turns));
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran.code).toBe(0);
    expect(sandbox.trace().find((line) => line.event_type === 'tool_call')).toMatchObject({
      tool_call_id: 'bad',
      status: 'error',
    });
  });

  test('never runs a call of a response that was cut off', async () => {
    const turns = [
      {
        say: 'half',
        stop_reason: 'max_tokens',
        call: { tool: 'mur-tool-files', input: { action: 'write', path: 'x', content: 'y' } },
      },
    ];
    sandbox.manifest(rehearsal(turns));
    const ran = await sandbox.run(['run', '--task', 'Hallo', '--workdir', '.']);
    expect(ran.code).toBe(0);
    expect(existsSync(join(sandbox.project, 'x'))).toBe(false);
    expect(types()).not.toContain('tool_call');
  });

  test('runs calls in order, pairs results by id, and names missing inputs and unknown tools', async () => {
    const call = (id: string, tool: string, input: object) => ({ id, tool, input });
    const turns = [
      {
        call: [
          call('c1', 'mur-tool-files', { action: 'write', path: 'a.txt', content: 'one' }),
          call('c2', 'mur-tool-files', { action: 'edit', path: 'a.txt', old_text: 'one', new_text: 'two' }),
          call('c3', 'mur-tool-files', { path: 'a.txt' }),
          call('c4', 'nobody', {}),
        ],
      },
      { say: 'ok' },
    ];
    sandbox.manifest(rehearsal(turns));
    const ran = await sandbox.run(['run', '--task', 'Hallo', '--workdir', '.']);
    expect(ran.code).toBe(0);
    const calls = sandbox.trace().filter((line) => line.event_type === 'tool_call');
    expect(calls.map((line) => [line.tool_call_id, line.status])).toEqual([
      ['c1', 'ok'],
      ['c2', 'ok'],
      ['c3', 'error'],
      ['c4', 'error'],
    ]);
    expect(types()).toContain('tool_input_refused');
    expect(readFileSync(join(sandbox.project, 'a.txt'), 'utf8')).toBe('two');
  });

  test('runs at most 128 calls of one response and answers every one', async () => {
    const call = Array.from({ length: 300 }, (_, index) => ({ id: `c${index}`, tool: 'nobody', input: {} }));
    sandbox.manifest(rehearsal([{ call }, { expect: 'asked for 300 calls', say: 'ok' }]));
    const ran = await sandbox.run(['run', '--task', 'Hallo']);
    expect(ran.code).toBe(0);
    expect(sandbox.trace().filter((line) => line.event_type === 'tool_call')).toHaveLength(128);
  });

  test('copies the manifest, the task and the inventory into the runtime directory, and nothing into the work folder', async () => {
    sandbox.manifest(rehearsal(slow));
    const started = sandbox.start(['run', '--task', 'Hallo', '--workdir', '.', '--json']);
    const { session_id: id } = JSON.parse(await started.line('')) as { session_id: string };
    const runtime = join(sandbox.home, '.murmur/sessions', id, 'runtime');
    await started.seen(() => existsSync(join(runtime, 'MURMUR.md')));
    expect(readdirSync(runtime).sort()).toEqual([
      'MURMUR.md',
      'delegations',
      'murmur.yaml',
      'plans',
      'task.md',
      'tools',
    ]);
    expect(readFileSync(join(runtime, 'task.md'), 'utf8')).toBe('Hallo');
    expect(readdirSync(sandbox.project)).toEqual(['murmur.yaml']);
    expect(runningRecords()).toEqual([`${id}.json`]);
    started.child.kill('SIGTERM');
    await started.ended;
  });

  test('takes its task from the work folder when none is given, and leaves the file there', async () => {
    sandbox.manifest(rehearsal([{ say: 'Task was: {{task}}' }]));
    sandbox.write('project/task.md', 'from the folder');
    const ran = await sandbox.run(['run', '--workdir', '.', '--print']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Task was: from the folder\n' });
    expect(existsSync(join(sandbox.project, 'task.md'))).toBe(true);
  });

  test('threaded conversations remember, stateless ones do not', async () => {
    const turns = [{ say: 'first answer' }, { say: 'second answer' }];
    sandbox.manifest(rehearsal(turns, { lifecycle: { conversation: 'threaded' } }));
    const args = ['run', '--task', 'Hallo', '--print', '--context', 'talk'];
    expect((await sandbox.run(args)).stdout).toBe('first answer\n');
    expect((await sandbox.run(args)).stdout).toBe('second answer\n');
    sandbox.manifest(rehearsal(turns));
    expect((await sandbox.run(args)).stdout).toBe('first answer\n');
  });
});

describe('stopping', () => {
  test('SIGTERM while a task runs cancels it, ends in order and exits 1', async () => {
    sandbox.manifest(rehearsal(slow));
    const started = sandbox.start(['run', '--task', 'Hallo']);
    await started.line('session: ');
    await started.seen(() => types().includes('task_start'));
    started.child.kill('SIGTERM');
    const ran = await started.ended;
    expect(ran).toMatchObject({ code: 1, signal: null, stdout: expect.stringContaining('status:  canceled') });
    expect(types()).toEqual(['session_start', 'task_start', 'task_canceled', 'task_end', 'session_end']);
    expect(runningRecords()).toEqual([]);
    expect(sessions()).toEqual([]);
  });

  test('a closed terminal (SIGHUP) drains like SIGTERM', async () => {
    sandbox.manifest(rehearsal(slow));
    const started = sandbox.start(['run', '--task', 'Hallo']);
    await started.line('session: ');
    await started.seen(() => types().includes('task_start'));
    started.child.kill('SIGHUP');
    expect(await started.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('status:  canceled') });
    expect(runningRecords()).toEqual([]);
  });

  test('SIGTERM while idle ends ok', async () => {
    sandbox.manifest(rehearsal(answers));
    const started = sandbox.start(['run']);
    await started.line('session: ');
    await started.seen(() => types().includes('session_start'));
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('status:  ok') });
  });

  test('a deadline cancels the running task and ends deadline_reached, exit 0', async () => {
    sandbox.manifest(rehearsal(slow));
    const ran = await sandbox.run(['run', '--task', 'Hallo', '--deadline', '3']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('status:  deadline_reached') });
    expect(sandbox.trace().at(-1)).toMatchObject({ event_type: 'session_end', exit_status: 'deadline_reached' });
  });
});

describe('kill -9 (spec/trace.md 12.7)', () => {
  test('at any moment leaves a readable trace, and a second run works', async () => {
    const turns = Array.from({ length: 4 }, () => ({
      say: 'word '.repeat(5),
      call: { tool: 'mur-tool-files', input: { action: 'list' } },
    }));
    sandbox.manifest(rehearsal([...turns, { say: 'end' }], { config: { delay_ms: 5 } }));
    await sandbox.run(['run', '--task', 'warm up']);
    for (const [round, lines] of [0, 1, 2, 4, 6].entries()) {
      const started = sandbox.start(['run', '--task', 'Hallo']);
      if (lines > 0) {
        await started.seen(() => sandbox.records().length === round + 2 && types().length >= lines);
      }
      started.child.kill('SIGKILL');
      await started.ended;
      if (lines === 0) sandbox.manifest(readFileSync(join(sandbox.project, 'murmur.yaml'), 'utf8'));
      if (sandbox.records().length < round + 2) {
        // Killed before the folders existed: count this round by a finished run instead.
        await sandbox.run(['run', '--task', 'Hallo']);
        continue;
      }
      for (const line of sandbox.trace()) expect(line).toHaveProperty('event_id');
    }
    const ran = await sandbox.run(['run', '--task', 'Hallo', '--print']);
    expect(ran).toMatchObject({ code: 0, stdout: 'end\n' });
  });
});
