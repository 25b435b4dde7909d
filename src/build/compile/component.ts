import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMurError, MurError, reasonOf } from '../../errors/index.js';
import { type BuildLimits, buildLimits, componentizeApart } from './apart.js';
import { artifactsFolder } from './package-files.js';
import { worldText, writeWorld } from './world.js';

interface EngineFacts {
  /** The value of the engine's build-time global, negative; see scripts/build-engine.mjs. */
  readonly building: string;
}

/**
 * `code` as a component that exports the interface `exported`: QuickJS with the code already evaluated. The same code gives the same
 * bytes on every machine. Throws `E-BLD-901` when the code fails while it is evaluated.
 */
export async function componentOf(
  code: string,
  imports: readonly string[],
  exported: string,
  limits: BuildLimits = buildLimits,
): Promise<Uint8Array> {
  const artifacts = artifactsFolder();
  const engine = join(artifacts, 'engine');
  const temporary = mkdtempSync(join(tmpdir(), 'mur-build-'));
  try {
    const witPath = join(temporary, 'wit');
    mkdirSync(witPath);
    writeWorld(witPath, worldText(imports, exported), join(artifacts, 'wit', 'deps'));
    const component = await componentizeApart(
      { folder: temporary, witPath, engine: join(engine, 'quickjs.wasm'), code },
      limits,
    );
    const { building } = JSON.parse(readFileSync(join(engine, 'engine.json'), 'utf8')) as EngineFacts;
    endBuilding(component, BigInt(building));
    renameNamespace(component);
    return component;
  } catch (error) {
    if (isMurError(error)) throw error;
    throw new MurError('E-BLD-901', `the source failed while it was built: ${cause(error)}`, {
      hint: 'code outside of functions runs at build time, without files, network and variables: move it into the function',
      cause: error,
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Turns the engine's build-time global positive: from here on its clock and its randomness are real. */
function endBuilding(bytes: Buffer, building: bigint): void {
  const before = sleb128(building);
  const at = bytes.indexOf(before);
  if (at === -1 || bytes.indexOf(before, at + 1) !== -1) {
    throw new MurError('E-IO-003', 'artifacts/engine/quickjs.wasm is not the engine this build of mur expects', {
      hint: 'install mur again',
    });
  }
  sleb128(-building).copy(bytes, at);
}

/** A 64-bit number as WebAssembly writes it. */
function sleb128(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const isLast = rest === (low & 0x40 ? -1n : 0n);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return Buffer.from(bytes);
  }
}

/**
 * `wasj:` -> `wasi:` in place. QuickJS's own runtime brings wasi 0.2.12, and a world that names the same packages again does not
 * link; so artifacts/wit has them under another name, and at a version that must stay different from 0.2.12.
 */
function renameNamespace(bytes: Buffer): void {
  for (let at = bytes.indexOf('wasj:'); at !== -1; at = bytes.indexOf('wasj:', at)) bytes.write('wasi:', at);
}

/** The sentence of the componentizer that names the cause, without the frames of the engine. */
function cause(error: unknown): string {
  const text = reasonOf(error);
  const missing = /unknown import: `(\S+)#(\S+)` has not been defined/.exec(text);
  if (missing !== null)
    return `it called ${missing[2]} of ${missing[1]?.replace(/^wasj:/, 'wasi:')} outside of a function`;
  if (text.includes('resulted in a dead lock')) return 'await outside of a function waits for what only a call brings';
  // The bundler drops what stands after a throw that is always reached, and with it what the component exports.
  if (/exported variable '\S+' does not exist/.test(text)) return 'it throws outside of a function, whatever happens';
  const lines = text.split('\n').map((line) => line.trim());
  const line =
    lines.find((one) => /(?:Error|Exception):/.test(one)) ?? lines.find((one) => one !== '') ?? 'no reason was given';
  return line.replace(/^[:\s]+/, '').replace(/^(?:Failed to [a-z A-Z]+: )+/, '');
}
