/** What a launch inside another program leaves, and how that program ends it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { murmurHome } from '../../src/home/index.js';
import { prepareRun, type RunRequest } from '../../src/index.js';
import type { SessionNotice } from '../../src/supervise/index.js';
import { type LaunchOptions, type LaunchResult, launch } from '../../src/supervise/launch.js';
import { createWasmHost, type WasmHost } from '../../src/wasm/index.js';
import { rehearsal, Sandbox } from '../e2e/cli.js';
import { build, guests } from '../fixtures/component/guests.js';
import { type Census, census } from './census.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

const answers = [{ call: { tool: 'mur-tool-files', input: { action: 'list' } } }, { say: 'Done.' }];
const slow = [{ say: 'a very slow answer '.repeat(400), delay_ms: 50 }];
const serves = { lifecycle: { task_acceptance: 'queue', after_task: 'sleep' } };

/** How many running records there were at each announcement of a door. */
const published: number[] = [];

function run(manifest: string, options: LaunchOptions = {}, more: RunRequest = { task: 'go' }): Promise<LaunchResult> {
  const manifestPath = sandbox.manifest(manifest);
  const env = { HOME: sandbox.home, PATH: process.env.PATH, MURMUR_A2A_TIMEOUT_SECS: '20' };
  const onNotice = (notice: SessionNotice): void => {
    if (notice.type === 'door.listening') published.push(leftIn('running').length);
    options.onNotice?.(notice);
  };
  return launch(prepareRun({ manifestPath, ...more }, env).request, { home: murmurHome(env), ...options, onNotice });
}

const commands = [{ call: { tool: 'sh', input: { command: 'sleep 60 & echo $$' } } }, { say: 'Done.' }];
const runsCommands = { capabilities: { shell: { allow: ['sh', 'sleep'] }, network: { allow: ['example.com'] } } };

/** Aborts once a notice of this type was heard. */
function abortAt(type: SessionNotice['type'], controller = new AbortController()) {
  return {
    signal: controller.signal,
    onNotice: (notice: SessionNotice) => {
      if (notice.type === type) controller.abort();
    },
  };
}

const leftIn = (folder: 'running' | 'sessions'): string[] => {
  const path = join(sandbox.home, '.murmur', folder);
  return existsSync(path) ? readdirSync(path) : [];
};

describe.runIf(process.platform === 'linux')('a launch', () => {
  const endings: [string, () => Promise<LaunchResult>, string][] = [
    ['that completes', () => run(rehearsal(answers)), 'ok'],
    ['that runs commands', () => run(rehearsal(commands, runsCommands)), 'ok'],
    ['whose driver traps', () => run(rehearsal([{ crash: true }])), 'failed'],
    [
      'that is refused in staging',
      () => run(rehearsal(answers, { capabilities: { plan: { submit: true } } })),
      'failed',
    ],
    [
      'that reaches its deadline',
      () => run(rehearsal(slow), {}, { task: 'go', deadlineMs: 1_500 }),
      'deadline_reached',
    ],
    ['stopped while it stages', () => run(rehearsal(answers), abortAt('stage.entered')), 'canceled'],
    ['stopped while idle', () => run(rehearsal(answers, serves), abortAt('door.listening'), {}), 'ok'],
    ['stopped while its task starts', () => run(rehearsal(slow), abortAt('task.started')), 'canceled'],
    ['stopped while the model answers', () => run(rehearsal(slow), abortAt('text.chunk')), 'canceled'],
    ['stopped while a tool runs', () => run(rehearsal(answers), abortAt('tool.started')), 'canceled'],
  ];

  test('L30 guard released: leaves no record, thread, descriptor, timer, listener, child or folder, however it ends', {
    timeout: 120_000,
  }, async () => {
    for (const [, work] of endings.slice(0, 2)) await work(); // what a first launch loads stays loaded
    await settled();
    const before = census();
    for (const [name, work, status] of endings) {
      published.length = 0;
      expect((await work()).status, name).toBe(status);
      expect(published, name).toEqual(/staging|stages/.test(name) ? [] : [1]);
      await settled(before);
      expect(census(), name).toEqual(before);
      expect([leftIn('running'), leftIn('sessions')], name).toEqual([[], []]);
    }
  });
});

describe('a program that embeds mur', () => {
  test('may have changed its mind before the launch begins', async () => {
    const result = await run(rehearsal(answers), { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'canceled', sessionId: undefined, exitCode: 1, forced: false });
  });

  test('keeps one listener on a signal it shares by many launches', async () => {
    const { signal } = new AbortController();
    let held = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      held += 1;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      held -= 1;
      remove(...args);
    }) as typeof signal.removeEventListener;
    for (let round = 0; round < 2; round += 1)
      expect((await run(rehearsal([{ say: 'x' }]), { signal })).status).toBe('ok');
    expect(held).toBe(0);
  });

  test('stops a script, which then did not do its work', async () => {
    sandbox.write('project/capsule.wasm', await build(guests.capsule));
    sandbox.write('project/echo/murmur.yaml', 'name: echo\nversion: "1.0.0"\nruntime: tool\n');
    sandbox.write('project/echo/echo.wasm', await build(guests.spin));
    const artifacts = [{ name: 'echo', source: './echo', local_source: true }];
    const manifest = JSON.stringify({ name: 'script', version: '0.1.0', artifacts });
    const controller = new AbortController();
    const ended = run(manifest, abortAt('session.staged', controller), {});
    expect(await ended).toMatchObject({ status: 'canceled', exitCode: 1, forced: false });
  });

  test('gets a launch back within its limit, given up, when what it released hangs', async () => {
    const controller = new AbortController();
    const real = createWasmHost({ cacheDir: join(sandbox.home, '.murmur/compiled') });
    // A host whose calls hear no abort and whose close never ends, as with a thread that cannot be stopped.
    const deaf: WasmHost = {
      load: (...args) => real.load(...args),
      call: () => new Promise(() => undefined),
      close: () => new Promise(() => undefined),
    };
    let abortedAt = Number.POSITIVE_INFINITY;
    controller.signal.addEventListener('abort', () => {
      abortedAt = performance.now();
    });
    const warnings: string[] = [];
    const options = abortAt('task.started', controller);
    const result = await run(rehearsal(answers), {
      ...options,
      wasm: deaf,
      endWithinMs: 1_000,
      onNotice: (notice) => {
        options.onNotice(notice);
        if (notice.type === 'warning') warnings.push(notice.code);
      },
    });
    // Well before the limit of a launch that was given none.
    expect(performance.now() - abortedAt).toBeLessThan(15_000);
    expect(result.status).toBe('canceled');
    expect([leftIn('running'), leftIn('sessions')]).toEqual([[], []]);
    await real.close();
  });
});

/** Lets threads and sockets that were told to end do so, until what is left is as `expected`, or has not changed for half a second. */
async function settled(expected?: Census): Promise<void> {
  const until = performance.now() + 30_000;
  for (let last = '', still = 0; still < 25; ) {
    await sleep(20);
    const now = JSON.stringify(census());
    if (now === JSON.stringify(expected)) return;
    still = now === last && (expected === undefined || performance.now() > until) ? still + 1 : 0;
    last = now;
  }
}
