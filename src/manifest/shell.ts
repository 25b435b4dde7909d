import { trimmed } from './present.js';
import type { Fault } from './report.js';
import { block, flag, list, text, texts, z } from './shape.js';
import type { Path } from './tree.js';

const runtimeDirShape = z.object({ path: text(), list_dir: flag() });
const interpreterRuntimeShape = z.object({ binary: text(), dirs: list(runtimeDirShape) });
const stagedRuntimeShape = z.object({ binary: text(), source_path: text(), pin: text() });

/** `capabilities.shell`. */
export const shellShape = block({
  allow: texts(),
  strip_env: texts(),
  baseline_env: texts(),
  interpreter_runtime: list(interpreterRuntimeShape),
  staged_runtime: list(stagedRuntimeShape),
});

/** Host directories one interpreter needs (spec/manifest.md section 6.2). */
export interface InterpreterRuntimeGrant {
  readonly binary: string;
  readonly dirs: readonly { readonly path: string; readonly listDir: boolean }[];
}

/** A pinned runtime tree for one binary (spec/manifest.md section 6.2). */
export interface StagedRuntimeGrant {
  readonly binary: string;
  readonly sourcePath: string;
  readonly pin: string;
}

/** `capabilities.shell`: bare binary names and what their processes may see. */
export interface ShellGrant {
  readonly allow: readonly string[];
  readonly stripEnv: readonly string[];
  readonly baselineEnv: readonly string[];
  readonly interpreterRuntime: readonly InterpreterRuntimeGrant[];
  readonly stagedRuntime: readonly StagedRuntimeGrant[];
}

export function readShell(raw: NonNullable<z.infer<typeof shellShape>>, path: Path, fault: Fault): ShellGrant {
  const allow = raw.allow ?? [];
  if (allow.length === 0) throw fault([...path, 'allow'], 'must contain at least one binary');
  const at = (list: string, index: number): Path => [...path, list, index];
  const interpreterRuntime = (raw.interpreter_runtime ?? []).map((grant, index) =>
    readInterpreter(grant, at('interpreter_runtime', index), allow, fault),
  );
  const interpreters = new Set(interpreterRuntime.map((grant) => grant.binary));
  const stagedRuntime = (raw.staged_runtime ?? []).map((grant, index) =>
    readStaged(grant, at('staged_runtime', index), allow, interpreters, fault),
  );
  return {
    allow,
    stripEnv: raw.strip_env ?? [],
    baselineEnv: raw.baseline_env ?? [],
    interpreterRuntime,
    stagedRuntime,
  };
}

function readInterpreter(
  raw: z.infer<typeof interpreterRuntimeShape>,
  path: Path,
  allow: readonly string[],
  fault: Fault,
): InterpreterRuntimeGrant {
  const binary = allowedBinary(raw.binary, path, allow, fault);
  const dirs = raw.dirs ?? [];
  if (dirs.length === 0) throw fault([...path, 'dirs'], 'must name at least one directory');
  return {
    binary,
    dirs: dirs.map((dir, index) => {
      const at = [...path, 'dirs', index];
      const folder = absolutePath(dir.path, [...at, 'path'], 'must name a host directory', fault);
      if (dir.list_dir === null || dir.list_dir === undefined) {
        throw fault([...at, 'list_dir'], 'must be written: true or false');
      }
      return { path: folder, listDir: dir.list_dir };
    }),
  };
}

function readStaged(
  raw: z.infer<typeof stagedRuntimeShape>,
  path: Path,
  allow: readonly string[],
  interpreters: ReadonlySet<string>,
  fault: Fault,
): StagedRuntimeGrant {
  const binary = allowedBinary(raw.binary, path, allow, fault);
  if (interpreters.has(binary)) {
    throw fault(
      [...path, 'binary'],
      `'${binary}' already has an interpreter_runtime grant; a binary takes one of the two`,
    );
  }
  const sourcePath = absolutePath(raw.source_path, [...path, 'source_path'], 'must name a runtime tree', fault);
  const pin = trimmed(raw.pin);
  if (pin === undefined) throw fault([...path, 'pin'], 'must name the build of the tree');
  return { binary, sourcePath, pin };
}

function allowedBinary(value: string | null | undefined, path: Path, allow: readonly string[], fault: Fault): string {
  const binary = trimmed(value);
  if (binary === undefined) throw fault([...path, 'binary'], 'must name a binary');
  if (!allow.includes(binary)) throw fault([...path, 'binary'], `'${binary}' is not in this block's allow list`);
  return binary;
}

function absolutePath(value: string | null | undefined, path: Path, absent: string, fault: Fault): string {
  const result = trimmed(value);
  if (result === undefined) throw fault(path, absent);
  if (!result.startsWith('/')) throw fault(path, `'${result}' must be an absolute path`);
  return result;
}
