import { type DoorStream, openWatch } from '../door-client/index.js';
import { MurError, reasonOf } from '../errors/index.js';
import type { CliContext, ExitStatus } from './context.js';
import { doorOf, nameOf } from './door-address.js';
import { FrameView, frameJson, frameOf, lossOf, resultLinesOnScreen } from './frame-view.js';
import { warningLine } from './output.js';
import { oneLine } from './safe-text.js';
import { styleFor, wantsColor } from './style.js';
import type { WatchFlags } from './watch.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Prints the frames of a session until it closes, nobody reads any more, or a signal comes: 0 then. `E-IO-003` names the last event when
 * the connection is lost. It does not connect again: whoever needs every event reads the trace.
 */
export async function watch(flags: WatchFlags, context: CliContext): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const target = await doorOf(flags, context);
  const left = new AbortController();
  const leave = (): void => left.abort();
  stdout.onLost = leave;
  for (const signal of signals) process.on(signal, leave);
  try {
    const stream = await openWatch(target, 0, left.signal);
    stderr.write(`watching ${oneLine(nameOf(target))}; Ctrl-C ends only the watch\n`);
    const style = (isTerminal: boolean) => styleFor(wantsColor({ isTerminal, env, noColor: !flags.color }));
    const view = new FrameView((text) => stdout.write(text), style(stdout.isTerminal), {
      namesTasks: true,
      ...(stdout.isTerminal && { resultLines: resultLinesOnScreen }),
    });
    const warn = (message: string): void => {
      stderr.write(`${warningLine({ code: '', message, origin: 'cli' }, style(stderr.isTerminal))}\n`);
    };
    return await follow(stream, flags.json === true, { view, warn, write: (line) => stdout.write(line) });
  } catch (error) {
    if (left.signal.aborted) return 0;
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, leave);
  }
}

interface Screen {
  readonly view: FrameView;
  warn(message: string): void;
  write(line: string): void;
}

async function follow(stream: DoorStream, isJson: boolean, { view, warn, write }: Screen): Promise<ExitStatus> {
  let lastId = 0;
  let reason = 'it was closed';
  try {
    for await (const event of stream) {
      const frame = frameOf(event);
      lastId = frame.id ?? lastId;
      if (isJson) write(`${frameJson(frame)}\n`);
      else view.show(frame);
      const loss = lossOf(frame);
      if (loss !== undefined) warn(loss);
      if (frame.event === 'capsule-closed') return 0;
    }
  } catch (error) {
    reason = reasonOf(error);
  } finally {
    view.end();
  }
  throw new MurError('E-IO-003', `the connection to the session was lost after event ${lastId}: ${reason}`, {
    hint: 'mur ps says whether it still runs; mur watch shows again what is still held',
  });
}
