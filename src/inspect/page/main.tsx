/**
 * The inspection page. Frames of `mur.inspect.v1` come in over link.ts, store/ makes sense of them, view/ shows it. Read-only and
 * offline: nothing is loaded from anywhere but the server of this page, and whatever a session sent is shown as text.
 * Read next: store/model.ts, view/app.tsx.
 */
import { render } from 'preact';
import { connect, type LinkState } from './link.js';
import { Intake } from './store/fold.js';
import { App } from './view/app.js';
import { applyTheme, storedTheme } from './view/top.js';

const intake = new Intake();
const host = document.getElementById('page')!;
const patienceMs = 150;
let link: LinkState = 'connecting';
let timer: ReturnType<typeof setTimeout> | undefined;
let spentMs = 0;

/** At the next frame; later when the last picture took long, so that a flood of frames leaves time for clicks. */
function schedule(waitMs = Math.min(400, spentMs * 3)): void {
  if (waitMs > 0 && timer !== undefined) return;
  clearTimeout(timer);
  timer = setTimeout(() => requestAnimationFrame(draw), waitMs);
}

function draw(): void {
  timer = undefined;
  const began = performance.now();
  render(<App model={intake.shown} link={link} skew={intake.skew} />, host);
  spentMs = performance.now() - began;
}

applyTheme(storedTheme());
draw();
connect({
  state(state) {
    link = state;
    schedule();
  },
  isWorthIt() {
    // A session that serves its own page is gone for good once it has ended; `mur inspect` may come back.
    const { hello, sessions } = intake.shown;
    const isOver = [...sessions.values()].every(({ info }) => info?.ended != null);
    return hello === null || hello.scope === '*' || !isOver;
  },
  frames(frames, chars) {
    const isFirst = intake.shown.sessions.size === 0;
    const wasSynced = intake.synced;
    intake.take(frames, chars);
    // What lives now comes before its past: a moment's patience spares the first picture a jump.
    if (intake.synced > wasSynced) schedule(0);
    else schedule(isFirst ? patienceMs : undefined);
  },
});
