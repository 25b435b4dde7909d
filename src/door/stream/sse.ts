/** Text of server-sent events. JSON never holds a raw line break, so one `data:` line is always enough. */

/** One frame: `event` and `id` only where there is one. */
export function frame(fields: {
  readonly id?: number | undefined;
  readonly event?: string;
  readonly data: unknown;
}): string {
  const id = fields.id === undefined ? '' : `id: ${fields.id}\n`;
  const event = fields.event === undefined ? '' : `event: ${fields.event}\n`;
  return `${id}${event}data: ${JSON.stringify(fields.data)}\n\n`;
}

/** A line that every client skips. `text` is ours: it holds no line break. */
export function comment(text: string): string {
  return `:${text}\n\n`;
}

/** The `Last-Event-ID` of a request; `undefined` where it is absent or no unsigned whole number, which is ignored (spec/door.md section 2). */
export function readLastEventId(header: string | string[] | undefined): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  // Beyond what counts exactly it is still a number, and one that was never issued here.
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
}
