import { once } from 'node:events';
import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  createSignaller,
  type Pidfd,
  type ProcessState,
  processState,
  refusalBeforeSignal,
  signalProcess,
} from '../../src/liveness/index.js';
import { systemKernel } from '../../src/liveness/kernel.js';
import { systemPidfd } from '../../src/liveness/pidfd.js';
import { errnoError, kernel, startProcess, startStranger, thisProcess, unheldPid } from './fixture.js';

const pidfd = systemPidfd();
const onLinux = test.runIf(pidfd !== undefined);
const { ESRCH, ENOSYS, EPERM, EMFILE, ENOENT, EINVAL } = constants.errno;

/** A signaller without pidfds. */
const byKill = createSignaller({ pidfd: () => undefined });

describe.each([
  ['as this system does it', signalProcess],
  ['by kill', byKill],
])('signalling %s', (_, signal) => {
  test('L08 no signal on mismatch: this process is not signalled under another start', () => {
    const other = { pid: process.pid, process_start: 'not-this-process' };
    expect(signal(other, 'SIGKILL')).toEqual({ outcome: 'AlreadyGone' });
    expect(signal(other, 'SIGTERM')).toEqual({ outcome: 'AlreadyGone' });
  });

  test.each([0, -1, -process.pid, 2 ** 31, 2 ** 32, 1.5, Number.NaN])('L09 pid %d: already gone', (pid) => {
    expect(signal({ pid, process_start: '42' }, 'SIGTERM')).toEqual({ outcome: 'AlreadyGone' });
  });

  test('a pid nobody holds is already gone', () => {
    expect(signal({ pid: unheldPid, process_start: '42' }, 'SIGKILL')).toEqual({ outcome: 'AlreadyGone' });
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('%s reaches the process of the record', async (name) => {
    const running = await startProcess();
    expect(signal(running, name)).toMatchObject({ outcome: 'Sent' });
    await once(running.child, 'exit');
    expect(running.child.signalCode).toBe(name);
  });

  test('a process that ended is already gone', async () => {
    const running = await startProcess();
    running.child.kill('SIGKILL');
    await once(running.child, 'close');
    expect(signal(running, 'SIGTERM')).toEqual({ outcome: 'AlreadyGone' });
  });

  test('a record with another start signals nothing, a thousand times (reports row 63)', async () => {
    const stranger = await startProcess();
    for (let round = 0; round < 1_000; round += 1) {
      const outcome = signal({ pid: stranger.pid, process_start: `${round}` }, 'SIGKILL');
      expect(outcome).toEqual({ outcome: 'AlreadyGone' });
    }
    expect(processState(stranger)).toEqual({ verdict: 'Alive' });
  });
});

describe('before any signal', () => {
  const refusal = (state: ProcessState) => refusalBeforeSignal(state);

  test('L16 refusal none: a confirmed process is refused nothing', () => {
    expect(refusal({ verdict: 'Alive' })).toBeUndefined();
  });

  test('L17 refusal gone: a process that is gone is already gone', () => {
    expect(refusal({ verdict: 'Gone', reason: 'no process holds pid 1' })).toEqual({ outcome: 'AlreadyGone' });
  });

  test('L18 refusal unverified: the reading that failed is the reason', () => {
    const reason = "pid 1's start time could not be read";
    expect(refusal({ verdict: 'Unverified', reason })).toEqual({ outcome: 'Refused', reason });
  });
});

const recorded = { pid: 7, process_start: '42' };

describe('by kill', () => {
  const refusing = (code: string, errno: number) =>
    kernel({
      kill: (_, signal) => {
        if (signal !== 0) throw errnoError(code, errno);
      },
    });
  const send = (system: ReturnType<typeof kernel>) =>
    createSignaller({ kernel: system, pidfd: () => undefined })(recorded, 'SIGTERM');

  test('L31 ended in between: ESRCH after Alive is already gone', () => {
    expect(send(refusing('ESRCH', -ESRCH))).toEqual({ outcome: 'AlreadyGone' });
  });

  test('L32 refused by the kernel: the reason is its words', () => {
    expect(send(refusing('EPERM', -EPERM))).toEqual({
      outcome: 'Refused',
      reason: 'Operation not permitted (os error 1)',
    });
  });

  test('a confirmed process gets one signal, after one reading, and the outcome says how', () => {
    const system = kernel({});
    expect(send(system)).toEqual({ outcome: 'Sent', via: 'kill' });
    expect(system.asked).toEqual([
      [7, 0],
      [7, 'SIGTERM'],
    ]);
  });

  test('an unverified process gets none', () => {
    const system = kernel({ look: () => undefined });
    expect(send(system)).toEqual({ outcome: 'Refused', reason: "pid 7's start time could not be read" });
    expect(system.asked).toEqual([[7, 0]]);
  });
});

/** Pidfds that answer what no kernel here can be made to, and remember what was done with them. */
function fakePidfd(answers: { open?: number; send?: number }): Pidfd & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    open: () => {
      calls.push('open');
      return answers.open === undefined ? { fd: 99 } : { errno: answers.open };
    },
    send: (_, signal) => {
      calls.push(signal);
      return answers.send ?? 0;
    },
    watch: () => ({ close: () => {} }),
    close: () => void calls.push('close'),
  };
}

describe('by pidfd', () => {
  const signaller = (fds: Pidfd, system = kernel({})) => createSignaller({ kernel: system, pidfd: () => fds });

  test('opens, then reads, then sends, then closes', () => {
    const fds = fakePidfd({});
    const look = () => {
      fds.calls.push('look');
      return { zombie: false, startToken: '42' };
    };
    expect(signaller(fds, kernel({ look }))(recorded, 'SIGTERM')).toEqual({ outcome: 'Sent', via: 'pidfd' });
    expect(fds.calls).toEqual(['open', 'look', 'SIGTERM', 'close']);
  });

  test.each([
    [{ zombie: true, startToken: '42' }, { outcome: 'AlreadyGone' }],
    [{ zombie: false, startToken: '43' }, { outcome: 'AlreadyGone' }],
    [undefined, { outcome: 'Refused', reason: "pid 7's start time could not be read" }],
  ])('sends nothing when the reading after the open is %j', (sighting, outcome) => {
    const fds = fakePidfd({});
    expect(signaller(fds, kernel({ look: () => sighting }))(recorded, 'SIGKILL')).toEqual(outcome);
    expect(fds.calls).toEqual(['open', 'close']);
  });

  test.each([
    [ESRCH, { outcome: 'AlreadyGone' }],
    [EPERM, { outcome: 'Refused', reason: 'Operation not permitted (os error 1)' }],
  ])('a send that fails with errno %d is an outcome, and the descriptor is closed', (send, outcome) => {
    const fds = fakePidfd({ send });
    expect(signaller(fds)(recorded, 'SIGTERM')).toEqual(outcome);
    expect(fds.calls.at(-1)).toBe('close');
  });

  test('a pid nobody holds at the open is already gone', () => {
    expect(signaller(fakePidfd({ open: ESRCH }))(recorded, 'SIGTERM')).toEqual({ outcome: 'AlreadyGone' });
  });

  test.each([ENOSYS, EPERM])('a kernel or a filter without them, errno %d, is asked once and then never', (open) => {
    const fds = fakePidfd({ open });
    const signal = signaller(fds);
    expect(signal(recorded, 'SIGTERM')).toEqual({ outcome: 'Sent', via: 'kill' });
    expect(signal(recorded, 'SIGTERM')).toEqual({ outcome: 'Sent', via: 'kill' });
    expect(fds.calls).toEqual(['open']);
  });

  test('a process out of descriptors falls back this once', () => {
    const fds = fakePidfd({ open: EMFILE });
    const signal = signaller(fds);
    expect(signal(recorded, 'SIGTERM')).toEqual({ outcome: 'Sent', via: 'kill' });
    expect(signal(recorded, 'SIGTERM')).toEqual({ outcome: 'Sent', via: 'kill' });
    expect(fds.calls).toEqual(['open', 'open']);
  });

  test.each([
    [ENOENT, 'No such file or directory (os error 2)'],
    [EINVAL, 'Invalid argument (os error 22)'],
  ])('a number held by a thread, errno %d, is not given to kill', (open, reason) => {
    const system = kernel({});
    expect(signaller(fakePidfd({ open }), system)(recorded, 'SIGKILL')).toEqual({ outcome: 'Refused', reason });
    expect(system.asked).toEqual([[7, 0]]);
  });

  onLinux('is what this system uses', async () => {
    expect(signalProcess(await startProcess(), 'SIGTERM')).toEqual({ outcome: 'Sent', via: 'pidfd' });
  });

  onLinux('L38 token changed between listing and signal: already gone, and the other process survives', async () => {
    const stranger = await startStranger();
    const listed = { pid: stranger.pid, process_start: `${Number(stranger.process_start) - 1}` };
    expect(signalProcess(listed, 'SIGKILL')).toEqual({ outcome: 'AlreadyGone' });
    expect(processState(stranger)).toEqual({ verdict: 'Alive' });
  });

  onLinux('a process that ends between the reading and the send is already gone or never hurt by it', async () => {
    const running = await startProcess();
    const dying = {
      ...systemKernel,
      look: (pid: number) => {
        const sighting = systemKernel.look(pid);
        process.kill(pid, 'SIGKILL');
        return sighting;
      },
    };
    expect(['Sent', 'AlreadyGone']).toContain(createSignaller({ kernel: dying })(running, 'SIGTERM').outcome);
    await once(running.child, 'close');
    expect(running.child.signalCode).toBe('SIGKILL');
  });

  onLinux('leaves no descriptor behind', async () => {
    const { readdirSync } = await import('node:fs');
    const count = () => readdirSync('/proc/self/fd').length;
    const other = { pid: process.pid, process_start: '1' };
    signalProcess(other, 'SIGTERM');
    const before = count();
    for (let round = 0; round < 200; round += 1) signalProcess(other, 'SIGTERM');
    expect(count()).toBe(before);
  });
});

test('this process is still here', () => {
  expect(processState(thisProcess())).toEqual({ verdict: 'Alive' });
});
