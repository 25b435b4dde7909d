import { describe, expect, test } from 'vitest';
import type { GuestCaller } from '../../src/effects/guest.js';
import { GuestCommands } from '../../src/effects/guest-commands.js';
import type { LogEntry } from '../../src/effects/log.js';
import { noTotals } from '../../src/effects/totals.js';
import type { SessionWorld } from '../../src/effects/world.js';
import { MurError } from '../../src/errors/index.js';
import { toolOutcome } from '../../src/tools/index.js';
import type { ShellRun } from '../../src/wasm/index.js';
import { caller, commandSession } from './command/session.js';

const ofTask = (more: Partial<GuestCaller> = {}): GuestCaller => ({
  ...caller,
  signal: new AbortController().signal,
  ...more,
});
const sh = (script: string): ShellRun => ({ binary: 'sh', args: ['-c', script], env: [] });
const passed = () =>
  toolOutcome('t', {
    status: 'passed',
    summary: undefined,
    data: 'ok',
    dataPath: undefined,
    truncated: false,
    metadata: [],
  });

/** The commands of one guest call in a session of real ones. */
function opened(of: GuestCaller, change: Parameters<typeof commandSession>[0] = {}, trace?: SessionWorld['trace']) {
  const session = commandSession(change);
  const log: LogEntry[] = [];
  const world = {
    draft: { networkCeiling: [] },
    commands: session.commands,
    totals: noTotals(),
    log: { write: (entry: LogEntry) => log.push(entry) },
    trace: trace ?? session.trace,
  } as unknown as SessionWorld;
  const guest = new GuestCommands(world, of);
  const run = (asked: ShellRun, signal = guest.signal) => guest.host()(asked, signal);
  return { session, world, guest, run, log };
}

describe('the commands of a guest call', () => {
  test('of a model are traced once, when their call has its line, and counted for the task and the session', async () => {
    const totals = noTotals();
    const { session, world, guest, run } = opened(ofTask({ totals }));
    await run(sh('exit 3'));
    await run(sh('true'));
    expect([session.lines('shell'), totals.shellCalls]).toEqual([[], 0]);
    guest.trace();
    guest.trace();
    expect(session.lines('shell').map(({ exit_code }) => exit_code)).toEqual([3, 0]);
    expect([totals.shellCalls, world.totals.shellCalls]).toEqual([2, 2]);
  });

  test('of a script capsule are traced at once', async () => {
    const { session, world, run } = opened(ofTask({ taskId: null }));
    await run(sh('exit 3'));
    expect(session.lines('shell')).toMatchObject([{ exit_code: 3, task_id: null }]);
    expect(world.totals.shellCalls).toBe(1);
  });

  test('end the call when no further one can be started, and the session with it', async () => {
    const box = { start: () => Promise.reject(new MurError('E-RUN-014', 'no root')) };
    const { guest, run } = opened(ofTask(), { box });
    await expect(run(sh('true'))).rejects.toBe('no root');
    expect(guest.signal.aborted).toBe(true);
    expect(guest.concluded(passed())).toMatchObject({ fatal: { code: 'E-RUN-014' } });
  });

  test('end a script capsule whose trace cannot be written', async () => {
    const write = () => {
      throw new MurError('E-RUN-007', 'no room');
    };
    const { guest, run } = opened(ofTask({ taskId: null }), {}, { write } as unknown as SessionWorld['trace']);
    await run(sh('true'));
    expect(guest.fatal).toMatchObject({ code: 'E-RUN-007' });
    expect(guest.signal.aborted).toBe(true);
  });

  test('name each limit once behind the answer of the call', async () => {
    const { guest, run } = opened(ofTask());
    for (const signal of ['XCPU', 'XCPU', 'XFSZ']) await run(sh(`kill -${signal} $$`));
    const { runtimeNote } = guest.concluded(passed());
    expect(runtimeNote?.match(/capabilities\.resources\.\w+/g)).toEqual([
      'capabilities.resources.cpu_seconds',
      'capabilities.resources.max_file_size_bytes',
    ]);
  });

  test('leave few lines in the log, however much is refused', async () => {
    const { run, log } = opened(ofTask());
    for (let index = 0; index < 100; index++)
      await expect(run({ ...sh(''), binary: `p${index}` })).rejects.toContain('is not in');
    expect(log).toHaveLength(20);
  });

  test('are all gone once settled, also one that nobody waits for any more', async () => {
    const stop = new AbortController();
    const { session, guest, run, log } = opened(ofTask({ signal: stop.signal }));
    const waiting = run(sh('sleep 100'));
    while (session.box.started.length === 0) await new Promise(setImmediate);
    stop.abort();
    await expect(waiting).rejects.toContain('was ended');
    await guest.settled();
    expect(log.map(({ message }) => message)).toEqual(["'sh' was ended with the guest that started it"]);
    guest.trace();
    expect(session.lines('shell')).toEqual([]);
  });
});
