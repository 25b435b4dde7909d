/** The same box by hand: what `mur sandbox` holds a command to. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columns } from './case.js';
import { type Entry, entryOf, type Where } from './record.js';
import type { Setting } from './session.js';
import type { Evidence } from './verdict.js';

export const sandboxRows = {
  read: {
    id: 'sandbox-read-outside',
    from: 'issue, mur sandbox',
    attempt: 'mur sandbox -- cat of a world-readable file beside the work folder',
    kind: 'boundary',
    expect: columns(['n/a', 'REFUSED', 'REFUSED']),
    by: { EACCES: 'Landlock has no rule for it', ENOENT: 'not in the composed root' },
  },
} as const;

/** From `dist/test/battery`, where the battery runs. */
const mur = fileURLToPath(new URL('../../src/bin/mur.js', import.meta.url));

export async function sandboxed({ ground, held }: Setting, where: Where): Promise<readonly Entry[]> {
  const kept = join(ground.folders.work, 'kept-for-sandbox');
  const box = ['sandbox', '--workdir', ground.folders.work, '--containment', held, '--'];
  // One command: what it may write shows that it ran.
  const line = `echo ran > ${kept} && cat ${kept} && cat ${join(ground.root, 'outside', 'secret')}`;
  const { out, err, exitCode } = await run([...box, 'bash', '-c', line], ground.folders.work);
  return [entryOf(sandboxRows.read, where, evidenceOf(out, err, exitCode))];
}

function evidenceOf(out: string, err: string, exitCode: number | null): Evidence {
  const said = err.trim().split('\n').at(-1) ?? '';
  if (!out.startsWith('ran\n')) return { kind: 'none', detail: `exit ${exitCode}: ${said}` };
  if (out !== 'ran\n') return { kind: 'through', detail: 'it read the file' };
  if (said.endsWith('Permission denied')) return { kind: 'errno', errno: 'EACCES', detail: said };
  if (said.endsWith('No such file or directory')) return { kind: 'errno', errno: 'ENOENT', detail: said };
  return { kind: 'none', detail: `exit ${exitCode}: ${said}` };
}

function run(args: readonly string[], cwd: string): Promise<{ out: string; err: string; exitCode: number | null }> {
  const child = spawn(process.execPath, [mur, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.once('close', (exitCode) => resolve({ out, err, exitCode })));
}
