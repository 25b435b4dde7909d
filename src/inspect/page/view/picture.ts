/** From the model to what is shown of one session at one moment. Each part is worked out once per change, when it is asked for. */
import { axisOf, effectsOf } from '../store/axis.js';
import type { Call } from '../store/call.js';
import { callsOf } from '../store/calls.js';
import { memo } from '../store/memo.js';
import type { Model, SessionModel } from '../store/model.js';
import { momentAt } from '../store/moment.js';
import { problemsOf } from '../store/problems.js';
import { storyOf } from '../store/story.js';
import type { Picture, Ui } from './app-context.js';

// Remembered by version: a session changes in place.
const calls = memo((session: SessionModel, _version: number) => callsOf(session.entries));
const problems = memo((session: SessionModel, strange: Model['strange'], _version: number) =>
  problemsOf(session.entries, session.info, strange),
);
const story = memo((session: SessionModel, of: readonly Call[], _version: number) => storyOf(session.entries, of));
const moment = memo((session: SessionModel, model: Model, cursor: Ui['cursor'], _version: number) =>
  momentAt(session, model.defs, cursor),
);
const axis = memo((session: SessionModel, of: readonly Call[], until: number, _version: number) => {
  const busy = [
    ...of.map(({ start, end }) => ({ from: start, to: end ?? until })),
    ...effectsOf(session.entries, until),
  ];
  return axisOf(
    session.entries.map(({ at }) => at),
    busy,
    until,
  );
});

/** The chosen session, else the newest that runs, else the newest. */
export function chosenSession(model: Model, sys: string | null): SessionModel | null {
  const known = sys === null ? undefined : model.sessions.get(sys);
  if (known !== undefined) return known;
  const all = [...model.sessions.values()];
  const started = ({ info, entries }: SessionModel) => info?.startedAt ?? entries[0]?.at ?? 0;
  const rank = (session: SessionModel) => (session.info?.ended == null ? 1e15 : 0) + started(session);
  return all.reduce<SessionModel | null>(
    (best, each) => (best === null || rank(each) > rank(best) ? each : best),
    null,
  );
}

/** Each part is worked out when a view asks for it, so that one that cannot be leaves the views without it alone. */
export function pictureOf(session: SessionModel, model: Model, ui: Ui, now: number): Picture {
  const { version, info } = session;
  const last = session.entries.at(-1)?.at ?? now;
  const isOver = info?.ended != null;
  const until = Math.max(last, info?.ended == null ? now : (info.ended.at ?? last));
  return {
    session,
    get moment() {
      return moment(session, model, ui.cursor, version);
    },
    get calls() {
      return calls(session, version);
    },
    get story() {
      return story(session, calls(session, version), version);
    },
    get problems() {
      return problems(session, model.strange, version);
    },
    get axis() {
      return axis(session, calls(session, version), until, version);
    },
    at: ui.cursor?.at ?? until,
    isLive: ui.cursor === null && !isOver,
    isOver,
  };
}
