/**
 * `wasi:cli` for a guest without a terminal: its own environment and arguments, a closed stdin, captured output, and an exit that
 * throws. Not the host's environment, working directory or terminal: nothing here reads `process`.
 * Read next: capture.ts, exit.ts.
 */
import type { Poller } from '../io/poll.js';
import { emptySource, InputStream, OutputStream } from '../io/streams.js';
import type { Capture } from './capture.js';
import { ExitError } from './exit.js';

export { Capture } from './capture.js';
export { ExitError } from './exit.js';

class TerminalInput {}
class TerminalOutput {}

export interface CliOptions {
  readonly env: readonly (readonly [string, string])[];
  readonly args: readonly string[];
  readonly stdout: Capture;
  readonly stderr: Capture;
}

export function cliImports(poller: Poller, options: CliOptions): Record<string, Record<string, unknown>> {
  return {
    'wasi:cli/environment': {
      getEnvironment: () => options.env.map(([name, value]) => [name, value]),
      getArguments: () => [...options.args],
      initialCwd: () => undefined,
    },
    'wasi:cli/exit': {
      exit: (status: { readonly tag: 'ok' | 'err' }) => {
        throw new ExitError(status.tag === 'ok' ? 0 : 1);
      },
      exitWithCode: (code: number) => {
        throw new ExitError(code);
      },
    },
    'wasi:cli/stdin': { getStdin: () => new InputStream(poller, emptySource) },
    'wasi:cli/stdout': { getStdout: () => new OutputStream(poller, options.stdout.sink()) },
    'wasi:cli/stderr': { getStderr: () => new OutputStream(poller, options.stderr.sink()) },
    'wasi:cli/terminal-input': { TerminalInput },
    'wasi:cli/terminal-output': { TerminalOutput },
    'wasi:cli/terminal-stdin': { getTerminalStdin: () => undefined },
    'wasi:cli/terminal-stdout': { getTerminalStdout: () => undefined },
    'wasi:cli/terminal-stderr': { getTerminalStderr: () => undefined },
  };
}
