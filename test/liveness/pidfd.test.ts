import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { systemPidfd } from '../../src/liveness/pidfd.js';
import { startProcess, unheldPid } from './fixture.js';

const pidfd = systemPidfd();
const onLinux = test.runIf(pidfd !== undefined);

test('koffi is pinned to one version, because its poll is undocumented', () => {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(optionalDependencies.koffi).toMatch(/^\d+\.\d+\.\d+$/);
});

onLinux('a descriptor reaches its process, and nothing once that was waited on', async () => {
  const { child, pid } = await startProcess();
  const opened = pidfd!.open(pid);
  if (!('fd' in opened)) throw new Error(`errno ${opened.errno}`);
  expect(pidfd!.send(opened.fd, 'SIGTERM')).toBe(0);
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGTERM');
  expect(pidfd!.send(opened.fd, 'SIGKILL')).toBe(constants.errno.ESRCH);
  pidfd!.close(opened.fd);
});

onLinux('a pid nobody holds cannot be opened', () => {
  expect(pidfd!.open(unheldPid)).toEqual({ errno: constants.errno.ESRCH });
});

onLinux('koffi calls back when a watched process ends, and not before', async () => {
  const { child, pid } = await startProcess();
  const opened = pidfd!.open(pid);
  if (!('fd' in opened)) throw new Error(`errno ${opened.errno}`);
  let calls = 0;
  const told = new Promise<void>((resolve) => {
    const watch = pidfd!.watch(
      opened.fd,
      () => {
        calls += 1;
        watch.close();
        watch.close();
        resolve();
      },
      { keepAlive: true },
    );
  });
  await new Promise(setImmediate);
  expect(calls).toBe(0);
  child.kill('SIGKILL');
  await told;
  pidfd!.close(opened.fd);
});

const built = new URL('../../dist/src/liveness/index.js', import.meta.url);

test.runIf(existsSync(built) && existsSync('/proc/self/maps'))(
  'importing the folder loads no native code; the first signal does',
  () => {
    const code = `
      import { readFileSync } from 'node:fs';
      import { signalProcess } from ${JSON.stringify(built.href)};
      const loaded = () => readFileSync('/proc/self/maps', 'latin1').includes('koffi');
      const before = loaded();
      signalProcess({ pid: process.pid, process_start: 'another' }, 'SIGTERM');
      console.log(JSON.stringify([before, loaded()]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual([false, pidfd !== undefined]);
  },
);
