/**
 * Frames as `@statelyai/inspect` 0.7 reads them: one JSON object per message, of three kinds. For receivers made with
 * `createWebSocketReceiver`, which can bring a token in the query only, and for relays (`mur inspect --bridge`). What that protocol
 * has no word for (trace, messages, notices, losses) is left out.
 */
import type { Encoding } from './client.js';
import type { Frame } from './frame.js';
import { chartEntry } from './identity.js';

/** The version of @statelyai/inspect whose messages these are. */
const version = '0.7.2';

export const statelyMessages: Encoding = {
  encode: (items) => items.flatMap(({ frame }) => statelyMessage(frame) ?? []),
};

/** The message for a frame; `undefined` when it has none. */
export function statelyMessage(frame: Frame): string | undefined {
  const event = eventOf(frame);
  return event === undefined ? undefined : JSON.stringify(event);
}

function eventOf(frame: Frame): Record<string, unknown> | undefined {
  switch (frame.type) {
    case 'actor': {
      const { id, sys, name, parent, snap } = frame;
      return {
        ...common(frame, '@xstate.actor', id),
        name: parent === undefined ? `${name} ${sys}` : name,
        ...(parent === undefined ? {} : { parentId: actorId(sys, parent) }),
        ...(frame.def === undefined ? {} : { definition: configOf(name, parent) }),
        snapshot: { status: snap.s, value: snap.v, context: snap.c, output: snap.o, error: snap.e },
      };
    }
    case 'ev': {
      const { sys, from, to, ev } = frame;
      return {
        ...common(frame, '@xstate.event', to),
        ...(from === undefined ? {} : { sourceId: actorId(sys, from) }),
        event: ev,
      };
    }
    case 'snap': {
      const { id, snap, by } = frame;
      return {
        ...common(frame, '@xstate.snapshot', id),
        event: { type: by },
        snapshot: { status: snap.s, value: snap.v, context: snap.c, output: snap.o, error: snap.e },
      };
    }
    default:
      return undefined;
  }
}

function common({ sys, at }: { readonly sys: string; readonly at: number }, type: string, id: string) {
  return {
    type,
    sessionId: actorId(sys, id),
    rootId: actorId(sys, 'session'),
    id: null,
    createdAt: String(at),
    _version: version,
  };
}

/** Actors of different sessions share their paths. */
const actorId = (sys: string, path: string): string => `${sys}/${path}`;

/** The machine's config as JSON text. Charts are named as the actors that run them. */
function configOf(name: string, parent: string | undefined): string | undefined {
  const machine = chartEntry(parent === undefined ? 'session' : name)?.machine;
  return machine === undefined ? undefined : JSON.stringify(machine.config);
}
