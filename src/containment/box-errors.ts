import { dirname } from 'node:path';
import { MurError } from '../errors/index.js';
import { osErrorText } from '../liveness/os-error.js';
import type { Binary } from './executables.js';

/**
 * A command that was not started, because something that contains it could not be set up. Ends the call, not the session; the next
 * command may well start. Its message is safe to show: it names steps and paths, never an argument or a variable.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly step: string;

  constructor(step: string, reason: string) {
    super(`sandbox: ${step} failed before exec: ${reason}`);
    this.step = step;
  }
}

/**
 * What a failed step means. A sealed root that cannot be built is no command's fault and no next command's hope: `E-RUN-014`, which
 * ends the session (spec/containment.md 5.2).
 */
export function startFailure(step: string, reason: string | number, isFatal: boolean): StartFailure | MurError {
  const words = typeof reason === 'number' ? osErrorText(reason) : reason;
  if (!isFatal) return new StartFailure(step, words);
  return new MurError('E-RUN-014', `the sealed root of a command could not be built: ${step}: ${words}`, {
    hint: 'look at the path the message names, and at what mur doctor says about sealed on this host; nothing weaker was used instead',
    details: { step },
  });
}

/**
 * Why an allowed name does not start: it is a script, and what the kernel starts for it is not allowed. `undefined` for any other.
 * The shims of version managers are such scripts, and find their program where a box does not look.
 */
export function scriptProblem({ name, path, missing }: Binary): string | undefined {
  if (missing === undefined) return undefined;
  if (isShim(path)) return `${path} is a shim of a version manager; ${shimHint(name)}`;
  return `${path} is a script, and what starts it is not allowed: ${missing.join(', ')}`;
}

/** Whether a program is a stand-in that a version manager (pyenv, rbenv, asdf and their like) put on the PATH. */
export function isShim(path: string): boolean {
  return dirname(path).endsWith('/shims');
}

/** What makes the program itself be found. */
export function shimHint(name: string): string {
  return `put the folder of the real ${name} before it in PATH`;
}
