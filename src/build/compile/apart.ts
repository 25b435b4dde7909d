/**
 * The componentizer in a process of its own. It runs the top level of the author's source, which may never end or never stop taking
 * memory, and native code cannot be stopped from within. Not the component's own limits at run time (src/wasm).
 *
 * Does not stop: memory taken between two looks at it, 100 ms apart; on systems without /proc nothing but the 4 GiB that a
 * WebAssembly memory can have.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { MurError } from '../../errors/index.js';
import { isMissing } from '../../manifest/index.js';

export interface BuildLimits {
  /** From the start of the process to its end. */
  readonly deadlineMs: number;
  /** Resident memory of the whole process; the engine itself takes about 200 MiB. */
  readonly memoryBytes: number;
}

/** A tool of the usual size takes about a second. */
export const buildLimits: BuildLimits = { deadlineMs: 60_000, memoryBytes: 2 * 1024 ** 3 };

const watchMs = 100;
const pageBytes = 4096;

/** The program of the process: files in, files out. It ends with its parent, whose end closes its stdin. */
const program = `
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const [library, engine, witPath, source, target, failure] = process.argv.slice(1);
process.stdin.on('close', () => process.exit(1)).resume();
try {
  const { componentize } = createRequire(library)(library);
  const options = { witPath, jsSource: readFileSync(source, 'utf8'), runtimeBytes: readFileSync(engine) };
  writeFileSync(target, (await componentize(options)).component);
} catch (error) {
  writeFileSync(failure, error instanceof Error ? error.message : String(error));
}
process.exit(0);
`;

/** What `componentize` makes of `code`. Throws an `Error` with its words, or `E-BLD-901` when a limit was reached. */
export async function componentizeApart(
  task: { readonly folder: string; readonly witPath: string; readonly engine: string; readonly code: string },
  limits: BuildLimits,
): Promise<Buffer> {
  const at = (name: string) => join(task.folder, name);
  writeFileSync(at('source.js'), task.code);
  const library = createRequire(import.meta.url).resolve('componentize-qjs');
  const files = [task.engine, task.witPath, at('source.js'), at('component.wasm'), at('failure.txt')];
  // Nothing of the environment: the source is evaluated there.
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, library, ...files], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  let reached: MurError | undefined;
  const stop = (what: string) => {
    reached ??= new MurError('E-BLD-901', `the source was stopped while it was built: ${what}`, {
      hint: 'code outside of functions runs at build time: look for a loop there that does not end, or move it into the function',
    });
    child.kill('SIGKILL');
  };
  const deadline = setTimeout(
    () => stop(`its code outside of functions did not end within ${limits.deadlineMs / 1000} s`),
    limits.deadlineMs,
  );
  const watch = setInterval(() => {
    if (residentBytes(child.pid) <= limits.memoryBytes) return;
    stop(`its code outside of functions took more than ${Math.round(limits.memoryBytes / 1024 ** 2)} MiB of memory`);
  }, watchMs);
  try {
    const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (reached !== undefined) throw reached;
    const failure = textOf(at('failure.txt'));
    if (failure !== undefined) throw new Error(failure);
    if (status !== 0) throw new Error(`the compiler ended with ${signal ?? `status ${status}`}`);
    return readFileSync(at('component.wasm'));
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
  }
}

function residentBytes(pid: number | undefined): number {
  return Number(textOf(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0) * pageBytes;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
    throw error;
  }
}
