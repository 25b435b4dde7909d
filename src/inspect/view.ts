import type { SnapshotView } from './frame.js';
import { chartEntry } from './identity.js';
import { type Caps, redact, type TextRedactor, valueCaps } from './redact.js';

/** A snapshot of xstate, as far as it is looked at. */
export interface SnapshotLike {
  readonly status: SnapshotView['s'];
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

export interface Viewed {
  readonly snap: SnapshotView;
  readonly cut: number;
}

/**
 * What is shown of a snapshot: its state, and of its context only what the chart allows. Of an actor without a chart, whose
 * context is nobody's promise, only status, output and error. Never throws.
 */
export function viewOf(
  snapshot: SnapshotLike,
  chart: string | undefined,
  redactText: TextRedactor,
  caps: Caps = valueCaps,
): Viewed {
  let cut = 0;
  const show = (value: unknown): unknown => {
    const redacted = redact(value, redactText, caps);
    cut += redacted.cut;
    return redacted.value;
  };
  const { status, value, output, error } = snapshot;
  const snap = {
    s: status,
    ...(chart === undefined || value === undefined ? {} : { v: value as NonNullable<SnapshotView['v']> }),
    ...(chart === undefined ? {} : { c: show(allowed(chart, snapshot.context)) }),
    ...(output === undefined ? {} : { o: show(output) }),
    ...(error === undefined ? {} : { e: show(error) }),
  };
  return { snap, cut };
}

/** The keys of a context that its chart lets out, in the chart's order. */
function allowed(chart: string, context: unknown): Record<string, unknown> {
  const view = chartEntry(chart)?.view ?? [];
  const shown: Record<string, unknown> = {};
  if (typeof context !== 'object' || context === null) return shown;
  for (const key of view) {
    const property = propertyOf(context, key);
    if (property !== undefined) Object.defineProperty(shown, key, property);
  }
  return shown;
}

/** As it is, a getter included: `redact` does not run it. */
function propertyOf(owner: object, key: string): PropertyDescriptor | undefined {
  try {
    const property = Object.getOwnPropertyDescriptor(owner, key);
    return property === undefined ? undefined : { ...property, enumerable: true, configurable: true };
  } catch {
    return undefined; // a proxy that throws
  }
}
