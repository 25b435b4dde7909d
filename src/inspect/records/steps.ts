import { reasonOf } from '../../errors/index.js';
import { LogStream, type MachineState, type ReplayStep, rootPath } from '../../replay/index.js';
import { definitionOf } from '../definition.js';
import type { SnapshotView } from '../frame.js';
import { segmentOf } from '../identity.js';
import type { FrameBody } from '../item.js';
import { redact } from '../redact.js';
import { viewOf } from '../view.js';
import { asPast, type BodyContext, noteBody } from './bodies.js';
import type { JsonObject } from './lines.js';

/**
 * The history of a session's machines as frames: the lines of its event log folded, each machine under the id it had while it lived.
 * Keeps the machines that run and nothing of the log.
 */
export class Steps {
  readonly #context: BodyContext;
  readonly #ids = new Ids();
  readonly #log = new LogStream();
  #isUseless = false;

  constructor(context: BodyContext) {
    this.#context = context;
  }

  /**
   * What the next line of the log tells. A log that cannot be folded, because a chart has changed since, is a notice that says so, once;
   * the rest of the records is shown all the same.
   */
  *bodies(line: JsonObject): Generator<FrameBody> {
    if (this.#isUseless) return;
    try {
      const told = this.#log.take(line);
      if (told?.kind === 'step') yield* bodiesOf(this.#context, this.#ids, told.step);
      if (told?.kind === 'joined') yield* this.#join(told.machines, told.q, told.at);
    } catch (error) {
      this.#isUseless = true;
      yield this.#note(`the steps of this session cannot be shown: ${reasonOf(error)}`, Date.now());
    }
  }

  /** The log was taken up in its middle: who was there, and why no more is told. */
  *#join(machines: readonly MachineState[], q: number, at: number): Generator<FrameBody> {
    yield this.#note(
      `this session has done a lot: its first ${q + 1} events are not shown while it runs; \`mur replay\` has them, and so has this page once it has ended`,
      at,
    );
    const { redactText, sys } = this.#context;
    for (const machine of machines) {
      const { snap, cut } = viewOf(
        { ...machine, status: machine.status as SnapshotView['s'] },
        machine.chart,
        redactText,
      );
      const body = actorBody(this.#ids, machine, { sys, at, past: true, ...cutOf(cut) }, snap);
      if (machine.status === 'active') yield body;
    }
  }

  #note(message: string, at: number): FrameBody {
    return asPast(noteBody(this.#context, { type: 'warning', code: '', message, origin: 'runtime' }, at));
  }
}

/** From the paths of the log to the ids of watchers. */
class Ids {
  /** By path: the machine that ran there last. */
  readonly #latest = new Map<string, string>();

  begin(machine: MachineState): { readonly id: string; readonly name: string } {
    const { name: ownId, parent } = placeOf(machine.path);
    const { name, segment } = segmentOf(ownId, machine.chart, machine.context);
    const above = parent === undefined ? undefined : this.of(parent);
    const id = above === undefined ? segment : `${above}/${segment}`;
    this.#latest.set(machine.path, id);
    return { id, name };
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
  const common = { sys, at, past: true as const, ...cutOf(cut) };
  if (ev.type === 'xstate.init') yield actorBody(ids, machine, common, snap);
  else {
    const id = ids.of(path);
    if (ev.type !== 'xstate.stop') {
      const shown = redact(ev, redactText);
      yield {
        ...{ type: 'ev', sys, at, past: true, ...cutOf(shown.cut), n },
        ...(from === undefined ? {} : { from: ids.sender(path, from) }),
        to: id,
        ev: { ...(shown.value as object), type: ev.type },
      };
    }
    yield { type: 'snap', ...common, id, snap, by: ev.type, tr: taken, n };
  }
  if (machine.status !== 'active') yield { type: 'gone', sys, at, past: true, id: ids.of(path), why: machine.status };
}

interface Common {
  readonly sys: string;
  readonly at: number;
  readonly past: true;
  readonly cut?: number;
}

function actorBody(ids: Ids, machine: MachineState, common: Common, snap: SnapshotView): FrameBody {
  const { id, name } = ids.begin(machine);
  const { parent } = placeOf(machine.path);
  const def = definitionOf(machine.chart)?.key;
  return {
    ...{ type: 'actor', ...common, id, name },
    ...(parent === undefined ? {} : { parent: ids.of(parent) }),
    ...(def === undefined ? {} : { def }),
    snap,
  };
}

const cutOf = (cut: number): { readonly cut?: number } => (cut === 0 ? {} : { cut });
