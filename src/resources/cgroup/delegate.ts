import { execFile } from 'node:child_process';
import type { Clock } from '../../supervise/clock.js';
import type { CgroupFiles } from './files.js';
import { parseOwnGroup } from './parse.js';

export interface DelegateRequest {
  readonly pid: number;
  readonly serial: number;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a program to its end; rejects when it fails or takes too long. */
  readonly run: (file: string, args: readonly string[], timeoutMs: number) => Promise<void>;
}

const patienceMs = 2000;

/**
 * Asks the systemd user manager for a scope of our own with delegation, through the `busctl` that comes with systemd, and waits
 * until this process is in it. Best effort: without a bus, or refused, the inherited group stays (spec/resources.md 4.2, step 1).
 */
export async function askForDelegation(
  files: CgroupFiles,
  request: DelegateRequest,
  clock: Pick<Clock, 'sleep' | 'monotonic'>,
): Promise<boolean> {
  const { pid, serial, env } = request;
  if ((env.DBUS_SESSION_BUS_ADDRESS ?? '') === '' && (env.XDG_RUNTIME_DIR ?? '') === '') return false;
  const unit = `murmur-${pid}-${serial}.scope`;
  const until = clock.monotonic() + patienceMs;
  try {
    await request.run('busctl', callOf(unit, pid), patienceMs);
  } catch {
    return false;
  }
  while (clock.monotonic() < until) {
    const own = parseOwnGroup(await files.read('/proc/self/cgroup').catch(() => ''));
    if (own?.split('/').includes(unit) === true) return true;
    await clock.sleep(10);
  }
  return false;
}

/** `StartTransientUnit(name, mode, properties, auxiliary units)` with signature `ssa(sv)a(sa(sv))`. */
function callOf(unit: string, pid: number): string[] {
  const manager = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'];
  const properties = [
    ...['PIDs', 'au', '1', `${pid}`],
    ...['Delegate', 'b', 'true'],
    ...['CollectMode', 's', 'inactive-or-failed'],
  ];
  const call = ['StartTransientUnit', 'ssa(sv)a(sa(sv))', unit, 'fail', '3', ...properties, '0'];
  return ['--user', '--quiet', 'call', ...manager, ...call];
}

export function runProgram(file: string, args: readonly string[], timeoutMs: number): Promise<void> {
  return new Promise((done, fail) => {
    const child = execFile(file, args, { timeout: timeoutMs, killSignal: 'SIGKILL' }, (error) => {
      if (error === null) done();
      else fail(error);
    });
    child.stdin?.end();
  });
}
