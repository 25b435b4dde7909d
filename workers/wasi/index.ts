/**
 * The WASI 0.2 host of one guest call, in the shape a transpiled component imports. Made fresh for every call; the classes are shared,
 * their instances and everything behind them are not.
 *
 * Not the murmur imports and not the linking (workers/), not the decision which host or address may be reached (src/wasm/egress, on
 * the main thread). A guest gets only what `WasiOptions` names: no host environment, arguments, working directory, terminal, socket.
 * Read next: fs/index.ts, http/index.ts, io/streams.ts.
 */
import { Capture, cliImports } from './cli/index.js';
import { clockImports } from './clocks.js';
import { createFs } from './fs/index.js';
import { httpImports } from './http/index.js';
import { IoError } from './io/error.js';
import { createPoller, Pollable } from './io/poll.js';
import { InputStream, OutputStream } from './io/streams.js';
import type { WasiHost, WasiOptions } from './options.js';
import { randomImports } from './random.js';
import { socketImports } from './sockets.js';

export { ExitError } from './cli/exit.js';
export type { WasiHost, WasiOptions } from './options.js';

export function createWasi(options: WasiOptions): WasiHost {
  const poller = createPoller(options.bridge);
  const stdout = new Capture(options.captureLimitBytes);
  const stderr = new Capture(options.captureLimitBytes);
  const fs = createFs(poller, options.preopens);
  return {
    imports: {
      'wasi:io/error': { Error: IoError },
      'wasi:io/poll': { Pollable, poll: (pollables: readonly Pollable[]) => poller.poll(pollables) },
      'wasi:io/streams': { InputStream, OutputStream },
      ...clockImports(poller),
      ...randomImports(),
      ...cliImports(poller, { env: options.env, args: options.args, stdout, stderr }),
      ...fs.imports,
      ...httpImports(poller, options.bridge),
      ...socketImports(),
    },
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
    outputTruncated: () => stdout.truncated || stderr.truncated,
    close: () => fs.close(),
  };
}
