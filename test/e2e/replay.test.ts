import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openReplay, type Replay } from '../../src/replay/index.js';
import { rehearsal, Sandbox } from './cli.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const example = join(import.meta.dirname, '../../examples/first');
const listing = { call: { tool: 'mur-tool-files', input: { action: 'list' } } };
const slow = [{ say: 'a very slow answer '.repeat(200), delay_ms: 50 }];

function newest(): Replay {
  return openReplay(sandbox.records().at(-1) ?? '');
}

/** Every event of a real session leads where it led. */
function expectFaithful(replay: Replay): void {
  expect(replay.warnings).toEqual([]);
  expect(replay.verify()).toMatchObject({ divergence: undefined, unchecked: 0, checked: replay.length });
}

const rootOf = (replay: Replay) => replay.stateAt(replay.length - 1).machines[0];

describe('a real session replays without a divergence', () => {
  test('the first example, with its tools and its skill', async () => {
    sandbox.copy(example, 'project');
    expect(await sandbox.run(['run', '--task', 'Why did the pump stop?'])).toMatchObject({ code: 0 });
    const replay = newest();
    expectFaithful(replay);
    expect(rootOf(replay)).toMatchObject({ status: 'done', value: 'ended', context: { status: 'ok' } });
    const ran = replay.machines().map(({ chart }) => chart);
    expect(ran.filter((chart) => chart === 'turn')).toHaveLength(6);
    expect(ran.filter((chart) => chart === 'tool-call')).toHaveLength(6);
  });

  test.each([
    ['that answers', [{ say: 'Done.' }], {}],
    ['whose driver reports an error', [{ error: 'the model is asleep' }], {}],
    ['whose driver traps', [{ crash: true }], {}],
    ['whose driver stops for no known reason', [{ say: 'x', stop_reason: 'pause' }], {}],
    ['whose tool fails', [{ call: { tool: 'mur-tool-files', input: { action: 'nonsense' } } }, { say: 'Oh.' }], {}],
    ['that asks for a tool it does not have', [{ call: { tool: 'no-such-tool', input: {} } }, { say: 'Oh.' }], {}],
    ['that never ends', [listing], { max_turns: 3 }],
  ])('one %s', async (_, turns, inference) => {
    const config = { turns, loop: true };
    const driver = { artifact: 'mur-driver-rehearsal', config };
    sandbox.manifest(rehearsal(turns, { inference: { model: 'rehearsal', ...inference, driver } }));
    await sandbox.run(['run', '--task', 'Hallo']);
    const replay = newest();
    expectFaithful(replay);
    expect(rootOf(replay)).toMatchObject({ status: 'done', value: 'ended' });
  });

  test('one with a blank task', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }]));
    await sandbox.run(['run', '--task', '  \n ']);
    expectFaithful(newest());
    expect(rootOf(newest())).toMatchObject({ context: { status: 'failed' } });
  });

  test('one that nobody sends a task', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }]));
    await sandbox.run(['run'], { MURMUR_A2A_TIMEOUT_SECS: '1' });
    expectFaithful(newest());
    expect(
      newest()
        .events()
        .map(({ ev }) => ev.type),
    ).toContainEqual(expect.stringMatching(/^xstate\.after\.idleTimeout/));
  });

  test('one with a deadline', async () => {
    sandbox.manifest(rehearsal(slow));
    await sandbox.run(['run', '--task', 'Hallo', '--deadline', '3']);
    expectFaithful(newest());
    expect(rootOf(newest())).toMatchObject({ context: { status: 'deadline_reached' } });
  });

  test('one that is told to stop in the middle of a model call', async () => {
    sandbox.manifest(rehearsal(slow));
    const run = sandbox.start(['run', '--task', 'Hallo']);
    await run.line('session: ');
    await run.seen(() => readLog().includes('start infer'));
    run.child.kill('SIGTERM');
    await run.ended;
    const replay = newest();
    expectFaithful(replay);
    expect(
      replay
        .events()
        .filter(({ ev }) => ev.type === 'xstate.stop')
        .map(({ path }) => path),
    ).toEqual(['session/task/turn']);
    expect(rootOf(replay)).toMatchObject({ value: 'ended' });
  });

  test('one that is killed, as far as it came; its chart shows where it was', async () => {
    sandbox.manifest(rehearsal(slow));
    const run = sandbox.start(['run', '--task', 'Hallo']);
    const sessionId = await run.line('session: ');
    await run.seen(() => readLog().includes('start infer'));
    // It can be replayed while it runs.
    const running = await sandbox.run(['chart', sessionId.trim()]);
    expect(running).toMatchObject({ code: 0, stdout: expect.stringContaining('● inferring') });
    run.child.kill('SIGKILL');
    await run.ended;
    const replay = newest();
    expectFaithful(replay);
    expect(replay.stateAt(replay.length - 1).machines.map(({ path, value }) => [path, value])).toMatchObject([
      ['session', { running: { serving: 'working' } }],
      ['session/task', { active: { loop: 'turning' } }],
      ['session/task/turn', 'inferring'],
    ]);
    expect(await sandbox.run(['replay', '--verify'])).toMatchObject({ code: 0 });
  });
});

function readLog(): string {
  const path = join(sandbox.records().at(-1) ?? '', 'events.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

describe('mur replay and mur chart', () => {
  test('find the newest session of the project, show it, verify it, and draw it', async () => {
    sandbox.manifest(rehearsal([listing, { say: 'Done.' }]));
    await sandbox.run(['run', '--task', 'Hallo']);
    const shown = await sandbox.run(['replay']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/tool-call +✓ run status ok +fenced/);
    const moment = await sandbox.run(['replay', '@1', '--at', '9']);
    expect(moment.stdout).toMatch(/^event 9 of 0 to \d+/);
    expect(await sandbox.run(['replay', '--verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ \d+ events/),
    });
    expect(await sandbox.run(['chart', '@1'])).toMatchObject({ code: 0, stdout: expect.stringContaining('◎ ended') });
    const svg = await sandbox.run(['chart', '@1', '--svg']);
    expect(svg.stdout).toMatch(/^<svg .*class="state final [^"]*\bon\b[^"]*" data-id="session\.ended"/s);
  });

  test('refuse by code what they cannot find', async () => {
    expect(await sandbox.run(['replay'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error[E-TRC-002]'),
    });
    expect(await sandbox.run(['replay', './nothing.jsonl'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error[E-IO-001]'),
    });
    expect(await sandbox.run(['chart', 'sesion'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('neither a machine'),
    });
  });

  test('say where a changed log parts, and exit 1', async () => {
    sandbox.manifest(rehearsal([{ say: 'Done.' }]));
    await sandbox.run(['run', '--task', 'Hallo']);
    const log = join(sandbox.records()[0]!, 'events.jsonl');
    writeFileSync(log, readFileSync(log, 'utf8').replace('"decision":"end_turn"', '"decision":"tool_call","calls":[]'));
    const ran = await sandbox.run(['replay', '--verify']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^error\[E-TRC-901\]: event \d+ \(xstate\.done\.actor\.infer\) leads session\/task\/turn elsewhere: state/,
    );
    sandbox.excuse(relative(sandbox.root, log), 'an event of it was changed by hand');
  });
});

describe('secrets', () => {
  test('that a guest or a provider says aloud are in no byte of the log and of the bundle', async () => {
    const secrets = { SERVICE_TOKEN: 'planted-token-4711', DB_PASSWORD: 'planted "quoted" wörd' };
    const said = `no access with ${Object.values(secrets).join(' or ')}`;
    sandbox.manifest(rehearsal([{ error: said }], { capabilities: { env: { allow: Object.keys(secrets) } } }));
    await sandbox.run(['run', '--task', 'Hallo'], secrets);
    const [records] = sandbox.records();
    expect(sandbox.filesWith('planted').filter((path) => path.endsWith('events.jsonl'))).toEqual([]);
    expect(readFileSync(join(records!, 'events.jsonl'), 'utf8')).toContain('no access with [redacted] or [redacted]');
    expectFaithful(newest());

    const exported = await sandbox.run(['replay', '--export', 'a.murbundle'], secrets);
    expect(exported).toMatchObject({ code: 0, stdout: expect.stringMatching(/^a\.murbundle: [\d,]+ bytes\n$/) });
    const bundle = readFileSync(join(sandbox.project, 'a.murbundle'), 'utf8');
    expect(bundle).toContain('"section":"trace"');
    expect(bundle).toContain('"section":"conversation"');
    expect(bundle).toContain('"section":"manifest"');
    for (const secret of [...Object.values(secrets), sandbox.home]) expect(bundle.includes(secret)).toBe(false);
    expect(await sandbox.run(['replay', 'a.murbundle', '--verify'])).toMatchObject({ code: 0 });
  });
});
