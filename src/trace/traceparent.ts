import { randomBytes } from 'node:crypto';

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** True for a W3C trace context as this runtime reads one (spec/trace.md section 8): version 00, and ids that are not all zero. */
export function isTraceparent(text: string): boolean {
  const [, trace, span] = form.exec(text) ?? [];
  return trace !== undefined && !/^0+$/.test(trace) && !/^0+$/.test(span!);
}

/** What a task presents to those it sends to: a trace of its own, its root span, and that it is recorded. */
export function newTraceparent(): string {
  const [trace, span] = [randomId(16), randomId(8)];
  return `00-${trace}-${span}-01`;
}

/** The first byte is never zero, so that no id is the invalid one. */
function randomId(bytes: number): string {
  const id = randomBytes(bytes);
  id[0] = id[0]! | 1;
  return id.toString('hex');
}
