import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const script = resolve(import.meta.dirname, '../fixtures/lock/pinner.mjs');

export interface Pinner {
  readonly kill: () => void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stdout: string }>;
}

/** A process of its own that pins `<prefix>-0`, `<prefix>-1`, ... in `dir`, each in one update. */
export function startPinner(dir: string, prefix: string, count: number, dieAt = 0): Pinner {
  const child = spawn(process.execPath, [script, dir, prefix, String(count)], {
    env: { PATH: process.env.PATH ?? '', MUR_TEST_DIE_AT: String(dieAt) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return {
    kill: () => child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal, stdout })),
  };
}
