/**
 * The trace of a session: `trace.jsonl`, one JSON object per line, in the upstream format (spec/trace.md). Not the replay log
 * (src/replay), not display data (src/supervise/notice.ts), not the arithmetic of `mur trace`.
 * Read next: events.ts (what is written), writer.ts (order and parents), reader.ts (tolerance).
 */
export { BlobStore } from './capture.js';
export { type TraceEvents, type TraceEventType, traceEvents } from './events.js';
export { isEvent, type LeadingKeys, type ReadLine, type TraceLine } from './line.js';
export { readTrace, type TraceItem } from './reader.js';
export { isTraceparent, newTraceparent } from './traceparent.js';
export { TRACE_FILE, TraceWriter, type TraceWriterOptions } from './writer.js';
