/** The bar on top: which session, whether what is shown is now, and the sums. */
import { useState } from 'preact/hooks';
import { clean, clockText, count, grouped, shortId } from '../store/names.js';
import { spentBy, standing } from '../store/pick.js';
import { useApp, usePicture } from './app-context.js';
import { Changing } from './changing.js';
import { IconButton } from './icon.js';

export function Top({ railOpen }: { railOpen: boolean }) {
  const { ui, set, model, link } = useApp();
  const { session, calls, at, isLive, isOver, axis, problems } = usePicture();
  const { info } = session;
  const { word, tone } = standing(info);
  const spent = spentBy(calls, at);
  const done = calls.filter(({ start }) => start <= at);
  const lost = session.entries.reduce(
    (sum, entry) => (entry.type === 'lost' ? sum + entry.ev + entry.snap + entry.other : sum),
    model.strange?.count ?? 0,
  );
  const errors = problems.filter(({ level, at: when }) => level === 'error' && when <= at).length;
  return (
    <header class="top">
      <h1 class="brand">mur</h1>
      <button
        type="button"
        class="session-chip"
        aria-expanded={railOpen}
        aria-controls="sessions"
        title="Sessions (s)"
        onClick={() => set({ rail: !railOpen })}
      >
        <span class={`dot ${tone}`} />
        <strong>{info === null ? 'session' : clean(info.capsule.name)}</strong>
        <code>{shortId(session.sys)}</code>
        <Changing className={`word ${tone}`} text={word} />
        {model.sessions.size > 1 && <span class="badge">{model.sessions.size}</span>}
      </button>
      <div class="contents" role="status">
        <Changing
          key={word}
          className={`mode ${isLive ? 'live' : ui.cursor === null ? 'over' : 'past'}`}
          text={
            isLive
              ? 'live'
              : ui.cursor === null
                ? 'ended'
                : `${ui.playing ? 'playing' : 'time travel'} · ${clockText(at - axis.start)}`
          }
        />
      </div>
      {ui.cursor !== null && (
        <button type="button" class="link to-live" onClick={() => set({ cursor: null, playing: false })}>
          {isOver ? 'back to the end' : 'back to live'}
        </button>
      )}
      {link !== 'open' && !isOver && (
        <p class="offline">{link === 'connecting' ? 'connecting…' : 'connection lost, trying again'}</p>
      )}
      {lost > 0 && (
        <button type="button" class="link offline" onClick={() => set({ side: 'session', front: 'side' })}>
          {count(lost, 'frame')} left out
        </button>
      )}
      <ul class="sums" aria-label="So far">
        {errors > 0 && <li class="bad">{count(errors, 'error')}</li>}
        <li>{count(done.filter(({ kind }) => kind === 'driver').length, 'turn')}</li>
        <li>{count(done.filter(({ kind }) => kind !== 'driver').length, 'call')}</li>
        <li title={`${grouped(spent.input)} in, ${grouped(spent.output)} out`}>
          {count(spent.input + spent.output, 'token')}
        </li>
      </ul>
      <ThemeButton />
      <button
        type="button"
        class="icon-button"
        aria-label="Keyboard help"
        title="Keyboard (?)"
        onClick={() => set({ help: true })}
      >
        ?
      </button>
    </header>
  );
}

const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

export function currentTheme(): Theme {
  const set = document.documentElement.dataset.theme;
  return set === 'light' || set === 'dark' ? set : 'auto';
}

/** Light, dark, or as the system says; kept for the next visit where that is allowed. */
export function applyTheme(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

export function nextTheme(): Theme {
  const next = themes[(themes.indexOf(currentTheme()) + 1) % themes.length]!;
  applyTheme(next);
  try {
    localStorage.setItem('mur-theme', next);
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
  return next;
}

export function storedTheme(): string | null {
  try {
    return localStorage.getItem('mur-theme');
  } catch {
    return null;
  }
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  return (
    <IconButton
      icon="theme"
      label={`Colours: ${theme}`}
      shortcut="t"
      className="theme"
      act={() => setTheme(nextTheme())}
    />
  );
}
