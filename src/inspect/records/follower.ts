import { join } from 'node:path';
import { EVENT_LOG_FILE } from '../../replay/index.js';
import { idTimeMs } from '../../supervise/ids.js';
import { TRACE_FILE } from '../../trace/index.js';
import type { FrameBody } from '../item.js';
import type { Following } from '../subject.js';
import { asPast, type BodyContext, messageBody, traceBody } from './bodies.js';
import { firstLine, type JsonObject, LineTail, readLines, sizeOf } from './lines.js';
import { createPace } from './pace.js';
import { Steps } from './steps.js';
import { Tasks } from './tasks.js';

export interface FollowOptions extends BodyContext {
  readonly recordsDir: string;
  /** Messages of other sessions in the same conversation are older than this. Unix milliseconds. */
  readonly startedAt: number;
  /** The record of a context's conversation, once there is one. */
  conversation(contextId: string): string | undefined;
  /** How long is rested after each piece of history, as a multiple of the work; 0 where nothing else runs in this process. */
  readonly restFactor?: number;
  /** Leave the event log to the caller. */
  readonly withoutSteps?: boolean;
  /** For tests of what happens to long logs. */
  readonly mostEventBytes?: number;
}

const pollMs = 100;
/** History longer than this is told from its end. */
const mostTraceBytes = 16 * 1024 * 1024;
/** Of a longer event log, only this much of its end is folded beside a session that runs: some 50,000 events. */
const mostEventBytes = 16 * 1024 * 1024;

/**
 * Tells what a session writes to its records, from now on, and the part before on demand. Every line is told once: the past ends
 * where the following began, or, for a later client, where it is.
 */
export function followRecords(options: FollowOptions, report: (body: FrameBody) => void): Following {
  const trace = new LineTail(join(options.recordsDir, TRACE_FILE));
  const conversations = new Conversations(options);
  const poll = (): void => {
    for (const line of trace.read()) {
      conversations.heard(line);
      const body = traceBody(options, line);
      if (body !== undefined) report(body);
    }
    for (const body of conversations.read()) report(body);
  };
  // Messages of contexts that began before are followed once the trace of that time was read, which `past` does.
  const timer = setInterval(poll, pollMs).unref();
  return {
    // Asked in a moment when no machine is in the middle of a step: what the log has by now happened before the client came.
    past: (isAgain) => pastOf(options, trace.position, isAgain ? 0 : eventBytesOf(options), conversations),
    flush: poll,
    stop() {
      clearInterval(timer);
      trace.close();
      conversations.close();
    },
  };
}

async function* pastOf(
  options: FollowOptions,
  traceBytes: number,
  eventBytes: number,
  conversations: Conversations,
): AsyncGenerator<FrameBody> {
  const pace = createPace(options.restFactor);
  const tasks = new Tasks();
  for await (const line of readLines(join(options.recordsDir, TRACE_FILE), traceBytes, mostTraceBytes)) {
    tasks.heard(line);
    const body = traceBody(options, line);
    if (body !== undefined) yield asPast(body);
    await pace();
  }
  for (const contextId of tasks.contexts()) {
    const known = conversations.known(contextId, tasks);
    if (known === undefined) continue;
    for await (const line of readLines(known.path, known.position)) {
      const body = messageOf(options, contextId, tasks, line);
      if (body !== undefined) yield asPast(body);
      await pace();
    }
  }
  yield* steps(options, eventBytes, pace);
}

function eventBytesOf({ withoutSteps, recordsDir }: FollowOptions): number {
  return withoutSteps === true ? 0 : sizeOf(join(recordsDir, EVENT_LOG_FILE));
}

/** The steps up to byte `bytes` of the log. In memory are one line and the machines that run, however long the log is. */
async function* steps(options: FollowOptions, bytes: number, pace: () => Promise<void>): AsyncGenerator<FrameBody> {
  if (bytes === 0) return;
  const path = join(options.recordsDir, EVENT_LOG_FILE);
  const header = await firstLine(path);
  const told = new Steps(options);
  if (header !== undefined) yield* told.bodies(header);
  for await (const line of readLines(path, bytes, options.mostEventBytes ?? mostEventBytes)) {
    yield* told.bodies(line);
    await pace();
  }
}

function messageOf(options: FollowOptions, contextId: string, tasks: Tasks, line: JsonObject): FrameBody | undefined {
  const at = typeof line.id === 'string' ? (idTimeMs(line.id) ?? 0) : 0;
  if (at < options.startedAt) return undefined;
  return messageBody(options, contextId, tasks.taskAt(contextId, at), line);
}

/** The conversations of a session's contexts, each followed once it is known. */
class Conversations {
  readonly #options: FollowOptions;
  readonly #tasks = new Tasks();
  readonly #tails = new Map<string, LineTail>();

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** A line of the trace: a task may have begun a conversation, which is then followed from its start. */
  heard(line: JsonObject): void {
    this.#tasks.heard(line);
  }

  /** Where a conversation is and how far it was read. One that is met here first is followed from its end. */
  known(contextId: string, tasks: Tasks): { readonly path: string; readonly position: number } | undefined {
    let tail = this.#tails.get(contextId);
    if (tail === undefined) {
      const path = this.#options.conversation(contextId);
      if (path === undefined) return undefined;
      tail = new LineTail(path);
      this.#tails.set(contextId, tail);
      this.#tasks.adopt(contextId, tasks);
    }
    return tail;
  }

  read(): FrameBody[] {
    const bodies: FrameBody[] = [];
    for (const contextId of this.#tasks.contexts()) {
      for (const line of this.#tail(contextId)?.read() ?? []) {
        const body = messageOf(this.#options, contextId, this.#tasks, line);
        if (body !== undefined) bodies.push(body);
      }
    }
    return bodies;
  }

  close(): void {
    for (const tail of this.#tails.values()) tail.close();
    this.#tails.clear();
  }

  #tail(contextId: string): LineTail | undefined {
    const known = this.#tails.get(contextId);
    if (known !== undefined) return known;
    const path = this.#options.conversation(contextId);
    if (path === undefined) return undefined;
    const tail = new LineTail(path, 0);
    this.#tails.set(contextId, tail);
    return tail;
  }
}
