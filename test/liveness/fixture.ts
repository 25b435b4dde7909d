import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type MurmurHome, murmurHome, type Sighting } from '../../src/home/index.js';
import { ensurePrivateDirectory } from '../../src/home/murmur-home.js';
import { type ProcessIdentity, type RunningRecord, startToken } from '../../src/liveness/index.js';
import type { Kernel } from '../../src/liveness/kernel.js';
import { temporaryFolder } from '../home/temporary.js';

/** Largest pid the kernel could give, and never does: `pid_max` is smaller. */
export const unheldPid = 0x7fffffff;

/** R of spec/liveness.md section 10. */
export const record = (extra: Partial<RunningRecord> = {}): RunningRecord => ({
  session_id: 'ses_0199c4e2f1b7712a9d3e4f5061728394',
  url: '127.0.0.1:1',
  pid: 1,
  process_start: '42',
  capsule_name: 'demo',
  capsule_version: '0.1.0',
  workdir: '/tmp/demo',
  outlives_launcher: true,
  started_at: '2026-01-01T00:00:00Z',
  ...extra,
});

export const thisProcess = (): ProcessIdentity => ({ pid: process.pid, process_start: startToken(process.pid)! });

/** A session id that ends in `tail`; greater numbers are newer. */
export const sessionId = (time: number, tail = ''): string =>
  `ses_${time.toString(16).padStart(12, '0')}${'0'.repeat(20 - tail.length)}${tail}`;

export function emptyHome(): MurmurHome {
  const home = murmurHome({ HOME: temporaryFolder() });
  ensurePrivateDirectory(home.running);
  return home;
}

/** Puts a file into the directory of running records as it is, and returns its path. */
export function put(home: MurmurHome, name: string, content: string | Uint8Array): string {
  const path = join(home.running, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

export const putRecord = (home: MurmurHome, given: RunningRecord): string =>
  put(home, `${given.session_id}.json`, JSON.stringify(given));

export interface Running extends ProcessIdentity {
  readonly child: ChildProcess;
}

/** A process that runs until the test ends. */
export async function startProcess(command = 'sleep', args: readonly string[] = ['60']): Promise<Running> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  await once(child, 'spawn');
  const pid = child.pid!;
  return { child, pid, process_start: startToken(pid)! };
}

/** A process that is not a child of this one, ended with the test. */
export async function startStranger(): Promise<ProcessIdentity> {
  const child = spawn('sh', ['-c', 'sleep 60 >/dev/null & echo $!'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const pid = Number(String(line));
  const process_start = startToken(pid)!;
  onTestFinished(() => {
    if (startToken(pid) === process_start) process.kill(pid, 'SIGKILL');
  });
  return { pid, process_start };
}

export const errnoError = (code: string, errno: number): Error => Object.assign(new Error(code), { code, errno });

/** A kernel that gives answers no real process can be made to give, and remembers the signals it was asked to send. */
export function kernel(answers: {
  readonly kill?: (pid: number, signal: 0 | string) => void;
  readonly look?: (pid: number) => Sighting | undefined;
}): Kernel & { readonly asked: (readonly [number, 0 | string])[] } {
  const asked: (readonly [number, 0 | string])[] = [];
  return {
    asked,
    kill: (pid, signal) => {
      asked.push([pid, signal]);
      answers.kill?.(pid, signal);
    },
    look: answers.look ?? (() => ({ zombie: false, startToken: '42' })),
  };
}
