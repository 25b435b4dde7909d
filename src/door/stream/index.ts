/**
 * Streams of a session: one event log (bus.ts) and a renderer for each dialect. It says what a session said, to as many clients as
 * ask, and waits for none of them. Not where the events come from (src/effects/stream-feed.ts), not the record of a session
 * (src/replay).
 * Read next: types.ts (the events), bus.ts (the log), streams.ts (who gets what), connection.ts (one client), renderer.ts (frames).
 */
export { EventBus, replayLimit } from './bus.js';
export { heartbeatMs, liveLimit } from './connection.js';
export { murmurFrames, resumedMessage } from './render-murmur.js';
export { SessionStreams, type StreamsOptions } from './streams.js';
export type { ArtifactEvent, LoggedEvent, StatusEvent, StreamEvent } from './types.js';
