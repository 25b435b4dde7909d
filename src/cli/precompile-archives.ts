import { existsSync } from 'node:fs';
import { describeArchive } from '../artifacts/describe.js';
import { readArtifactFile } from '../artifacts/payload.js';
import { archiveLimits } from '../artifacts/zip/limits.js';
import { type MurError, toMurError } from '../errors/index.js';
import { murmurHome } from '../home/index.js';
import { refuseHomeInside } from '../stage/mint.js';
import { murVersion } from '../version.js';
import { createWasmHost, type WasmHost } from '../wasm/index.js';
import type { CliContext, ExitStatus } from './context.js';
import { errorText } from './output.js';
import type { PrecompileFlags } from './precompile.js';
import { type PrecompileOutcome, precompileArtifact } from './precompile-artifact.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';
import { WaitLine } from './wait-line.js';

interface Precompiled {
  readonly path: string;
  readonly name: string | null;
  readonly version: string | null;
  readonly outcome: PrecompileOutcome | 'failed';
  readonly error?: MurError;
}

const words = {
  compiled: 'compiled',
  already_stored: 'already stored',
  not_wasm: 'not wasm',
  failed: 'failed',
} as const;
const wordColumns = Math.max(...Object.values(words).map((word) => word.length));

/** Compiles each archive into the compiled cache, one after another, and says what came of it. */
export async function precompileArchives(
  zips: readonly string[],
  flags: PrecompileFlags,
  { stdout, stderr, env }: CliContext,
): Promise<ExitStatus> {
  const home = murmurHome(env);
  if (flags.workdir !== undefined && existsSync(flags.workdir)) refuseHomeInside(flags.workdir, home.root);
  const facts = { isTerminal: stderr.isTerminal, env, noColor: !flags.color };
  const style = styleFor(wantsColor(facts));
  const waiting = new WaitLine(stderr, { ...facts, style });
  const wasm = createWasmHost({ cacheDir: home.compiled });
  const results: Precompiled[] = [];
  try {
    for (const path of zips) {
      waiting.show(`compiling ${path}`);
      const result = await precompile(wasm, path);
      waiting.clear();
      results.push(result);
      if (flags.json !== true) stdout.write(`${line(result)}\n`);
      if (result.error !== undefined) stderr.write(errorText(result.error, style));
    }
  } finally {
    waiting.clear();
    await wasm.close();
  }
  if (flags.json === true) {
    const artifacts = results.map(({ path, name, version, outcome }) => ({ path, name, version, outcome }));
    const ceiling = archiveLimits(env).entryBytes;
    stdout.write(`${JSON.stringify({ mur_version: murVersion, decompression_ceiling: ceiling, artifacts })}\n`);
  }
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

async function precompile(wasm: WasmHost, path: string): Promise<Precompiled> {
  let identity: Pick<Precompiled, 'path' | 'name' | 'version'> = { path, name: null, version: null };
  try {
    const artifact = await describeArchive(readArtifactFile(path), path);
    identity = { path, name: artifact.meta.name, version: artifact.meta.version };
    return { ...identity, outcome: await precompileArtifact(wasm, artifact, path) };
  } catch (error) {
    return { ...identity, outcome: 'failed', error: toMurError(error) };
  }
}

function line({ outcome, name, version, path }: Precompiled): string {
  return `${words[outcome].padEnd(wordColumns)}  ${oneLine(name === null ? path : `${name}@${version}`)}`;
}
