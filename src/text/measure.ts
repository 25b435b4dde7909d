/** Small quantities as people read them. */

/** `12 ms`, `2.1 s`, `1 min 05 s`, `2 h 03 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(seconds / 3_600)} h ${twoDigits(Math.floor((seconds % 3_600) / 60))} min`;
}

/** `1 turn`, `2 turns`, `1,204 tokens`. */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `1,204`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The trace counts turns from 0; people, and the door's status frames, from 1. */
export function ordinal(turn: number): number {
  return turn + 1;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
