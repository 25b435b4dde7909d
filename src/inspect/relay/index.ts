/**
 * `mur inspect`: many sessions in one stream, for one page. Each reader gets connections of its own to the sessions it shows, so
 * there is no state here that could grow old, and a slow reader slows nobody else. No daemon: it lives as long as the command.
 *
 *     page  <-  /inspect of this process  <-  /inspect of each session that runs with --inspect        live.ts
 *                                         <-  the records of every other one                           recorded.ts
 *
 * Read next: target.ts (which sessions), server.ts (the page's own server).
 */

import { reasonOf } from '../../errors/index.js';
import type { MurmurHome } from '../../home/index.js';
import { murVersion } from '../../version.js';
import type { Frame } from '../frame.js';
import type { TextRedactor } from '../redact.js';
import { readToken } from '../token-file.js';
import { showBundle } from './bundle.js';
import { type Passing, passLive } from './live.js';
import { pause } from './pause.js';
import { showEnding, showRecorded } from './recorded.js';
import type { Sink } from './sink.js';
import { livenessOf, runningTargets, type Target } from './target.js';

export { type InspectServer, openServer } from './server.js';
export { frameSink, type Sink } from './sink.js';
export { endedTargets, runningTargets, type Target, targetsOf } from './target.js';

export interface RelayOptions {
  readonly home: MurmurHome;
  readonly targets: readonly Target[];
  /** Also show sessions that start later. */
  readonly isOpen: boolean;
  readonly redactText: TextRedactor;
}

const relistMs = 1_000;
const againMs = 200;

/** Shows every session to one reader. Resolves when all have ended and no other may start, or when nobody reads. */
export async function relay(options: RelayOptions, sink: Sink): Promise<void> {
  sink.send([{ q: 1, type: 'hello', v: 1, scope: '*', now: Date.now(), mur: murVersion }]);
  const shown = new Map<string, Promise<void>>();
  const show = (target: Target): void => {
    // A session that was still being staged has records and no door: it is shown again when it runs.
    const key = `${target.sessionId} ${target.record === undefined ? 'recorded' : 'running'}`;
    if (shown.has(key)) return;
    shown.set(
      key,
      // One session that cannot be shown hides no other.
      showTarget(options, target, sink).catch((error) => sink.send([unshown(target, error)])),
    );
  };
  for (const target of options.targets) show(target);
  while (options.isOpen && !sink.signal.aborted) {
    for (const target of runningTargets(options.home)) show(target);
    await pause(relistMs, sink.signal);
  }
  await Promise.all(shown.values());
}

function unshown(target: Target, error: unknown): Frame {
  return warning(target, `this session cannot be shown: ${reasonOf(error)}`);
}

function warning({ sessionId: sys }: Target, message: string): Frame {
  return { q: 1, type: 'note', sys, at: Date.now(), note: { type: 'warning', code: '', message, origin: 'runtime' } };
}

async function showTarget({ home, redactText }: RelayOptions, target: Target, sink: Sink): Promise<void> {
  if (target.isBundle === true) return showBundle(target.recordsDir, redactText, sink);
  const recorded = { home, target, redactText };
  let wasLive = false;
  let live: Passing | undefined;
  while (!sink.signal.aborted) {
    const token = target.record === undefined ? undefined : readToken(home, target.sessionId);
    if (token === undefined) break;
    live = await passLive(target, token, sink);
    if (live.kind !== 'passed') break;
    wasLive = true;
    // It ends, or it only ended this connection; its token goes before its process does.
    await pause(againMs, sink.signal);
  }
  if (live?.kind === 'foreign') {
    sink.send([warning(target, `what listens at the address of this session is no session of mur: ${live.reason}`)]);
  }
  if (!wasLive || live?.kind === 'foreign')
    return showRecorded({ ...recorded, ...(live === undefined ? {} : { live: live.kind }) }, sink);
  // The last thing a session writes comes after it has said goodbye.
  while (!sink.signal.aborted && (await livenessOf(target)).verdict !== 'Gone') await pause(againMs, sink.signal);
  if (!sink.signal.aborted) await showEnding(recorded, sink);
}
