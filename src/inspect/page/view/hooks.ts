/** Playing, and the width of the window. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { App, Picture, Ui } from './app-context.js';

/** Moves the playhead, folded stretches at a bound, and stops at the end of what is known. */
export function usePlaying(
  latest: { current: { picture: Picture | null; app: App } },
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

export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query]);
  const [matches, setMatches] = useState(list.matches);
  useEffect(() => {
    const read = () => setMatches(list.matches);
    list.addEventListener('change', read);
    return () => list.removeEventListener('change', read);
  }, [list]);
  return matches;
}
