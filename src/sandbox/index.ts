/**
 * One command in the box of a session, without a session: `mur sandbox`. Decides with the code of a launch (src/stage), opens the same
 * box (src/effects/session-box.ts) and gives the command the same environment (src/shell), so that what happens here happens there.
 *
 * | File | Does |
 * |---|---|
 * | prepare | reads what is asked for: a manifest, or flags |
 * | manifest, kit | the manifest of a box made of flags, and what a program commonly needs |
 * | check-host | what `workdir_exec` must not hide |
 * | folders | folders that are thrown away |
 * | run, signals | the command, its streams and signals, its end |
 *
 * What a command has by this and not in a session: the standard streams of the caller, wherever they lead, a terminal among them.
 * It can write escape sequences to that terminal and read what is typed into it. It cannot put characters into the terminal's input
 * (`TIOCSTI` is refused) and has no controlling terminal. Not kept here: the size limit of the work folder, which in a session keeps
 * the next command from starting. `read_only` is kept by the box's mounts, and not where a session dispatches calls.
 * Read next: run.ts.
 */
export { explainBox, type HeldThing, type SandboxExplanation } from './explain.js';
export type { Grants } from './manifest.js';
export {
  type BoxWarning,
  type Prepared,
  prepareSandbox,
  type SandboxCommand,
  type SandboxRequest,
} from './prepare.js';
export { runSandbox, type SandboxEnd, type SandboxOptions } from './run.js';
