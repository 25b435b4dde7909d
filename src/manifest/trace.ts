import { present } from './present.js';
import type { Fault } from './report.js';
import { readRetain } from './retain.js';
import { block, integer, quantity, word, type z } from './shape.js';

/** `trace`: what the trace file holds and how long sessions are kept. */
export const traceShape = block({
  capture: word(['none', 'meta', 'content']),
  retain: block({ max_sessions: integer(), max_age: quantity() }),
});

/** `trace:` with its defaults filled in (spec/manifest.md section 10). */
export interface TraceConfig {
  readonly capture: 'none' | 'meta' | 'content';
  readonly retain?: { readonly maxSessions?: number; readonly maxAgeSeconds?: number };
}

export function readTrace(raw: z.infer<typeof traceShape>, fault: Fault): TraceConfig {
  const retain = raw?.retain;
  return present({
    capture: raw?.capture ?? ('meta' as const),
    retain: retain === undefined ? undefined : readTraceRetain(retain, fault),
  });
}

function readTraceRetain(
  raw: NonNullable<z.infer<typeof traceShape>>['retain'],
  fault: Fault,
): NonNullable<TraceConfig['retain']> {
  const given = raw ? { count: raw.max_sessions, age: raw.max_age } : null;
  const { count, maxAgeSeconds } = readRetain(given, ['trace', 'retain'], 'max_sessions', fault);
  return present({ maxSessions: count, maxAgeSeconds });
}
