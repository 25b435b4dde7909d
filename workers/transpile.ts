/**
 * The transpile task: component bytes to wrapped JavaScript and instrumented core modules. Runs in a pool of its own, because
 * it keeps a thread busy for up to a second and its libraries hold tens of megabytes. Not the cache (src/wasm/cache.ts).
 */
import { transpileBytes } from '@bytecodealliance/jco-transpile';
import { instrument } from './instrument.js';
import type { TranspiledModule, TranspileResult, TranspileTask } from './message.js';
import { transpileOptions } from './revision.js';
import { wrap } from './wrap.js';

/** The compiled form of the bytes, or the reason there is none. Never throws. */
export default async function transpile(task: TranspileTask): Promise<TranspileResult> {
  try {
    const { files, imports } = await transpileBytes(task.bytes, { ...transpileOptions });
    const modules: TranspiledModule[] = [];
    let source: string | undefined;
    for (const [name, bytes] of Object.entries(files)) {
      if (name.endsWith('.wasm')) modules.push({ name, ...instrument(bytes) });
      else if (name.endsWith('.js')) source = wrap(Buffer.from(bytes).toString('utf8'));
    }
    if (source === undefined) return { status: 'refused', reason: 'the transpiler wrote no JavaScript' };
    return { status: 'built', source: Buffer.from(source, 'utf8'), modules, imports };
  } catch (error) {
    return { status: 'refused', reason: reasonText(error) };
  }
}

/** One line: the transpiler throws strings, payload objects and errors with a stack of its own. */
function reasonText(error: unknown): string {
  const payload = (error as { payload?: unknown } | undefined)?.payload;
  const text = typeof payload === 'string' ? payload : error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim().slice(0, 500) || 'unknown reason';
}
