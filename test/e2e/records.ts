/** Running records of processes that are no session, for what no session does on purpose: ignoring SIGTERM, lying about its id. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startToken } from '../../src/liveness/index.js';
import { mintId } from '../../src/supervise/index.js';
import type { Sandbox } from './cli.js';

export const runningDir = (sandbox: Sandbox): string => join(sandbox.home, '.murmur', 'running');

/** Session ids that have a record. */
export function recorded(sandbox: Sandbox): string[] {
  const folder = runningDir(sandbox);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
}

/** Writes a record of `pid`, with `over` in place of what is true. Returns its session id. */
export function writeRecord(sandbox: Sandbox, pid: number, over: Readonly<Record<string, unknown>> = {}): string {
  const record = {
    session_id: mintId('ses'),
    url: '127.0.0.1:1',
    pid,
    process_start: startToken(pid),
    capsule_name: 'demo',
    capsule_version: '0.1.0',
    workdir: sandbox.root,
    outlives_launcher: true,
    started_at: '2026-01-01T00:00:00Z',
    ...over,
  };
  mkdirSync(runningDir(sandbox), { recursive: true, mode: 0o700 });
  writeFileSync(join(runningDir(sandbox), `${record.session_id}.json`), JSON.stringify(record), { mode: 0o600 });
  return record.session_id;
}

/** A process that runs until it is killed; `ignoring` SIGTERM or not. */
export async function lingering(options: { readonly ignoring: boolean }): Promise<ChildProcess> {
  const script = `${options.ignoring ? "process.on('SIGTERM', () => {});" : ''} setInterval(() => {}, 1000); console.log('up')`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout!, 'data');
  return child;
}

export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

export async function killed(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
