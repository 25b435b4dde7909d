/** The keyboard. What each key does is told in view/help.tsx. */

import { startPlaying, stepFrom } from './store/steps.js';
import type { App, Picture } from './view/app-context.js';
import { mainViews, sideViews } from './view/app-context.js';
import { nextTheme } from './view/top.js';

export function onKey(event: KeyboardEvent, app: App, picture: Picture | null, railOpen: boolean): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  if (app.ui.help) return;
  const action = actionOf(event, app, picture, railOpen);
  if (action === null) return;
  // Space presses the button that has the focus, except right after a click on the timeline.
  if (event.key === ' ' && target.tagName === 'BUTTON' && target.closest('.bars') === null) return;
  event.preventDefault();
  action();
}

function actionOf(event: KeyboardEvent, app: App, picture: Picture | null, railOpen: boolean): (() => void) | null {
  const { ui, set, seek } = app;
  const { key } = event;
  const view = Number(key) - 1;
  if (mainViews[view] !== undefined) return () => set({ main: mainViews[view]!, front: 'main' });
  if (sideViews[view - 4] !== undefined) return () => set({ side: sideViews[view - 4]!, front: 'side' });
  switch (key) {
    case '?':
      return () => set({ help: true });
    case 's':
      return () => set({ rail: !railOpen });
    case 't':
      return () => {
        nextTheme();
        set({});
      };
    case 'f':
      return () => set({ camera: ui.camera === 'fit' ? 'follow' : 'fit' });
    case '/':
      return () => {
        set({ main: 'events', front: 'main' });
        setTimeout(() => document.getElementById('filter')?.focus());
      };
    case 'Escape':
      return () => set({ call: null, actor: null, level: null });
  }
  if (picture === null) return null;
  const { axis, session, calls, at } = picture;
  switch (key) {
    case ' ':
      return () => set(ui.playing ? { playing: false } : startPlaying(ui.cursor === null, axis));
    case 'Home':
      return () => seek(axis.start);
    case 'End':
      return () => seek(null);
    case 'ArrowLeft':
    case 'ArrowRight': {
      const by = key === 'ArrowLeft' ? -1 : 1;
      if (event.shiftKey) {
        const chosen = calls.findIndex((call) => call.key === ui.call);
        const near = calls.findLastIndex((call) => call.start <= at);
        const next = calls[chosen >= 0 ? chosen + by : by < 0 ? near : near + 1];
        return next === undefined ? null : () => app.openCall(next);
      }
      return () => seek(stepFrom(session, at, by));
    }
    default:
      return null;
  }
}
