import type { InterpreterRuntimeGrant, StagedRuntimeGrant } from '../manifest/index.js';

/** One path that commands may use, for a kernel rule and, under `sealed`, a bind. */
export interface PathGrant {
  /** Absolute, links followed. */
  readonly path: string;
  readonly access: 'read' | 'read-write' | 'execute';
  /** Whether the folder may be listed; meaningless for a file. */
  readonly list: boolean;
  /** False: a path that cannot be opened is left out, which only ever narrows. */
  readonly required: boolean;
}

/** One program that a name of `shell.allow` stands for. A name has as many as there are folders of PATH that hold it. */
export interface Binary {
  readonly name: string;
  /** Links followed. */
  readonly path: string;
  /** Whether it is the first match in PATH: what a command of that name starts. */
  readonly first: boolean;
  readonly image: 'elf' | 'script' | 'other';
}

/** An allowed name that starts a `#!` script whose packages a composed root would not hold (spec/containment.md 9.5). */
export interface UnreachableScript {
  readonly name: string;
  readonly path: string;
  /** Base name of the interpreter its first line asks for. */
  readonly interpreter: string;
}

/** What native processes of a session may execute and must be able to read to run. Computed once per session. */
export interface Executables {
  readonly binaries: readonly Binary[];
  /** Every file that may be executed, loaders and libraries included, as the kernel rule needs them. Sorted. */
  readonly executable: readonly string[];
  /** Interpreter folders and their libraries, declared and derived. */
  readonly readable: readonly PathGrant[];
  readonly derived: readonly DerivedInterpreter[];
  readonly unreachableScripts: readonly UnreachableScript[];
}

/** What an interpreter said about itself (spec/containment.md 9.3). */
export interface DerivedInterpreter {
  readonly binary: string;
  readonly dirs: readonly string[];
  readonly libraries: readonly string[];
}

export interface ExecutablesAsked {
  readonly allow: readonly string[];
  /** PATH of the runtime. */
  readonly path: string;
  readonly interpreterRuntime: readonly InterpreterRuntimeGrant[];
  readonly stagedRuntime: readonly StagedRuntimeGrant[];
  /** Folders the session may write to: an interpreter in one of them is not run to be asked. */
  readonly writable?: readonly string[];
}

export type ResolveExecutables = (asked: ExecutablesAsked) => Promise<Executables>;
