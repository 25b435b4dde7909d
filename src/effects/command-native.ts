import type { BoxCommand } from '../containment/box.js';
import type { ResourceLimit } from '../resources/index.js';
import {
  limitNote,
  nativeFailure,
  nativeInput,
  nativeOutputLimitBytes,
  nativeOverflow,
  nativeResult,
} from '../shell/index.js';
import { type DispatchOutcome, toolOutcome } from '../tools/index.js';
import type { Commands } from './command.js';
import { asStopped, type Caller, endOf, requestOf } from './command-call.js';
import type { CommandRequest } from './command-process.js';

export interface NativeCall extends Caller {
  readonly name: string;
  readonly data: string | undefined;
  /** The image the runtime wrote. Absolute, links followed. */
  readonly image: string;
  /** Of the operator's entry: compact JSON, and the folder of its state store. */
  readonly settings?: { readonly config?: string; readonly stateDir?: string };
  /** What this tool may use beyond what commands may. */
  readonly extra?: BoxCommand['extra'];
}

/** A call of a native tool (spec/shell.md 7). Never moved to the background. What it says to stderr goes to the session's log. */
export async function runNative(commands: Commands, call: NativeCall): Promise<DispatchOutcome> {
  const { name, data, image, settings, extra, signal } = call;
  const line = { name, args: [], command: '' };
  const request: CommandRequest = {
    ...requestOf(commands, line, call, { ...(settings && { settings }), mayDetach: false }),
    path: image,
    stdin: nativeInput(data),
    stdoutCapBytes: nativeOutputLimitBytes,
    ...(extra === undefined ? {} : { extra }),
  };
  const outcome = await commands.run(request, signal);
  if (outcome.kind !== 'finished') {
    const { reason, fatal } = asStopped(outcome);
    return {
      ...toolOutcome(name, nativeFailure(name, reason)),
      runtimeError: reason,
      ...(fatal === undefined ? {} : { fatal }),
    };
  }
  const { stdout, stderr } = outcome.process.shown;
  if (stderr !== '') commands.host.log({ level: 'info', message: `stderr of native tool ${name}`, stderr });
  if (outcome.process.overflowed) return toolOutcome(name, nativeFailure(name, nativeOverflow));
  const { exitCode, waitError, resourceLimit } = endOf(outcome);
  if (waitError !== null) return toolOutcome(name, nativeFailure(name, `waiting for it failed: ${waitError}`));
  const result = nativeResult(name, { exitCode, stdout, stderr });
  return toolOutcome(name, result, resourceLimit === null ? undefined : limitNote(resourceLimit as ResourceLimit));
}
