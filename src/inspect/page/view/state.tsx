/** One actor: its state, its context, and its mailbox. And all actors, to choose from. */

import { useState } from 'preact/hooks';
import type { EventFrame } from '../../frame.js';
import { levelsOf, staged } from '../store/levels.js';
import { momentOf } from '../store/model.js';
import type { ActorNow } from '../store/moment.js';
import { actorLabel, clean, clockText, duration, eventLabel, grouped, stateText } from '../store/names.js';
import { useApp, usePicture } from './app-context.js';
import { Rows } from './rows.js';
import { Value } from './value.js';

const mailboxSize = 60;

export function State() {
  const { model, ui } = useApp();
  const { moment, session, axis, at } = usePicture();
  const levels = levelsOf(moment, model.defs);
  const chosen = ui.actor === null ? levels.find(({ def }) => def.id === ui.level)?.actor : moment.actors.get(ui.actor);
  const actor = chosen ?? staged(levels, 1)[0]?.actor;
  if (actor === undefined) return <p class="empty">Nothing has started yet.</p>;
  const mailbox: EventFrame[] = [];
  for (let place = moment.index - 1; place >= 0 && mailbox.length < mailboxSize; place -= 1) {
    const entry = session.entries[place]!;
    if (entry.type === 'ev' && entry.to === actor.id) mailbox.push(entry);
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="facts" tabIndex={0} aria-label="State">
      <Actors chosen={actor} />
      <h2>State</h2>
      <ul class="states">
        {stateText(actor.snap.v)
          .split(' ∥ ')
          .map((part) => (
            <li key={part} class={actor.gone === null ? 'on' : ''}>
              {part}
            </li>
          ))}
      </ul>
      <p class="dim">
        {actor.gone === null ? 'for ' : `${actor.gone} after `}
        {duration(actor.gone === null ? at - actor.changedAt : (actor.goneAt ?? at) - actor.bornAt)}
        {actor.by !== '' && <>, by {eventLabel(actor.by)}</>}
      </p>
      <h2>Context</h2>
      {actor.snap.c === undefined ? <p class="dim">none</p> : <Value value={actor.snap.c} />}
      {actor.snap.o !== undefined && actor.snap.o !== null && (
        <>
          <h2>Output</h2>
          <Value value={actor.snap.o} />
        </>
      )}
      <h2>Mailbox</h2>
      {mailbox.length === 0 && <p class="dim">No message yet.</p>}
      <ol class="mailbox">
        {mailbox.map((event) => (
          <Letter key={event.q} event={event} start={axis.start} />
        ))}
      </ol>
    </section>
  );
}

function Letter({ event, start }: { event: EventFrame; start: number }) {
  const { set } = useApp();
  const { session } = usePicture();
  const [open, setOpen] = useState(false);
  const { type: _, ...rest } = event.ev;
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
          if (!open) set({ cursor: momentOf(session.entries, event), playing: false });
        }}
      >
        <span class="time">{clockText(event.at - start)}</span>
        <span class="what">{eventLabel(event.ev.type)}</span>
        <span class="dim">{event.from === undefined ? 'outside' : actorLabel(event.from)}</span>
      </button>
      {open && <Value value={{ type: event.ev.type, ...rest }} />}
    </li>
  );
}

/** Actors with a chart as a tree; those that ended are dim. */
function Actors({ chosen }: { chosen: ActorNow }) {
  const { set } = useApp();
  const { moment } = usePicture();
  const tree = flat([...moment.actors.values()].filter(({ def, gone }) => def !== null || gone === null));
  const height = 28;
  return (
    <>
      <h2>
        Actors <span class="dim">{grouped(tree.length)}</span>
      </h2>
      <div class="actors" style={{ height: `${Math.min(6, tree.length) * height + 2}px` }}>
        <Rows
          label="Actors"
          count={tree.length}
          height={height}
          anchor={tree.findIndex(({ id }) => id === chosen.id)}
          row={(index) => {
            const actor = tree[index]!;
            return (
              <button
                type="button"
                class={`actor ${actor.gone === null ? 'alive' : 'over'}`}
                style={{ paddingLeft: `${8 + (actor.id.split('/').length - 1) * 14}px` }}
                disabled={actor.def === null}
                aria-pressed={actor.id === chosen.id}
                onClick={() => set({ actor: actor.id, level: null })}
              >
                <span class="dot" />
                <span>{actorLabel(actor.id)}</span>
                <span class="dim">
                  {actor.def === null ? 'effect' : clean(stateText(actor.snap.v).split('.').at(-1) ?? '')}
                </span>
              </button>
            );
          }}
        />
      </div>
    </>
  );
}

/** Children under their parents, in the order they were born. */
function flat(actors: readonly ActorNow[]): ActorNow[] {
  const children = new Map<string | null, ActorNow[]>();
  const ids = new Set(actors.map(({ id }) => id));
  for (const actor of actors) {
    const parent = actor.parent !== null && ids.has(actor.parent) ? actor.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), actor]);
  }
  const below = (parent: string | null): ActorNow[] =>
    (children.get(parent) ?? []).flatMap((actor) => [actor, ...below(actor.id)]);
  return below(null);
}
