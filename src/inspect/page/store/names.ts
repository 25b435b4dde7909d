/** Names of things as people read them. Everything here may come from a guest: `clean` before it is shown. */

import { safeForTerminal } from '../../../text/display.js';
import { grouped, ordinal } from '../../../text/measure.js';

/** `value` as text. Never throws, as `String` does for `{"toString": 1}`. */
export function plain(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `text` without anything that reorders, hides or controls: such characters become visible. Markup needs nothing: text is text. */
export function clean(text: unknown): string {
  return safeForTerminal(plain(text));
}

/** `…a459`: enough to tell ids apart. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${clean(id).slice(-4)}` : clean(id);
}

/** `task:tsk_1` of `session/task:tsk_1`. */
export function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** `session`, `task …c1d2`, `turn 3`, `tool-call 2`, `infer`. */
export function actorLabel(id: string): string {
  const part = lastPart(id);
  const colon = part.indexOf(':');
  if (colon < 0) return clean(part);
  const [name, which] = [clean(part.slice(0, colon)), part.slice(colon + 1)];
  return /^\d+$/.test(which) ? `${name} ${ordinal(Number(which))}` : `${name} ${shortId(which)}`;
}

/** `infer ✓` for `xstate.done.actor.infer`; other events by their own name. */
export function eventLabel(type: string): string {
  const name = clean(type);
  const matched = /^xstate\.(done\.actor|error\.actor|done\.state|after|init|stop)\.?(.*)$/.exec(name);
  if (matched === null) return name;
  const [, what, rest = ''] = matched;
  switch (what) {
    case 'done.actor':
    case 'done.state':
      return `${lastPart(rest).replace(/:.*/, '')} ✓`;
    case 'error.actor':
      return `${lastPart(rest).replace(/:.*/, '')} ✗`;
    case 'after':
      return `after ${rest.split('.')[0]}`;
    default:
      return what!;
  }
}

/** `running.serving.working`; parts of a parallel state joined by `∥`. */
export function stateText(value: unknown): string {
  return leaves(value).join(' ∥ ') || '–';
}

/** The innermost state names only: `working`. */
export function leafText(value: unknown): string {
  return leaves(value)
    .map((path) => path.slice(path.lastIndexOf('.') + 1))
    .join(' ∥ ');
}

function leaves(value: unknown, prefix = ''): string[] {
  if (typeof value === 'string') return [prefix + clean(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => leaves(below, `${prefix}${clean(key)}.`));
}

/** `files` for `mur-tool-files`: where there is little room. */
export function toolLabel(name: string): string {
  return clean(name).replace(/^mur-(tool|skill)-/, '');
}

/** `1 turn`, `2 turns`. */
export { count } from '../../../text/measure.js';

export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  if (size < 999_950) return `${(size / 1_000).toFixed(1)} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

/** Time since the start, for scrubbing: `1.240 s`, `2:05.3`, `1:02:05`. */
export function clockText(ms: number): string {
  const total = Math.max(0, ms);
  if (total < 60_000) return `${(total / 1_000).toFixed(total < 10_000 ? 3 : 2)} s`;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  if (total < 3_600_000)
    return `${Math.floor(total / 60_000)}:${two((total / 1_000) % 60)}.${Math.floor((total / 100) % 10)}`;
  return `${Math.floor(total / 3_600_000)}:${two((total / 60_000) % 60)}:${two((total / 1_000) % 60)}`;
}

export function wallTime(at: number): string {
  return `${new Date(at).toLocaleTimeString('en-GB')}.${String(Math.floor(at % 1_000)).padStart(3, '0')}`;
}

export { duration } from '../../../text/measure.js';
export { grouped, ordinal };
