import type { ManifestWarning } from './manifest.js';

/** What `mur run` says when the manifest pins another release; `undefined` when it pins this one or none. */
export function releaseWarning(pinned: string | undefined, running: string): ManifestWarning | undefined {
  if (pinned === undefined || pinned === running) return undefined;
  return { message: `manifest requires mur ${pinned} but you are running mur ${running}` };
}

/** True when both are numeric triples and `pinned` is the later one. */
export function isLaterRelease(pinned: string, running: string): boolean {
  const a = triple(pinned);
  const b = triple(running);
  if (a === undefined || b === undefined) return false;
  const difference = a.map((part, index) => part - b[index]!).find((part) => part !== 0);
  return (difference ?? 0) > 0;
}

function triple(text: string): readonly number[] | undefined {
  return /^\d+\.\d+\.\d+$/.test(text) ? text.split('.').map(Number) : undefined;
}
