import { reasonOf } from '../../errors/index.js';
import { eventLogItems, type MachineState, type ReplayStep, replayOf, rootPath } from '../../replay/index.js';
import type { JsonLine } from '../../text/index.js';
import { definitionOf } from '../definition.js';
import type { SnapshotView } from '../frame.js';
import { chartEntry, segmentOf } from '../identity.js';
import type { FrameBody } from '../item.js';
import { redact } from '../redact.js';
import { viewOf } from '../view.js';
import { asPast, type BodyContext, noteBody } from './bodies.js';
import type { JsonObject } from './lines.js';

/**
 * The history of a session's machines as frames: its event log folded, each machine under the id it had while it lived. `bodies` can
 * be asked again when the log has grown: it tells what was added.
 */
export class Steps {
  readonly #context: BodyContext;
  readonly #ids = new Ids();
  #next = 0;
  #isUseless = false;

  constructor(context: BodyContext) {
    this.#context = context;
  }

  /**
   * Of the lines of the whole log, the events that were not told yet. Lazy: each `next` folds one event. A log that cannot be folded,
   * because a chart has changed since or because it is none, is a notice that says so; the rest of the records is shown all the same.
   */
  *bodies(lines: readonly JsonObject[]): Generator<FrameBody> {
    if (lines.length === 0 || this.#isUseless) return;
    try {
      yield* this.#folded(lines);
    } catch (error) {
      this.#isUseless = true;
      const message = `the steps of this session cannot be shown: ${reasonOf(error)}`;
      yield asPast(noteBody(this.#context, { type: 'warning', code: '', message, origin: 'runtime' }, Date.now()));
    }
  }

  *#folded(lines: readonly JsonObject[]): Generator<FrameBody> {
    const replay = replayOf(eventLogItems(items(lines)));
    const { length } = replay;
    for (const step of replay.steps(this.#next, length - 1)) {
      this.#next = step.event.q + 1;
      yield* bodiesOf(this.#context, this.#ids, step);
    }
    this.#next = length;
  }
}

function* items(lines: Iterable<JsonObject>): Generator<JsonLine> {
  let line = 0;
  for (const value of lines) {
    line += 1;
    yield { kind: 'value', line, value };
  }
}

/** From the paths of the log to the ids of watchers. */
class Ids {
  /** By path: the machine that ran there last. */
  readonly #latest = new Map<string, string>();

  begin(machine: MachineState): string {
    const { name, parent } = placeOf(machine.path);
    const segment = segmentOf(name, chartEntry(machine.chart), machine.context);
    const above = parent === undefined ? undefined : this.of(parent);
    const id = above === undefined ? segment : `${above}/${segment}`;
    this.#latest.set(machine.path, id);
    return id;
  }

  of(path: string): string {
    return this.#latest.get(path) ?? path;
  }

  /** Who `from` is to the machine at `path`: its parent, or one of its children. */
  sender(path: string, from: string): string {
    const { parent } = placeOf(path);
    if (parent !== undefined && placeOf(parent).name === from) return this.of(parent);
    return this.#latest.get(`${path}/${from}`) ?? `${this.of(path)}/${from}`;
  }
}

function placeOf(path: string): { readonly name: string; readonly parent: string | undefined } {
  const slash = path.lastIndexOf('/');
  return { name: path.slice(slash + 1), parent: slash === -1 ? undefined : path.slice(0, slash) };
}

function* bodiesOf(
  { sys, redactText }: BodyContext,
  ids: Ids,
  { event, machine, taken }: ReplayStep,
): Generator<FrameBody> {
  const { at, q: n, path = rootPath, from, ev } = event;
  const { snap, cut } = viewOf({ ...machine, status: machine.status as SnapshotView['s'] }, machine.chart, redactText);
  const common = { sys, at, past: true as const, ...(cut === 0 ? {} : { cut }) };
  if (ev.type === 'xstate.init') {
    const id = ids.begin(machine);
    const { name, parent } = placeOf(path);
    const def = definitionOf(machine.chart)?.key;
    yield {
      ...{ type: 'actor', ...common, id, name },
      ...(parent === undefined ? {} : { parent: ids.of(parent) }),
      ...(def === undefined ? {} : { def }),
      snap,
    };
  } else {
    const id = ids.of(path);
    if (ev.type !== 'xstate.stop') {
      const shown = redact(ev, redactText);
      const isCut = shown.cut === 0 ? {} : { cut: shown.cut };
      yield {
        ...{ type: 'ev', sys, at, past: true, ...isCut, n },
        ...(from === undefined ? {} : { from: ids.sender(path, from) }),
        to: id,
        ev: { ...(shown.value as object), type: ev.type },
      };
    }
    yield { type: 'snap', ...common, id, snap, by: ev.type, tr: taken, n };
  }
  if (machine.status !== 'active') yield { type: 'gone', sys, at, past: true, id: ids.of(path), why: machine.status };
}
