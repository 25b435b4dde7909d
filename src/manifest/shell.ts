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
