import { readJsonLines } from '../text/index.js';
import type { ReadLine } from './line.js';

export type TraceItem =
  | { readonly kind: 'event'; readonly line: number; readonly event: ReadLine }
  | { readonly kind: 'warning'; readonly line: number; readonly reason: string };

/**
 * Every whole line of a trace, in order, and a warning for each place that is damaged. Events this build does not know are
 * events like any other; ask `isEvent` before relying on a key. Throws what opening the file throws.
 */
export function* readTrace(path: string): Generator<TraceItem> {
  for (const item of readJsonLines(path)) {
    if (item.kind === 'warning') yield item;
    else if (typeof item.value.event_type === 'string') {
      yield { kind: 'event', line: item.line, event: item.value as ReadLine };
    } else yield { kind: 'warning', line: item.line, reason: 'the line has no event_type' };
  }
}
