/** Whole sessions that declare `capabilities.filesystem.read_only`, in the library: what is refused, what fails, what is said of it. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { probeHost } from '../../src/containment/index.js';
import type { Commands } from '../../src/effects/command.js';
import { executeForGuest } from '../../src/effects/command-guest.js';
import { runStep } from '../../src/effects/command-step.js';
import { rehearsal } from '../e2e/cli.js';
import { caller, commandSession } from './command/session.js';
import { Library } from './run.js';

const host = await probeHost();
// Below the temporary folder of the machine a private /tmp would hide the session.
const place = resolve('test-output', `read-only-${process.pid}`);

let library: Library;
let work: string;
beforeAll(() => {
  library = new Library(place);
  work = join(library.sandbox.root, 'work');
});
afterAll(async () => {
  await library.close();
  rmSync(place, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'tests'), { recursive: true });
  writeFileSync(join(work, 'tests', 'a'), 'kept\n');
});

const files = (input: object) => ({ call: { tool: 'mur-tool-files', input } });
const sh = (command: string, tool = 'bash') => ({ call: { tool, input: { command } } });
const readOnly = (rules: readonly string[], more: object = {}) => ({
  capabilities: { filesystem: { read_only: rules }, ...more },
  trace: { capture: 'content' },
});
const run = async (turns: readonly unknown[], more: object) => {
  const left = await library.run(rehearsal([...turns, { say: 'Done.' }], more as Record<string, unknown>));
  expect(left.result.error).toBeUndefined();
  const of = (type: string) => left.lines.filter(({ event_type }) => event_type === type);
  const warnings = left.notices.flatMap((notice) =>
    notice.type === 'warning' ? [`${notice.code} ${notice.message}`] : [],
  );
  return { ...left, of, warnings };
};

test('a tool that names a protected path is not run, one that comes to it otherwise fails there, and reading works', async () => {
  const { of, warnings } = await run(
    [
      files({ action: 'write', path: 'tests/a', content: 'x' }),
      files({ action: 'edit', path: 'tests/a', old_text: 'kept', new_text: 'x' }),
      files({ action: 'write', path: 'tests2', content: 'x' }),
      files({ action: 'read', path: 'tests/a' }),
    ],
    readOnly(['tests']),
  );
  const reason =
    "'mur-tool-files' was not run: it would write tests/a (path key 'path' beside content key 'content'), and " +
    "capabilities.filesystem.read_only protects 'tests'. Nothing was started and nothing was changed. Reading it still works; write somewhere else.";
  expect(of('protected_path_denied')).toMatchObject([
    { call: 'tool', target: 'mur-tool-files', path: 'tests/a', rule: 'tests', reason },
  ]);
  const calls = of('tool_call').map(({ status, output }) => [status, String(output)] as const);
  expect(calls.map(([status]) => status)).toEqual(['error', 'ok', 'ok']);
  expect(calls[0]![1]).toMatch(/cannot be changed: this folder is read only/);
  expect(calls[2]![1]).toContain('kept');
  expect(readFileSync(join(work, 'tests/a'), 'utf8')).toBe('kept\n');
  expect(readFileSync(join(work, 'tests2'), 'utf8')).toBe('x');
  expect(of('session_end')).toMatchObject([{ total_tool_calls: 3 }]);
  // Its files are walked, so nothing it writes there would come through: there is nothing to warn of.
  expect(warnings.filter((each) => each.startsWith('W-SEC-01'))).toEqual([]);
  expect(of('session_start')).toMatchObject([
    {
      effective_grants: {
        read_only_paths: ['tests'],
        read_only_enforcement: { commands: null, commands_because: 'the capsule starts no commands', guests: 'walk' },
      },
    },
  ]);
});

test('a tool that sees one folder is judged by what it sees', async () => {
  mkdirSync(join(work, 'sub/tests'), { recursive: true });
  const artifacts = [
    { name: 'mur-driver-rehearsal', version: '0.1.0', runtime: 'driver' },
    { name: 'mur-tool-files', version: '0.1.0', capabilities: { filesystem: { scope: 'sub' } } },
  ];
  const write = (path: string) => files({ action: 'write', path, content: 'x' });
  const { of } = await run([write('tests/b'), write('locked/b')], { ...readOnly(['tests', 'sub/locked']), artifacts });
  expect(readFileSync(join(work, 'sub/tests/b'), 'utf8')).toBe('x');
  expect(of('protected_path_denied')).toMatchObject([{ path: 'sub/locked/b', rule: 'sub/locked' }]);
});

const isMounted = host.chain === 'bubblewrap' && host.bubblewrap?.bindFd === true;
const floors = host.hostTier === 'sealed' ? ['scoped', 'sealed'] : ['advisory'];

describe.runIf(process.platform === 'linux').each(floors)('commands of a %s session', (containment) => {
  test('are refused by their text, and what their text does not show fails where paths are mounted', async () => {
    const python = `python3 -Ic 'open("tests/a", "w").write("x")' 2>&1 | tail -1`;
    const { of, warnings } = await run(
      [
        sh('echo one; echo x > tests/a'),
        sh('-f tests/a', 'rm'),
        sh('echo ran > ran; cat tests/a'),
        sh(python),
        sh('cd tests && mv a b; cd ..; mv tests old; ls tests'),
      ],
      readOnly(['tests'], { containment, shell: { allow: ['bash', 'cat', 'ls', 'mv', 'rm', 'tail', 'python3'] } }),
    );
    expect(of('protected_path_denied')).toMatchObject([
      { call: 'shell', target: 'bash', path: 'tests/a', rule: 'tests', signal: "redirection '>'" },
      { call: 'shell', target: 'rm', path: 'tests/a', rule: 'tests', signal: 'argument of rm' },
      { call: 'shell', target: 'bash', path: 'tests', rule: 'tests', signal: 'argument of mv' },
    ]);
    expect(of('shell').map(({ command }) => command)).toEqual(['echo ran > ran; cat tests/a', python]);
    const [read, written] = of('tool_call').map(({ output }) => String(output));
    expect(read).toContain('kept');
    if (isMounted) {
      expect(written).toContain('Read-only file system');
      expect(readFileSync(join(work, 'tests/a'), 'utf8')).toBe('kept\n');
    }
    const told = warnings.filter((each) => each.startsWith('W-SEC-017'));
    expect(told).toHaveLength(isMounted ? 0 : 2);
    expect(of('session_start')).toMatchObject([
      {
        effective_grants: {
          read_only_advisory_for: ['bash', 'python3'],
          read_only_enforcement: { commands: isMounted ? 'mounts' : null, guests: 'walk', not_held: [] },
        },
      },
    ]);
  });
});

test('where nothing is mounted, or not all of it, each interpreter is warned of, and what it writes goes through (read-only-interpreter)', async () => {
  const { warnings } = await run(
    [sh(`python3 -Ic 'open("tests/a", "w").write("gone")'`)],
    readOnly(['tests'], { containment: 'unconfined', shell: { allow: ['cat', 'bash', 'python3'] } }),
  );
  expect(warnings.filter((each) => each.startsWith('W-SEC-017'))).toEqual(
    ['bash', 'python3'].map(
      (name) =>
        `W-SEC-017 read_only paths are declared, and the check of calls cannot see what '${name}' writes (commands run without a box)`,
    ),
  );
  expect(readFileSync(join(work, 'tests/a'), 'utf8')).toBe('gone');
  const absent = await run([], readOnly(['tests', 'later'], { shell: { allow: ['bash'] } }));
  const told = absent.warnings.find((each) => each.startsWith('W-SEC-017'));
  if (isMounted) expect(told).toContain('(later: it does not exist');
});

test('a guest and a plan are refused as a model is', async () => {
  const denied: string[] = [];
  const session = commandSession({
    denied: ({ name, args }) => {
      denied.push([name, ...args].join(' '));
      return name === 'sh' ? 'no' : undefined;
    },
  });
  const commands: Commands = session.commands;
  const guest = (binary: string) => executeForGuest(commands, { binary, args: ['a'], env: [] }, caller);
  expect(await guest('sh')).toEqual({ answer: 'no' });
  expect((await guest('echo')).answer).toMatchObject({ stdout: 'a\n' });
  expect(await runStep(commands, 'sh -c x', caller)).toEqual({ status: 'failed', text: 'no' });
  expect(denied).toEqual(['sh a', 'echo a', 'sh -c x']);
});

describe('the size of a work folder of a capsule without commands', () => {
  const limited = { capabilities: { resources: { workdir_max_bytes: 1000 } } };
  /** Looks at once, and then as often as it can. */
  const clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((done, stop) => {
        const abort = (): void => {
          clearTimeout(timer);
          stop(signal?.reason);
        };
        const timer = setTimeout(
          () => {
            signal?.removeEventListener('abort', abort);
            done();
          },
          ms === 10_000 ? 1 : ms,
        );
        signal?.addEventListener('abort', abort, { once: true });
      }),
  };

  test('ends the session at the next turn once it is above its limit (E-RUN-013)', async () => {
    writeFileSync(join(work, 'big'), 'x'.repeat(2000));
    const turns = Array.from({ length: 40 }, () => files({ action: 'list' }));
    const manifest = rehearsal([...turns, { say: 'Done.' }], { ...limited });
    const { result, notices } = await library.run(manifest, {}, { clock });
    expect(result.error).toMatchObject({
      code: 'E-RUN-013',
      message: expect.stringMatching(
        /^the work folder holds 2005 bytes, more than capabilities.resources.workdir_max_bytes \(1000\)/,
      ),
    });
    expect(notices.filter((notice) => notice.type === 'warning' && notice.message.includes('2005'))).toHaveLength(1);
    expect(existsSync(join(work, 'big'))).toBe(true);
  });

  test('is not in the way below it', async () => {
    const left = await library.run(
      rehearsal([files({ action: 'list' }), { say: 'Done.' }], { ...limited }),
      {},
      { clock },
    );
    expect(left.result.status).toBe('ok');
  });

  test('ends a script, which has no next turn', async () => {
    const { build, guests } = await import('../fixtures/component/guests.js');
    writeFileSync(join(work, 'big'), 'x'.repeat(2000));
    library.sandbox.write('project/capsule.wasm', await build(guests.capsule));
    library.sandbox.write('project/echo/murmur.yaml', 'name: echo\nversion: "1.0.0"\nruntime: tool\n');
    library.sandbox.write('project/echo/echo.wasm', await build(guests.spin));
    const artifacts = [{ name: 'echo', source: './echo', local_source: true }];
    const manifest = JSON.stringify({ name: 'script', version: '0.1.0', artifacts, ...limited });
    const { result } = await library.run(manifest, {}, { clock });
    expect(result.error?.code).toBe('E-RUN-013');
  });
});
