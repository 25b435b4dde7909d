/**
 * Talks to the door of a running session, in the Murmur dialect (spec/door.md): send, look, cancel, watch. For the commands of `mur`; it
 * trusts nothing it reads, and what it hands on is still untrusted text. Not the door (src/door) and not liveness (src/liveness), which
 * says whose door it is.
 *
 * | File | Does |
 * |---|---|
 * | target | which door, and the token for it |
 * | call | one JSON-RPC request and its answer |
 * | task | what an answer says of a task |
 * | sse, stream | a stream of frames |
 *
 * Read next: target.ts, call.ts, stream.ts.
 */
export { cancelTask, getTask, sendText } from './call.js';
export { EventParser, type ServerEvent } from './sse.js';
export { type DoorStream, openWatch } from './stream.js';
export { type DoorTarget, targetOfRecord, targetOfUrl } from './target.js';
export { type DoorTask, hasEnded, readTask } from './task.js';
