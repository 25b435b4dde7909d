/** The page: one session at one moment, seen from several sides that all obey the same playhead. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { onKey } from '../keys.js';
import type { LinkState } from '../link.js';
import { axisOf, effectsOf } from '../store/axis.js';
import { type Call, callsOf } from '../store/calls.js';
import { memo } from '../store/memo.js';
import type { Model, SessionModel } from '../store/model.js';
import { momentAt } from '../store/moment.js';
import { problemsOf } from '../store/problems.js';
import { storyOf } from '../store/story.js';
import {
  AppContext,
  type App as AppState,
  type MainView,
  mainViews,
  type Picture,
  PictureContext,
  type SideView,
  sideViews,
  type Ui,
  useApp as useAppState,
  usePicture as usePictureState,
} from './app-context.js';
import { Calls } from './calls.js';
import { ChartView } from './chart.js';
import { Events } from './events.js';
import { Help } from './help.js';
import { Sequence } from './sequence.js';
import { Session } from './session.js';
import { Sessions } from './sessions.js';
import { State } from './state.js';
import { Story } from './story.js';
import { Tabs } from './tabs.js';
import { Timeline } from './timeline.js';
import { Top } from './top.js';

const first: Ui = {
  sys: null,
  main: 'chart',
  side: 'story',
  front: 'main',
  cursor: null,
  actor: null,
  level: null,
  call: null,
  camera: 'follow',
  playing: false,
  speed: 1,
  rail: null,
  help: false,
};

const titles = {
  chart: 'Chart',
  calls: 'Calls',
  messages: 'Messages',
  events: 'Events',
  story: 'Conversation',
  state: 'State',
  session: 'Session',
} as const satisfies Record<MainView | SideView, string>;

// Remembered by version: a session changes in place.
const calls = memo((session: SessionModel, _version: number) => callsOf(session.entries));
const problems = memo((session: SessionModel, _version: number) => problemsOf(session.entries, session.info));
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

interface Props {
  readonly model: Model;
  readonly link: LinkState;
  /** The sender's clock minus this one's, in milliseconds. */
  readonly skew: number;
}

export function App({ model, link, skew }: Props) {
  const [ui, setUi] = useState(first);
  const [clock, setClock] = useState(() => Date.now());
  const narrow = useMedia('(max-width: 900px)');
  const set = (change: Partial<Ui>) => setUi((before) => ({ ...before, ...change }));

  const session = chosenSession(model, ui.sys);
  const picture = session === null ? null : pictureOf(session, model, ui, clock + skew);
  const app: AppState = {
    model,
    link,
    ui,
    set,
    narrow,
    seek: (at) => set({ cursor: at === null ? null : { at, q: Number.POSITIVE_INFINITY }, playing: false, call: null }),
    openCall: (call) => {
      const middle = call.end === null ? null : call.start + (call.end - call.start) / 2;
      set({
        call: call.key,
        cursor: middle === null ? null : { at: middle, q: Number.POSITIVE_INFINITY },
        playing: false,
        side: 'story',
        front: 'side',
      });
    },
  };
  const railOpen = ui.rail ?? (!narrow && model.sessions.size > 1);

  const latest = useRef({ app, picture, railOpen });
  latest.current = { app, picture, railOpen };
  useEffect(() => {
    const listen = (event: KeyboardEvent) =>
      onKey(event, latest.current.app, latest.current.picture, latest.current.railOpen);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);

  const isTicking = picture?.isLive === true;
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setClock(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isTicking]);

  usePlaying(latest, setUi, ui.playing);

  if (picture === null || session === null) return <Waiting link={link} />;
  return (
    <AppContext.Provider value={app}>
      <PictureContext.Provider value={picture}>
        <div class={`app ${railOpen ? 'with-rail' : ''} front-${ui.front}`}>
          <Top railOpen={railOpen} />
          {railOpen && <Sessions now={clock + skew} />}
          {narrow ? <Narrow /> : <Wide />}
          <Timeline />
          <Help />
        </div>
      </PictureContext.Provider>
    </AppContext.Provider>
  );
}

function Waiting({ link }: { link: LinkState }) {
  return (
    <main class="waiting-page">
      <h1 class="brand">mur</h1>
      <p role="status">{link === 'closed' ? 'No answer from the session. Trying again…' : 'Waiting for a session…'}</p>
    </main>
  );
}

const mainTabs = mainViews.map((id) => ({ id, label: titles[id] }));

function Wide() {
  const { ui, set } = useAppState();
  return (
    <>
      <main class="main">
        <Tabs label="Views" tabs={mainTabs} chosen={ui.main} choose={(main) => set({ main })} />
        <Panel id={ui.main} />
      </main>
      <aside class="side" aria-label="Details">
        <Tabs label="Details" tabs={useSideTabs()} chosen={ui.side} choose={(side) => set({ side })} />
        <Panel id={ui.side} />
      </aside>
    </>
  );
}

function Narrow() {
  const { ui, set } = useAppState();
  const chosen = ui.front === 'main' ? ui.main : ui.side;
  const tabs = [...mainTabs.slice(0, 1), ...useSideTabs().slice(0, 1), ...mainTabs.slice(1), ...useSideTabs().slice(1)];
  const choose = (id: MainView | SideView) =>
    set(isSide(id) ? { side: id, front: 'side' } : { main: id, front: 'main' });
  return (
    <main class="main">
      <Tabs<MainView | SideView> label="Views" tabs={tabs} chosen={chosen} choose={choose} />
      <Panel id={chosen} />
    </main>
  );
}

function isSide(id: MainView | SideView): id is SideView {
  return (sideViews as readonly string[]).includes(id);
}

function useSideTabs() {
  const { problems: found } = usePictureState();
  const bad = found.filter(({ level }) => level !== 'warning').length;
  return sideViews.map((id) =>
    id === 'session' ? { id, label: titles[id], count: bad, alert: true } : { id, label: titles[id] },
  );
}

function Panel({ id }: { id: MainView | SideView }) {
  const View = views[id];
  return (
    <div class={`panel panel-${id}`} id={`panel-${id}`} role="tabpanel" aria-labelledby={`tab-${id}`}>
      <View />
    </div>
  );
}

const views = {
  chart: ChartView,
  calls: Calls,
  messages: Sequence,
  events: Events,
  story: Story,
  state: State,
  session: Session,
};

/** The chosen session, else the newest that runs, else the newest. */
function chosenSession(model: Model, sys: string | null): SessionModel | null {
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

function pictureOf(session: SessionModel, model: Model, ui: Ui, now: number): Picture {
  const { version } = session;
  const last = session.entries.at(-1)?.at ?? now;
  const isOver = session.info?.ended != null;
  const until = Math.max(last, session.info?.ended?.at ?? now);
  const found = calls(session, version);
  return {
    session,
    moment: moment(session, model, ui.cursor, version),
    calls: found,
    story: story(session, found, version),
    problems: problems(session, version),
    axis: axis(session, found, until, version),
    at: ui.cursor?.at ?? until,
    isLive: ui.cursor === null && !isOver,
    isOver,
  };
}

/** Moves the playhead, folded stretches at a bound, and stops at the end of what is known. */
function usePlaying(
  latest: { current: { picture: Picture | null; app: AppState } },
  setUi: (change: (before: Ui) => Ui) => void,
  playing: boolean,
): void {
  useEffect(() => {
    if (!playing) return;
    let before = performance.now();
    let frame = 0;
    const move = (now: number) => {
      const passed = Math.min(100, now - before);
      before = now;
      const { picture, app } = latest.current;
      if (picture !== null) {
        const { axis: line, at } = picture;
        const next = line.position(at) + (passed * app.ui.speed) / line.length;
        setUi((ui) => {
          if (!ui.playing) return ui;
          if (next >= 1) return { ...ui, playing: false, cursor: null };
          return { ...ui, cursor: { at: line.time(next), q: Number.POSITIVE_INFINITY } };
        });
      }
      frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
    return () => cancelAnimationFrame(frame);
  }, [playing]);
}

function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query]);
  const [matches, setMatches] = useState(list.matches);
  useEffect(() => {
    const read = () => setMatches(list.matches);
    list.addEventListener('change', read);
    return () => list.removeEventListener('change', read);
  }, [list]);
  return matches;
}
