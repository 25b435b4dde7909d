import { basename, dirname } from 'node:path';
import { MurError } from '../errors/index.js';
import { locateMurmurHome } from '../home/murmur-home.js';
import {
  EVENT_LOG_FILE,
  isBundle,
  type LeftOut,
  openReplay,
  plainJson,
  type Replay,
  readBundle,
  resolveRecorded,
  stateText,
} from '../replay/index.js';
import { systemClock } from '../supervise/clock.js';
import { grouped } from '../text/measure.js';
import type { CliContext, ExitStatus } from './context.js';
import type { ReplayFlags } from './replay.js';
import { momentLines } from './replay-moment.js';
import { headLines, type ReplayLook, tableLines, verifiedLine } from './replay-view.js';
import { glyphsFor, styleFor, wantsColor } from './style.js';

/** Columns of output that goes to a file or another program. */
const pipedColumns = 160;

/** Shows, verifies or exports one recorded session. `inspect` opens it in the browser. */
export async function replaySession(
  flags: ReplayFlags,
  context: CliContext,
  inspect: (address: string) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const { stdout, stderr, env } = context;
  const home = locateMurmurHome(env);
  const session = resolveRecorded(flags.session, home, flags.workdir);
  const { recordsDir } = session;
  if (flags.ui === true) return inspect(session.isPath ? folderOf(recordsDir) : session.sessionId);
  const options = { force: flags.force === true };
  const replay = isBundle(recordsDir) ? readBundle(recordsDir).replay(options) : openReplay(recordsDir, options);
  const look: ReplayLook = {
    columns: stdout.stream.columns ?? pipedColumns,
    style: styleFor(wantsColor({ isTerminal: stdout.isTerminal, env, noColor: !flags.color })),
    glyphs: glyphsFor(env),
  };
  const write = (lines: Iterable<string>) => {
    for (const line of lines) stdout.write(`${line}\n`);
  };
  if (flags.export !== undefined) {
    const { exportBundle } = await import('./replay-export.js');
    const file = flags.export;
    const exported = exportBundle({ session, home, env, file, nowMs: systemClock.now() });
    write([`${file}: ${grouped(exported.bytes)} bytes`]);
    stderr.write(
      `${leftBehind(exported.blobs)}looked for ${exported.secrets} secrets of this machine and for everything in the form of a credential; read it before you send it\n` +
        `open it with: mur replay ${file}, or mur inspect ${file}\n`,
    );
    return 0;
  }
  if (flags.verify === true) return verify(replay, flags, look, write);
  if (flags.at !== undefined) {
    if (flags.at >= replay.length) throw noSuchEvent(flags.at, replay);
    if (flags.json === true) write([plainJson(replay.stateAt(flags.at))]);
    else write(momentLines(replay, flags.at, look));
    return 0;
  }
  if (flags.json === true) write(jsonLines(replay));
  else {
    write([...headLines(replay, look), '']);
    write(tableLines(replay, look));
  }
  return 0;
}

function verify(replay: Replay, flags: ReplayFlags, look: ReplayLook, write: (lines: string[]) => void): ExitStatus {
  const report = replay.verify();
  const { divergence } = report;
  if (flags.json === true) {
    write([plainJson({ session_id: replay.header.session_id, ok: divergence === undefined, ...report })]);
    return divergence === undefined ? 0 : 1;
  }
  if (divergence === undefined) {
    write([verifiedLine(report, look), ...replay.warnings]);
    return 0;
  }
  const { q, path, run, event, what, expected, actual } = divergence;
  throw new MurError(
    'E-TRC-901',
    `event ${q} (${event}) leads ${path}${run === 1 ? '' : `, run ${run},`} elsewhere: ${what}\nrecorded: ${expected}\ntoday:    ${actual}`,
    { hint: `${report.checked} events before it agree; mur replay ${flags.session} --at ${q} shows the moment` },
  );
}

/** One line per event: the event, and its machine after it. */
function* jsonLines(replay: Replay): Generator<string> {
  for (const { event, machine, requests, taken } of replay.steps()) {
    const { q, at, from, ev } = event;
    const { path, run, chart, status, value, context, output, error } = machine;
    yield plainJson({
      ...{ q, at, path, run, chart, from, event: ev, state: stateText(value) },
      ...{ status, value, context, output, error, requests, taken },
    });
  }
}

function leftBehind({ files, bytes }: LeftOut): string {
  return files === 0
    ? ''
    : `left out: ${grouped(files)} bodies of requests and responses (blobs/, ${grouped(bytes)} bytes), which are kept verbatim\n`;
}

function folderOf(path: string): string {
  return basename(path) === EVENT_LOG_FILE ? dirname(path) : path;
}

function noSuchEvent(at: number, replay: Replay): MurError {
  return new MurError(
    'E-TRC-001',
    `there is no event ${at}: the log has ${replay.length}, from 0 to ${replay.length - 1}`,
  );
}
