/** The part of the time axis that the timeline shows, in positions from 0 to 1. */
export interface Window {
  readonly from: number;
  readonly to: number;
}
export const whole: Window = { from: 0, to: 1 };

export function zoomed({ from, to }: Window, by: number, centre: number): Window {
  const length = Math.min(1, Math.max(0.002, (to - from) * by));
  return moved({ from: from + (to - from - length) * centre, to: from + (to - from - length) * centre + length }, 0);
}

export function moved({ from, to }: Window, by: number): Window {
  const length = to - from;
  const start = Math.min(1 - length, Math.max(0, from + by));
  return { from: start, to: start + length };
}

/** The window moved so that it holds the playhead, when the playhead moves by itself. */
export function keepInView(window: Window, at: number, moves: boolean): Window {
  if (!moves || (at >= window.from && at <= window.to)) return window;
  return moved(window, at - (window.from + (window.to - window.from) * 0.8));
}
