import { join } from 'node:path';
import type { MurmurHome } from '../../home/index.js';
import { EVENT_LOG_FILE } from '../../replay/index.js';
import { idTimeMs } from '../../supervise/ids.js';
import { TRACE_FILE } from '../../trace/index.js';
import type { FrameBody } from '../item.js';
import { findConversation } from '../records/conversations.js';
import { SessionFacts } from '../records/describe.js';
import { followRecords } from '../records/follower.js';
import { LineTail, readLines } from '../records/lines.js';
import { Steps } from '../records/steps.js';
import type { TextRedactor } from '../redact.js';
import type { Passing } from './live.js';
import { pause } from './pause.js';
import type { Sink } from './sink.js';
import { livenessOf, type Target } from './target.js';
import { FrameWriter } from './writer.js';

export interface RecordedOptions {
  readonly home: MurmurHome;
  readonly target: Target;
  readonly redactText: TextRedactor;
  /** The session has a token, and this is how asking it live went. */
  readonly live?: Passing['kind'];
}

/** Why it is not shown live. */
const notes: { readonly [K in Passing['kind'] | 'unasked']: string } = {
  unasked: 'it was started without --inspect: this is what it writes to its records',
  passed: 'it ended the connection: this is what it writes to its records',
  refused: 'it takes no more watchers: this is what it writes to its records',
  foreign: 'something else answers at its address: this is what it writes to its records',
};
/** How often a session that still runs is looked at again. */
const lookMs = 1_000;

/**
 * Shows a session from its records: all of them at once when it has ended, else what is added until it has. Resolves when there is
 * nothing more to come, or nobody reads.
 */
export async function showRecorded(options: RecordedOptions, sink: Sink): Promise<void> {
  const { target, home, redactText } = options;
  const out = new FrameWriter(sink);
  const facts = new SessionFacts(target, redactText);
  for await (const line of readLines(join(target.recordsDir, TRACE_FILE))) facts.heard(line);
  const describe = async (): Promise<boolean> => {
    const liveness = await livenessOf(target);
    const { record } = target;
    const live = record && {
      url: record.url,
      pid: record.pid,
      capsule: { name: record.capsule_name, version: record.capsule_version },
    };
    const isGone = liveness.verdict === 'Gone';
    await out.write(facts.describe(Date.now(), liveness, live, isGone ? null : notes[options.live ?? 'unasked']));
    return isGone;
  };
  let isOver = await describe();
  const events = new LineTail(join(target.recordsDir, EVENT_LOG_FILE), 0);
  const steps = new Steps({ sys: target.sessionId, redactText });
  const following = followRecords(
    {
      ...{ sys: target.sessionId, redactText, recordsDir: target.recordsDir, restFactor: 0, withoutSteps: true },
      startedAt: idTimeMs(target.sessionId) ?? 0,
      conversation: (contextId) => findConversation(home, facts.store, contextId),
    },
    (body) => {
      if (body.type === 'trace') facts.heard(body.line);
      out.add(body);
    },
  );
  try {
    for (const body of stepsIn(events, steps)) await out.write(body);
    for await (const body of following.past(false)) await out.write(body);
    await out.write({ type: 'synced', sys: target.sessionId, at: Date.now() });
    while (!isOver && !sink.signal.aborted) {
      await out.flush();
      await pause(lookMs, sink.signal);
      following.flush();
      for (const body of stepsIn(events, steps)) await out.write(asPresent(body));
      isOver = await describe();
    }
  } finally {
    following.stop();
    events.close();
    await out.flush();
  }
}

/** How a session that was watched live has ended: what it could not say any more itself. */
export async function showEnding(options: RecordedOptions, sink: Sink): Promise<void> {
  const { target, redactText } = options;
  const out = new FrameWriter(sink);
  const facts = new SessionFacts(target, redactText);
  for await (const line of readLines(join(target.recordsDir, TRACE_FILE))) facts.heard(line);
  const last: FrameBody[] = [];
  const events = new LineTail(join(target.recordsDir, EVENT_LOG_FILE), 0);
  for (const body of stepsIn(events, new Steps({ sys: target.sessionId, redactText }))) {
    if ((body.type !== 'snap' && body.type !== 'gone') || body.id !== 'session') continue;
    last.push(body);
    if (last.length > 2) last.shift();
  }
  events.close();
  for (const body of last) await out.write(asPresent(body));
  await out.write(facts.describe(Date.now(), await livenessOf(target)));
  await out.flush();
}

/** What was added to the log since it was last read: to its end, a piece at a time. */
function* stepsIn(events: LineTail, steps: Steps): Generator<FrameBody> {
  do {
    for (const line of events.read()) yield* steps.bodies(line);
  } while (!events.isAtEnd);
}

function asPresent(body: FrameBody): FrameBody {
  const { past: _, ...present } = body as FrameBody & { readonly past?: true };
  return present as FrameBody;
}
