/** The page: one session at one moment, seen from several sides that all obey the same playhead. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { onKey } from '../keys.js';
import type { LinkState } from '../link.js';
import type { Model } from '../store/model.js';
import { AppContext, type App as AppState, PictureContext, type Ui } from './app-context.js';
import { Boundary } from './boundary.js';
import { Help } from './help.js';
import { useMedia, usePlaying } from './hooks.js';
import { Narrow, Wide } from './panels.js';
import { chosenSession, pictureOf } from './picture.js';
import { Sessions } from './sessions.js';
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
          <Boundary name="The bar" className="top">
            <Top railOpen={railOpen} />
          </Boundary>
          {railOpen && (
            <Boundary name="The list of sessions" className="rail">
              <Sessions now={clock + skew} />
            </Boundary>
          )}
          {narrow ? <Narrow /> : <Wide />}
          <Boundary name="The timeline" className="timeline">
            <Timeline />
          </Boundary>
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
