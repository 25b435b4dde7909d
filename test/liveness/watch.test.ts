import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { awaitExit, type Pidfd, processState, watchExit } from '../../src/liveness/index.js';
import { systemPidfd } from '../../src/liveness/pidfd.js';
import { kernel, startProcess, startStranger, unheldPid } from './fixture.js';

const pidfd = systemPidfd();
const onLinux = test.runIf(pidfd !== undefined);
const without = () => undefined;

describe('watching a process that is not ours', () => {
  onLinux('the kernel says when it ended', async () => {
    const stranger = await startStranger();
    const noticed = watchExit(stranger, { keepAlive: true });
    process.kill(stranger.pid, 'SIGKILL');
    await expect(noticed).resolves.toEqual({ via: 'pidfd' });
    expect(processState(stranger).verdict).toBe('Gone');
  });

  onLinux('many at once, and nothing stays open', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    const before = count();
    const strangers = await Promise.all(Array.from({ length: 20 }, startStranger));
    const noticed = strangers.map((stranger) => watchExit(stranger, { keepAlive: true }));
    await vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(before + 20), { timeout: 20_000 });
    for (const { pid } of strangers) process.kill(pid, 'SIGKILL');
    expect(await Promise.all(noticed)).toEqual(Array.from({ length: 20 }, () => ({ via: 'pidfd' })));
    await vi.waitFor(() => expect(count()).toBeLessThanOrEqual(before), { timeout: 20_000 });
  });

  test('without pidfds it is read again and again', async () => {
    const stranger = await startStranger();
    const noticed = watchExit(stranger, { pidfd: without, pollMs: 5, keepAlive: true });
    process.kill(stranger.pid, 'SIGKILL');
    await expect(noticed).resolves.toEqual({ via: 'poll' });
  });

  test('one that is gone already is noticed at once', async () => {
    await expect(watchExit({ pid: unheldPid, process_start: '1' })).resolves.toEqual({ via: 'poll' });
    await expect(watchExit({ pid: process.pid, process_start: 'another' })).resolves.toEqual({ via: 'poll' });
  });

  test.each([
    ['by pidfd', {}],
    ['by reading', { pidfd: without }],
  ])('an abort ends the watch %s and leaves nothing open', async (_, options) => {
    const stranger = await startStranger();
    const before = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0;
    const controller = new AbortController();
    const noticed = watchExit(stranger, { ...options, signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(noticed).rejects.toThrow('enough');
    await expect(watchExit(stranger, { ...options, signal: controller.signal })).rejects.toThrow('enough');
    if (before > 0) expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  });

  test('an Unverified process is waited for: a reading that failed is no end', async () => {
    const sightings = [undefined, undefined, undefined, { zombie: true, startToken: undefined }];
    const system = kernel({ look: () => sightings.shift() });
    await watchExit({ pid: 7, process_start: '42' }, { kernel: system, pidfd: without, pollMs: 1, keepAlive: true });
    expect(sightings).toEqual([]);
  });
});

describe('a descriptor that misbehaves', () => {
  const fake = (watch: Pidfd['watch'], closed: string[] = []): Pidfd => ({
    open: () => ({ fd: 99 }),
    send: () => 0,
    watch,
    close: () => void closed.push('descriptor'),
  });
  const identity = { pid: 7, process_start: '42' };

  /** Alive for the first `readings`, then gone. */
  function ending(readings: number) {
    let left = readings;
    return kernel({ look: () => ({ zombie: left-- <= 0, startToken: '42' }) });
  }

  test('that fires while the process runs is not believed', async () => {
    const closed: string[] = [];
    const fds = fake((_, notify) => {
      setImmediate(notify);
      return { close: () => void closed.push('watch') };
    }, closed);
    const options = { kernel: ending(5), pidfd: () => fds, pollMs: 1, keepAlive: true };
    await expect(watchExit(identity, options)).resolves.toEqual({ via: 'poll' });
    expect(closed).toEqual(['watch', 'descriptor']);
  });

  test('that cannot be watched is closed, and the process is read instead', async () => {
    const closed: string[] = [];
    const fds = fake(() => {
      throw new Error('no such function');
    }, closed);
    const options = { kernel: ending(3), pidfd: () => fds, pollMs: 1, keepAlive: true };
    await expect(watchExit(identity, options)).resolves.toEqual({ via: 'poll' });
    expect(closed).toEqual(['descriptor']);
  });

  test('that was opened after the process ended is closed at once', async () => {
    const closed: string[] = [];
    const watch = vi.fn();
    const options = { kernel: ending(1), pidfd: () => fake(watch, closed) };
    await expect(watchExit(identity, options)).resolves.toEqual({ via: 'pidfd' });
    expect(watch).not.toHaveBeenCalled();
    expect(closed).toEqual(['descriptor']);
  });
});

describe('waiting for the end, for a limited time', () => {
  test('ends with the process', async () => {
    const { child, ...identity } = await startProcess();
    const ended = awaitExit(identity, 20_000);
    child.kill('SIGTERM');
    await expect(ended).resolves.toBe('Exited');
  });

  test('ends at the limit', async () => {
    await expect(awaitExit(await startProcess(), 30)).resolves.toBe('StillRunning');
  });

  test('of no time looks once', async () => {
    await expect(awaitExit(await startProcess(), 0)).resolves.toBe('StillRunning');
    await expect(awaitExit({ pid: unheldPid, process_start: '1' }, 0)).resolves.toBe('Exited');
  });

  test('does not count an Unverified process as ended', async () => {
    const system = kernel({ look: () => undefined });
    const options = { kernel: system, pidfd: without, pollMs: 1 };
    await expect(awaitExit({ pid: 7, process_start: '42' }, 20, options)).resolves.toBe('StillRunning');
  });

  test('is ended by an abort', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(awaitExit(await startProcess(), 20_000, { signal })).rejects.toThrow('enough');
  });

  test('does not change when the wall clock steps an hour either way', async () => {
    const { child, ...identity } = await startProcess();
    const now = Date.now();
    const wall = vi.spyOn(Date, 'now');
    try {
      wall.mockReturnValue(now + 3_600_000);
      await expect(awaitExit(identity, 30, { pidfd: without, pollMs: 5 })).resolves.toBe('StillRunning');
      wall.mockReturnValue(now - 3_600_000);
      const ended = awaitExit(identity, 20_000, { pidfd: without, pollMs: 5 });
      child.kill('SIGKILL');
      await expect(ended).resolves.toBe('Exited');
    } finally {
      wall.mockRestore();
    }
  });
});

const built = new URL('../../dist/src/liveness/index.js', import.meta.url);

/** Watches `target` in a Node process in which nothing else happens. */
function watchAlone(target: { pid: number; process_start: string }, options: object) {
  const code = `
    import { watchExit } from ${JSON.stringify(built.href)};
    const { kill, ...options } = ${JSON.stringify(options)};
    watchExit(${JSON.stringify({ pid: target.pid, process_start: target.process_start })}, options)
      .then(({ via }) => console.log('noticed by ' + via));
    if (kill) process.kill(${target.pid}, 'SIGKILL');`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', timeout: 15_000 });
}

describe.runIf(existsSync(built))('a process that does nothing but watch', () => {
  test('ends at once unless it is asked to stay', async () => {
    const { stdout, status, stderr } = watchAlone(await startStranger(), {});
    expect({ stdout, status, stderr }).toEqual({ stdout: '', status: 0, stderr: '' });
  });

  onLinux('that stays is told by the kernel', async () => {
    const { stdout, status } = watchAlone(await startStranger(), { keepAlive: true, kill: true });
    expect({ stdout, status }).toEqual({ stdout: 'noticed by pidfd\n', status: 0 });
  });
});
